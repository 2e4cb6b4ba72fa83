package chiadapter_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/slidegate/slidegate/chiadapter"
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/nethttp"
)

func ok(http.ResponseWriter, *http.Request) {}

// witness notes the pattern of each request that it is asked about.
type witness struct{ seen []string }

func (g *witness) Check(_ http.Header, r *http.Request) error {
	g.seen = append(g.seen, r.Method+" "+r.Pattern)
	return nil
}

func get(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func TestGuardSeesTheRouteThatAHeadIsServedBy(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  func(r chi.Router, limit func(http.Handler) http.Handler)
	}{
		{"GetHead before us", func(r chi.Router, limit func(http.Handler) http.Handler) { r.Use(middleware.GetHead, limit) }},
		{"GetHead after us", func(r chi.Router, limit func(http.Handler) http.Handler) { r.Use(limit, middleware.GetHead) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := new(witness)
			r := chi.NewRouter()
			tt.use(r, chiadapter.Wrap(g))
			r.Get("/users/{id}", ok)
			if w := get(r, "HEAD", "/users/7"); w.Code != 200 || g.seen[0] != "HEAD /users/{id}" {
				t.Errorf("answered %d, and the guard saw %q", w.Code, g.seen)
			}
		})
	}
}

func TestGuardSeesTheRouteOfAnOverriddenMethod(t *testing.T) {
	override := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			chi.RouteContext(r.Context()).RouteMethod = "DELETE"
			next.ServeHTTP(w, r)
		})
	}
	g := new(witness)
	r := chi.NewRouter()
	r.Use(override, chiadapter.Wrap(g))
	r.Delete("/users/{id}", ok)
	if w := get(r, "POST", "/users/7"); w.Code != 200 || g.seen[0] != "POST /users/{id}" {
		t.Errorf("answered %d, and the guard saw %q", w.Code, g.seen)
	}
}

func TestGuardAroundTheWholeRouterSeesItsPatterns(t *testing.T) {
	g := new(witness)
	r := chi.NewRouter()
	r.Route("/api", func(r chi.Router) { r.Get("/items/{id}", ok) })
	get(chiadapter.Wrap(g)(r), "GET", "/api/items/7")
	if g.seen[0] != "GET /api/items/{id}" {
		t.Errorf("the guard saw %q", g.seen)
	}
}

// A slash at the end of a mount point reaches the same handler, so it must not be a way around its entry.
func TestCatchAllOfAMountHasOnePattern(t *testing.T) {
	for _, mount := range []string{"/files", "/files/{t}"} {
		g := new(witness)
		sub, r := chi.NewRouter(), chi.NewRouter()
		sub.Post("/*", ok)
		r.Use(chiadapter.Wrap(g))
		r.With(chiadapter.Wrap(g)).Mount(mount, sub)
		point := strings.ReplaceAll(mount, "{t}", "1")
		for _, path := range []string{point, point + "/", point + "/a", point + "/a/"} {
			g.seen = nil
			w := get(r, "POST", path)
			for _, seen := range g.seen {
				if want := "POST " + mount + "/*"; w.Code != 200 || seen != want {
					t.Errorf("%s: answered %d, and the guard saw %q, want %q", path, w.Code, seen, want)
				}
			}
		}
	}
}

func TestTableAroundAnythingButChiRefuses(t *testing.T) {
	table := nethttp.Routes{"POST /login": nethttp.Unlimited, "*": nethttp.Unlimited}
	sub := chi.NewRouter()
	sub.Post("/login", ok)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/login", ok)
	for name, next := range map[string]http.Handler{"mux": mux, "prefix": http.StripPrefix("/v1", sub)} {
		w := get(chiadapter.Wrap(table)(next), "POST", "/v1/login")
		if w.Code != 500 || strings.Contains(w.Body.String(), "chi") {
			t.Errorf("%s: answered %d %s, want 500 and no reason", name, w.Code, w.Body)
		}
	}
}

func TestOneMiddlewareServesTwoRouters(t *testing.T) {
	g := new(witness)
	limit := chiadapter.Wrap(g)
	a, b := chi.NewRouter(), chi.NewRouter()
	a.Use(limit)
	a.Route("/x", func(r chi.Router) { r.Get("/{a}", ok) })
	b.Use(limit)
	b.Route("/x", func(r chi.Router) { r.Get("/{b}", ok) })
	for range 2 {
		get(a, "GET", "/x/1")
		get(b, "GET", "/x/1")
	}
	if got, want := strings.Join(g.seen, ", "), "GET /x/{a}, GET /x/{b}, GET /x/{a}, GET /x/{b}"; got != want {
		t.Errorf("the guard saw %s, want %s", got, want)
	}
}

func TestVerifyNamesEntriesThatMatchNoRoute(t *testing.T) {
	r := chi.NewRouter()
	r.Get("/", ok)
	r.Get("/users/{id:[0-9]+}", ok)
	r.Post("/login", ok)
	r.Handle("/any", http.HandlerFunc(ok))
	r.Mount("/raw", http.HandlerFunc(ok))
	r.Route("/api", func(r chi.Router) {
		r.Get("/", ok)
		r.Route("/v1", func(r chi.Router) { r.Get("/items", ok) })
	})
	good := nethttp.Routes{
		"GET /": nil, "/users/{id:[0-9]+}": nil, "POST /login": nil, "DELETE /any": nil, "/raw": nil, "/raw/*": nil, "GET /api": nil,
		"HEAD /api/v1/items": nil, "*": nil,
	}
	bad := nethttp.Routes{"POST /logn": nil, "GET /login": nil, "/users/{id}": nil, "/api/": nil, "/api/*": nil, "/api/v1": nil, "*": nil}
	for _, table := range []nethttp.Routes{good, bad} {
		for key := range table {
			table[key] = nethttp.Unlimited
		}
	}
	if err := chiadapter.Verify(r, good); err != nil {
		t.Errorf("a good table: %v", err)
	}
	err := chiadapter.Verify(r, bad)
	for key := range bad {
		if named := err != nil && strings.Contains(err.Error(), `"`+key+`"`); named != (key != "*") {
			t.Errorf("%q is named: %t, in %v", key, named, err)
		}
	}
	if err := chiadapter.Verify(r, nethttp.Routes{}); err == nil {
		t.Error("a table without * is no fault to Verify")
	}
}

func TestNewPanicsWithoutAKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	chiadapter.New(new(core.Limiter), nil)
}
