package echoadapter_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/echoadapter"
	"github.com/slidegate/slidegate/internal/adaptertest"
	"github.com/slidegate/slidegate/nethttp"
)

var pattern = strings.NewReplacer("{id}", ":id", "{path...}", "*").Replace

// router is echo as the suite sees it.
type router struct {
	*echo.Echo
	group *echo.Group // nil for the echo itself
}

func (r router) Use(g nethttp.Guard) {
	if r.group == nil {
		r.Echo.Use(echoadapter.Wrap(g))
		return
	}
	r.group.Use(echoadapter.Wrap(g))
}

func (r router) Handle(method, p string, h http.HandlerFunc) {
	add := r.Echo.Add
	if r.group != nil {
		add = r.group.Add
	}
	add(method, pattern(p), echo.WrapHandler(h))
}

func (r router) Mount(prefix string, build func(adaptertest.Router)) {
	build(router{r.Echo, r.Echo.Group(prefix)})
}

func TestSuite(t *testing.T) {
	adaptertest.Run(t, adaptertest.Adapter{
		New:     func() adaptertest.Router { return router{Echo: echo.New()} },
		Pattern: pattern,
	})
}
