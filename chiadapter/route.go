package chiadapter

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-chi/chi/v5"
)

// finder says which route chi is going to take, before it does: middleware that Use adds runs before routing.
type finder struct{ root atomic.Pointer[router] }

// pattern is what [routePattern] will be when r reaches its handler; "" if it will reach none.
//
// It goes on from where chi is, by the routers and the path that chi itself will use next. To search from the root for
// the request's path instead would be wrong behind StripSlashes or CleanPath, which send chi by another path than the
// request's, and to give RoutePath to the root is wrong in every sub-router, where it is a remainder.
func (f *finder) pattern(rctx *chi.Context, r *http.Request) string {
	method := rctx.RouteMethod // what GetHead makes of a HEAD
	if method == "" {
		method = r.Method
	}
	at, end := f.router(rctx.Routes).follow(rctx.RoutePatterns, method)
	if end {
		return routePattern(rctx) // With put us around the handler: chi has decided
	}
	path := nextPath(rctx, r)
	pattern := at.find(rctx.RoutePatterns, method, path)
	if pattern == "" && method == http.MethodHead {
		// A GetHead that comes after us will make it a GET.
		pattern = at.find(rctx.RoutePatterns, http.MethodGet, path)
	}
	return pattern
}

// routePattern is RoutePattern, but for a catch-all at the root of a mount: chi enters a mount at "/files" by "/files/*",
// "/files" or "/files/", and RoutePattern says "/files//*" of the last one. It is the same route, so it must have the
// same name: else a slash at the end would be a way around the table's entry.
func routePattern(rctx *chi.Context) string {
	for i, p := range rctx.RoutePatterns {
		if i+1 < len(rctx.RoutePatterns) && strings.HasSuffix(p, "/") {
			patterns := slices.Clone(rctx.RoutePatterns)
			for j := range patterns[:len(patterns)-1] {
				patterns[j] = strings.TrimSuffix(patterns[j], "/")
			}
			return (&chi.Context{RoutePatterns: patterns}).RoutePattern()
		}
	}
	return rctx.RoutePattern()
}

// nextPath is the path by which chi will route next.
func nextPath(rctx *chi.Context, r *http.Request) string {
	passed := len(rctx.RoutePatterns)
	switch {
	case passed > 0 && !strings.HasSuffix(rctx.RoutePatterns[passed-1], "*"):
		return "/" // a mount point itself
	case passed > 0 && rctx.URLParam("*") != "":
		return "/" + rctx.URLParam("*") // on the way into a mount: With or Group around Mount
	case rctx.RoutePath != "":
		return rctx.RoutePath
	case passed > 0 || r.URL.Path == "":
		return "/"
	case r.URL.RawPath != "":
		return r.URL.RawPath
	}
	return r.URL.Path
}

// router is a chi router and what is mounted on it, by the patterns by which chi enters a mount: "/api", "/api/" and
// "/api/*". [chi.Routes.Find] does not go on from the first two, though chi does.
type router struct {
	chi.Routes
	mounts map[string]mount
}

type mount struct {
	*router
	own map[string]http.Handler // by method: routes added at the mount point itself, which chi prefers
}

// router is root with its mounts. They are read once: chi takes no routes while it serves.
func (f *finder) router(root chi.Routes) *router {
	if known := f.root.Load(); known != nil && known.Routes == root {
		return known
	}
	read := newRouter(root)
	f.root.Store(read)
	return read
}

func newRouter(routes chi.Routes) *router {
	rt := &router{routes, map[string]mount{}}
	all := routes.Routes()
	for _, route := range all {
		if route.SubRoutes == nil {
			continue
		}
		m := mount{router: newRouter(route.SubRoutes)}
		dir := strings.TrimSuffix(route.Pattern, "*")
		rt.mounts[route.Pattern], rt.mounts[dir], rt.mounts[strings.TrimSuffix(dir, "/")] = m, m, m
	}
	for _, route := range all {
		if m, ok := rt.mounts[route.Pattern]; ok && route.SubRoutes == nil {
			m.own = route.Handlers
			rt.mounts[route.Pattern] = m
		}
	}
	return rt
}

// follow goes down the mounts that patterns name. It reports whether they end at a route.
func (rt *router) follow(patterns []string, method string) (last *router, end bool) {
	for _, p := range patterns {
		m, ok := rt.mounts[p]
		if !ok || m.own[method] != nil {
			return rt, true
		}
		rt = m.router
	}
	return rt, false
}

var contexts = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// find is the whole pattern of the route that path takes from rt, to which chi has come by passed.
func (rt *router) find(passed []string, method, path string) string {
	rctx := contexts.Get().(*chi.Context)
	defer contexts.Put(rctx)
	rctx.Reset()
	rctx.RoutePatterns = append(rctx.RoutePatterns, passed...)
	for {
		found := rt.Find(rctx, method, path)
		if found == "" {
			return ""
		}
		var end bool
		switch rt, end = rt.follow(rctx.RoutePatterns[len(passed):], method); {
		case end && len(passed) == 0 && found != "/": // the usual case, without RoutePattern's two allocations
			return strings.TrimSuffix(strings.TrimSuffix(found, "//"), "/")
		case end:
			return routePattern(rctx)
		}
		passed, path = rctx.RoutePatterns, "/"
	}
}
