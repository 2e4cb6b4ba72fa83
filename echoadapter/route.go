package echoadapter

import (
	"sync/atomic"

	"github.com/labstack/echo/v4"
)

// finder tells the pattern of a route from what else echo has in c.Path().
type finder struct{ known atomic.Pointer[notFound] }

// notFound is the patterns of an echo at which there is a handler for what is not found, and no route.
type notFound struct {
	echo     *echo.Echo
	patterns map[string]bool
}

// pattern is the pattern of the route that echo has found for c; "" if it has found none.
//
// c.Path() is not that: for 405 it is the pattern of the other methods, and for 404 in a group with middleware it is the
// group's own "/group/*".
func (f *finder) pattern(c echo.Context) string {
	p := c.Path()
	if p == "" || c.Get(echo.ContextKeyHeaderAllow) != nil || f.notFound(c.Echo())[p] {
		return ""
	}
	return p
}

// notFound is read once: echo's routes must not change while it serves.
func (f *finder) notFound(e *echo.Echo) map[string]bool {
	if known := f.known.Load(); known != nil && known.echo == e {
		return known.patterns
	}
	patterns := map[string]bool{}
	for _, route := range allRoutes(e) {
		only, seen := patterns[route.Path]
		patterns[route.Path] = route.Method == echo.RouteNotFound && (only || !seen)
	}
	f.known.Store(&notFound{e, patterns})
	return patterns
}

// allRoutes is the routes of all of e's hosts.
func allRoutes(e *echo.Echo) []*echo.Route {
	routes := e.Routes()
	for _, host := range e.Routers() {
		routes = append(routes, host.Routes()...)
	}
	return routes
}
