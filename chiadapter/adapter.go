package chiadapter

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/tablecheck"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// New is middleware that limits each request by limiter, under the key that key finds for it. It is [Wrap] around
// [nethttp.New], which panics if limiter or key is nil.
func New(limiter *core.Limiter, key keyfuncs.Func, opts ...nethttp.Option) func(http.Handler) http.Handler {
	return Wrap(nethttp.New(limiter, key, opts...))
}

// Wrap is middleware that lets g decide about each request, with chi's pattern of its route in r.Pattern. A request that
// matches no route has the pattern "".
//
// Wrap panics if g is a [nethttp.Routes] with a fault; [Verify] finds more. A nil g refuses every request.
//
// It is for the Use and With of a chi router, and for putting around one. Around anything else a table could not know the
// routes, and refuses every request with status 500; for an [*http.ServeMux], [nethttp.Routes] has a Handler of its own.
func Wrap(g nethttp.Guard) func(http.Handler) http.Handler {
	tablecheck.Must(g)
	f := new(finder)
	_, isTable := g.(nethttp.Routes)
	return func(next http.Handler) http.Handler {
		h := nethttp.Handler(g, &endpoint{next, f})
		if _, isChi := next.(*chi.Mux); isChi || !isTable {
			return h
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if chi.RouteContext(r.Context()) == nil { // within chi there is one
				nethttp.Refuse(w, r, errNotChi)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

var errNotChi = errors.New("chiadapter: a table of routes is around a handler that is no chi router, and cannot know its routes")

// endpoint is a handler that can tell [nethttp.Handler] which pattern chi will serve it by.
type endpoint struct {
	next   http.Handler
	finder *finder
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.next.ServeHTTP(w, r) }

// Handler has the form of [http.ServeMux.Handler].
func (e *endpoint) Handler(r *http.Request) (h http.Handler, pattern string) {
	rctx := chi.RouteContext(r.Context())
	if rctx == nil {
		root, ok := e.next.(*chi.Mux)
		if !ok {
			return e.next, r.Pattern
		}
		rctx = &chi.Context{Routes: root} // we are around the router
	}
	return e.next, e.finder.pattern(rctx, r)
}

// Verify returns an error that names all entries of table that match no route of r, and all that its Validate finds. Call
// it when the routes are there: in a test, or before the program serves.
//
// It sees what [chi.Walk] sees: not the routes of a router that is mounted inside another handler.
func Verify(r chi.Routes, table nethttp.Routes) error {
	known := tablecheck.Router{}
	add := func(method, pattern string) {
		known.Add(method, pattern)
		if method == http.MethodGet {
			known.Add(http.MethodHead, pattern) // middleware.GetHead
		}
	}
	walk := func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		add(method, (&chi.Context{RoutePatterns: []string{pattern}}).RoutePattern())
		return nil
	}
	if err := chi.Walk(r, walk); err != nil {
		return err
	}
	rt := newRouter(r)
	for key := range table { // Walk leaves out the mount point of a handler that is no router
		method, pattern := tablecheck.Split(key)
		find := method
		if find == tablecheck.AnyMethod {
			find = http.MethodGet
		}
		if rt.find(nil, find, pattern) == pattern {
			add(method, pattern)
		}
	}
	return known.Verify("chiadapter", table)
}
