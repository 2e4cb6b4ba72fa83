package chiadapter_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-chi/chi/v5"

	"github.com/slidegate/slidegate/chiadapter"
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func ExampleNew() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(2))

	r := chi.NewRouter()
	r.Use(chiadapter.New(limiter, keyfuncs.IP()))
	r.Get("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })

	for range 3 {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		fmt.Println(w.Code, w.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 200 1
	// 200 0
	// 429 0
}

func ExampleWrap() {
	store := memstore.New()
	login := core.MustNew(store, core.Name("login"), core.PerMinute(1))
	rest := core.MustNew(store, core.Name("rest"), core.PerMinute(100))
	table := nethttp.Routes{
		"POST /api/login": nethttp.New(login, keyfuncs.IP()), // chi's own patterns, from the root
		"/healthz":        nethttp.Unlimited,
		"*":               nethttp.New(rest, keyfuncs.IP()),
	}

	r := chi.NewRouter()
	r.Use(chiadapter.Wrap(table))
	r.Get("/healthz", func(http.ResponseWriter, *http.Request) {})
	r.Route("/api", func(r chi.Router) {
		r.Post("/login", func(http.ResponseWriter, *http.Request) {})
	})
	if err := chiadapter.Verify(r, table); err != nil {
		fmt.Println(err)
	}

	for _, target := range []string{"/api/login", "/api/login", "/healthz"} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("POST", target, nil))
		fmt.Println(target, w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	// Output:
	// /api/login 200 1
	// /api/login 429 1
	// /healthz 405 100
}

// Verify finds the entry that would never have matched: the limit that is not there.
func ExampleVerify() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(5))
	r := chi.NewRouter()
	r.Post("/login", func(http.ResponseWriter, *http.Request) {})

	err := chiadapter.Verify(r, nethttp.Routes{
		"POST /login/": nethttp.New(limiter, keyfuncs.IP()),
		"*":            nethttp.Unlimited,
	})
	fmt.Println(err)
	// Output: chiadapter: Verify: "POST /login/" matches no route
}

// Middleware that changes the path by which chi routes must stand before the limiter. The other way round, the limiter is
// asked about "/login/", which matches no route, and chi then serves "/login".
func ExampleWrap_incorrect() {
	stripSlashes := func(next http.Handler) http.Handler { // as chi's middleware.StripSlashes
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if rctx := chi.RouteContext(r.Context()); r.URL.Path == "/login/" {
				rctx.RoutePath = "/login"
			}
			next.ServeHTTP(w, r)
		})
	}
	limiter := core.MustNew(memstore.New(), core.PerMinute(5))
	limit := chiadapter.Wrap(nethttp.Routes{"/login": nethttp.New(limiter, keyfuncs.IP()), "*": nethttp.Unlimited})

	for _, use := range [][]func(http.Handler) http.Handler{{limit, stripSlashes}, {stripSlashes, limit}} {
		r := chi.NewRouter()
		r.Use(use...)
		r.Post("/login", func(http.ResponseWriter, *http.Request) {})
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("POST", "/login/", nil))
		fmt.Printf("%d, limit %q\n", w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	// Output:
	// 200, limit ""
	// 200, limit "5"
}
