package chiadapter_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/slidegate/slidegate/chiadapter"
	"github.com/slidegate/slidegate/internal/adaptertest"
	"github.com/slidegate/slidegate/nethttp"
)

var pattern = strings.NewReplacer("{path...}", "*").Replace

// router is chi as the suite sees it.
type router struct{ chi.Router }

func (r router) Use(g nethttp.Guard) { r.Router.Use(chiadapter.Wrap(g)) }

func (r router) Handle(method, p string, h http.HandlerFunc) { r.Method(method, pattern(p), h) }

func (r router) Mount(prefix string, build func(adaptertest.Router)) {
	r.Route(prefix, func(sub chi.Router) { build(router{sub}) })
}

func TestSuite(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []func(http.Handler) http.Handler
	}{
		{"as it is", nil},
		{"behind StripSlashes", []func(http.Handler) http.Handler{middleware.StripSlashes}},
		{"behind CleanPath", []func(http.Handler) http.Handler{middleware.CleanPath}},
		{"behind URLFormat", []func(http.Handler) http.Handler{middleware.URLFormat}},
		{"behind GetHead", []func(http.Handler) http.Handler{middleware.GetHead}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			adaptertest.Run(t, adaptertest.Adapter{
				New: func() adaptertest.Router {
					r := chi.NewRouter()
					r.Use(tt.before...)
					return router{r}
				},
				Pattern: pattern,
			})
		})
	}
}
