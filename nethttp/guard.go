package nethttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/felixge/httpsnoop"

	"github.com/slidegate/slidegate/core"
)

// Guard decides whether a request may proceed. [Middleware], [Routes], [Choose] and [Unlimited] are guards; [Handler]
// puts one in front of a handler.
//
// Check returns nil if r may proceed, else an error for [Refuse], usually a *[Denial]. Either way it sets in h, the
// header of the response, what the client is to know of its limits; it writes nothing else. It must be safe for
// concurrent use.
//
// A nil Guard refuses every request with status 500: to forget a limit is not to exempt. See [Unlimited].
type Guard interface {
	Check(h http.Header, r *http.Request) error
}

// Settler is a Guard that may want to know how the request ended. [Handler] and all adapters prefer Begin to Check, so
// that a type which embeds a guard of this package and changes one of the two must change the other too.
//
// Begin is Check, and returns besides:
//
//   - done, to be called once with the status of the response, 500 if the handler panicked; nil if there is nothing to
//     settle, as always beside an error;
//   - res, the decision, zero if none was made. A Settler of another package shares it with the handler, as
//     [ShareResult] has it; it returns the zero Result to share nothing.
type Settler interface {
	Guard
	Begin(h http.Header, r *http.Request) (done func(status int), res core.Result, err error)
}

// Unlimited lets every request proceed.
var Unlimited Guard = unlimited{}

type unlimited struct{}

func (unlimited) Check(http.Header, *http.Request) error { return nil }

// Handler is next behind g: a request that g refuses does not reach it.
//
// Where next can tell which of its patterns a request will match, as an [*http.ServeMux] can, Handler puts the
// pattern in r.Pattern before it asks g, so that limits by route see what the mux will do. What Handler returns can
// tell the pattern too, so that handlers can be stacked.
//
// The ResponseWriter is handed to next as it is, so that flushing, hijacking and sendfile work; only where a [Settler]
// wants to know the status is it wrapped, by a type that has the same interfaces.
//
// Handler panics if next is nil, or if g is a [Routes] that has a fault or could never match: see [Routes.Handler].
func Handler(g Guard, next http.Handler) http.Handler {
	if next == nil {
		panic("nethttp: Handler: the handler is nil")
	}
	router, ok := next.(router)
	if table, isTable := g.(Routes); isTable {
		table.mustFit(next, ok)
	}
	if !ok {
		return &guarded{g, next}
	}
	return &guardedRouter{guarded{g, next}, router}
}

type guarded struct {
	guard Guard
	next  http.Handler
}

func (h *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, done, err := Begin(h.guard, w.Header(), r)
	switch {
	case err != nil:
		Refuse(w, r, err)
	case done != nil:
		settle(done, h.next, w, r)
	default:
		h.next.ServeHTTP(w, r)
	}
}

// settle serves, and then calls done. It does not recover from a panic: the stack stays whole, and the panic is for
// those outside.
func settle(done func(status int), next http.Handler, w http.ResponseWriter, r *http.Request) {
	status := http.StatusInternalServerError
	defer func() { done(status) }()
	status = httpsnoop.CaptureMetrics(next, w, r).Code
}

// guardedRouter is guarded where the handler is a router.
type guardedRouter struct {
	guarded
	router router
}

func (h *guardedRouter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Pattern = patternOf(h.router, r) // as the mux itself will do
	h.guarded.ServeHTTP(w, r)
}

// Handler makes h a router for those outside it.
func (h *guardedRouter) Handler(r *http.Request) (http.Handler, string) {
	return h, patternOf(h.router, r)
}

// Begin asks g about r. It is for adapters to other routers; an application uses [Handler].
//
// If err is nil, the request is to be served with the request returned, which under [ShareResult] carries the
// decision, and done, if it is not nil, to be called as [Settler] says. Else err is for [Refuse].
func Begin(g Guard, h http.Header, r *http.Request) (next *http.Request, done func(status int), err error) {
	done, res, share, err := begin(g, h, r)
	if share && err == nil {
		r = r.WithContext(context.WithValue(r.Context(), resultKey{}, res))
	}
	return r, done, err
}

var errNilGuard = errors.New("nethttp: the guard is nil")

// begin is Begin of any guard, and whether to share its result. It asks for our own types, not for an interface: a
// type that embeds one of them would satisfy it, and its own Begin would not be called.
func begin(g Guard, h http.Header, r *http.Request) (done func(int), res core.Result, share bool, err error) {
	switch g := g.(type) {
	case *Middleware:
		if g != nil {
			res, err = g.decide(h, r)
			return nil, res, g.share && res.Policy != "", err
		}
	case Routes:
		return begin(g.guard(r), h, r)
	case Choose:
		if g != nil {
			return begin(g(r), h, r)
		}
	case Settler:
		done, res, err = g.Begin(h, r)
		return done, res, res.Policy != "", err
	case Guard:
		return nil, res, false, g.Check(h, r)
	}
	return nil, res, false, &Denial{Err: errNilGuard}
}

// Choose picks the guard of each request: a tier by plan, or none of it for the staff. It is a Guard, and a value in a
// table of [Routes]. A nil Choose refuses with status 500, and so does one that returns nil; for no limit, return
// [Unlimited].
type Choose func(*http.Request) Guard

// Check implements [Guard].
func (c Choose) Check(h http.Header, r *http.Request) error {
	_, _, err := c.Begin(h, r)
	return err
}

// Begin implements [Settler].
func (c Choose) Begin(h http.Header, r *http.Request) (done func(status int), res core.Result, err error) {
	done, res, _, err = begin(c, h, r)
	return done, res, err
}
