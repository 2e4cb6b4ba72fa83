package chiadapter

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// TestPatternIsTheOneThatChiTakes sends requests of many spellings through routers of many shapes, and compares what we
// say before routing with what chi says in the handler.
func TestPatternIsTheOneThatChiTakes(t *testing.T) {
	methods := []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"}
	paths := []string{
		"/", "//", "/login", "/login/", "//login", "/login//", "/%6cogin", "/login%2f", "/log%2fin", "/login.json", "/Login",
		"/a/../login", "/users/7", "/users/", "/users/7/", "/users/7%2fposts", "/users/7/posts", "/users//posts",
		"/files", "/files/", "/files/a", "/files/a/b", "/files/%2e%2e/login", "/files//",
		"/api", "/api/", "/api//", "/api/items", "/api/items/", "/api/items/7", "/api/items/7/", "/api//items", "/api/none",
		"/api/login", "/api/api", "/api/v1", "/api/v1/", "/api/v1/items", "/api/v1/x%2fy", "/api/v1/deep", "/api/v1/deep/x",
		"/orgs/acme", "/orgs/acme/", "/orgs/acme/login", "/orgs/acme%2f/login", "/orgs//login", "/orgs/acme/orgs/acme/login",
		"/any", "/any/", "/any/x", "/raw", "/raw/", "/raw/x", "/both", "/both/", "/both/x", "/none", "/none/none",
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Took", chi.RouteContext(r.Context()).RoutePattern())
	}
	items := func(r chi.Router) {
		r.Get("/items", handler)
		r.Post("/items", handler)
		r.Get("/items/{id}", handler)
		r.Post("/login", handler)
	}
	routes := func(r chi.Router) {
		r.Get("/", handler)
		r.Post("/login", handler)
		r.Get("/login", handler)
		r.Get("/users/{id}", handler)
		r.Get("/users/{id}/posts", handler)
		r.Get("/users/{id:[0-9]+}/", handler)
		r.Get("/files/*", handler)
	}
	for _, shape := range []struct {
		name  string
		build func(r chi.Router, limit func(http.Handler) http.Handler)
	}{
		{"flat", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Use(limit)
			routes(r)
		}},
		{"mounted below the root's Use", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Use(limit)
			routes(r)
			r.Route("/api", func(r chi.Router) {
				r.Get("/", handler)
				items(r)
				r.Route("/v1", items)
			})
			r.Route("/orgs/{org}", items)
			r.Route("/any", func(r chi.Router) { r.Handle("/*", http.HandlerFunc(handler)) })
			r.Mount("/raw", http.HandlerFunc(handler))
		}},
		{"Use in the sub-router", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Route("/api", func(r chi.Router) {
				r.Use(limit)
				r.Get("/", handler)
				items(r)
				r.Route("/v1", func(r chi.Router) {
					items(r)
					r.Mount("/deep", chi.NewRouter().Route("/", func(r chi.Router) { r.Get("/*", handler) }))
				})
			})
			r.Route("/orgs/{org}", func(r chi.Router) {
				r.Use(limit)
				items(r)
				r.Route("/orgs/{sub}", items)
			})
			r.Route("/any", func(r chi.Router) {
				r.Use(limit)
				r.Handle("/*", http.HandlerFunc(handler))
			})
		}},
		{"Use in a sub-router of a sub-router", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Route("/api", func(r chi.Router) {
				r.Route("/v1", func(r chi.Router) {
					r.Use(limit)
					r.Get("/", handler)
					items(r)
					r.Route("/deep", items)
				})
			})
		}},
		{"With", func(r chi.Router, limit func(http.Handler) http.Handler) {
			routes(r.With(limit))
			r.Route("/api", func(r chi.Router) { items(r.With(limit)) })
		}},
		{"Group around Route", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Group(func(r chi.Router) {
				r.Use(limit)
				r.Get("/login", handler)
				r.Route("/api", func(r chi.Router) {
					r.Get("/", handler)
					r.With(middleware.NoCache).Route("/v1", items)
					items(r)
				})
				r.Route("/any", func(r chi.Router) { r.Get("/*", handler) })
			})
		}},
		{"Group around Route in a sub-router", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Route("/api", func(r chi.Router) {
				r.With(limit).Route("/v1", func(r chi.Router) {
					r.Get("/", handler)
					items(r)
				})
			})
		}},
		{"a route of the mount point's own", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Use(limit)
			r.Route("/both", func(r chi.Router) { r.Handle("/*", http.HandlerFunc(handler)) })
			r.Get("/both", handler)
			r.Post("/both/", handler)
		}},
		{"a mount at the root", func(r chi.Router, limit func(http.Handler) http.Handler) {
			r.Use(limit)
			sub := chi.NewRouter()
			routes(sub)
			r.Mount("/", sub)
			r.Post("/", handler)
		}},
	} {
		for _, before := range []struct {
			name string
			use  []func(http.Handler) http.Handler
		}{
			{"alone", nil},
			{"behind StripSlashes", []func(http.Handler) http.Handler{middleware.StripSlashes}},
			{"behind CleanPath", []func(http.Handler) http.Handler{middleware.CleanPath}},
			{"behind URLFormat", []func(http.Handler) http.Handler{middleware.URLFormat}},
			{"behind GetHead", []func(http.Handler) http.Handler{middleware.GetHead}},
			{"behind all", []func(http.Handler) http.Handler{middleware.CleanPath, middleware.StripSlashes, middleware.GetHead}},
		} {
			t.Run(shape.name+"/"+before.name, func(t *testing.T) {
				f := new(finder)
				limit := func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Said", f.pattern(chi.RouteContext(r.Context()), r))
						next.ServeHTTP(w, r)
					})
				}
				r := chi.NewRouter()
				r.Use(before.use...)
				shape.build(r, limit)
				handled := 0
				for _, m := range methods {
					for _, p := range paths {
						w := httptest.NewRecorder()
						r.ServeHTTP(w, httptest.NewRequest(m, p, nil))
						said, took := w.Header()["Said"], w.Header()["Took"]
						if said != nil && took != nil {
							handled++
						}
						switch {
						case said == nil: // it did not come past us
						case took != nil && said[0] != strings.ReplaceAll(took[0], "//*", "/*"): // see routePattern
							t.Errorf("%s %s reached %q, and we said %q", m, p, took[0], said[0])
						case took == nil && said[0] != "" && m != "HEAD":
							t.Errorf("%s %s reached no handler, and we said %q", m, p, said[0])
						}
					}
				}
				if handled < 3 {
					t.Errorf("only %d requests came past us and reached a handler", handled)
				}
			})
		}
	}
}
