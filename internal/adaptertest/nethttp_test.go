package adaptertest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/internal/adaptertest"
	"github.com/slidegate/slidegate/nethttp"
)

// pattern keeps "/" from matching everything.
func pattern(p string) string {
	if strings.HasSuffix(p, "/") {
		return p + "{$}"
	}
	return p
}

// router is net/http's own mux as the suite sees it.
type router struct {
	mux     *http.ServeMux
	guards  []nethttp.Guard
	handler http.Handler // mux behind guards
	prefix  string
	parent  *router
}

func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.handler.ServeHTTP(w, req) }

func (r *router) Use(g nethttp.Guard) {
	if r.parent != nil && len(r.guards) == 0 { // what is behind a guard of its own has a mux of its own
		r.mux = http.NewServeMux()
		r.parent.mux.Handle(r.prefix+"/", r)
	}
	r.guards = append(r.guards, g)
	r.handler = r.mux
	for _, g := range slices.Backward(r.guards) {
		r.handler = nethttp.Handler(g, r.handler)
	}
}

func (r *router) Handle(method, p string, h http.HandlerFunc) {
	r.mux.Handle(method+" "+r.prefix+pattern(p), h)
}

func (r *router) Mount(prefix string, build func(adaptertest.Router)) {
	build(&router{mux: r.mux, handler: r.mux, prefix: r.prefix + prefix, parent: r})
}

func TestSuite(t *testing.T) {
	adaptertest.Run(t, adaptertest.Adapter{
		New: func() adaptertest.Router {
			mux := http.NewServeMux()
			return &router{mux: mux, handler: mux}
		},
		Pattern: pattern,
	})
}
