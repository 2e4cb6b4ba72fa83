package keyfuncs

import (
	"net/http"
	"strings"
)

// Route is the route that a request matched, not its path: "GET /users/{id}". Paths are the clients' to choose, and
// there is no end of them; routes are the router's. Alone it limits what a route takes from all clients together; for
// each client on each route, [Compose] it with who that is.
//
// A pattern that names its method is the key as it is; before any other stands the request's. HEAD counts as GET, and
// methods that HTTP does not define count as one, so that there are as few keys as routes, whatever clients send. All
// requests that match no route share the key "unmatched".
//
// It reads [http.Request.Pattern], which net/http sets once it has found the handler: a limiter outside of the router
// must be told the pattern, as the packages nethttp and those for routers do.
func Route() Func { return route }

func route(r *http.Request) (string, error) {
	if r.Pattern == "" {
		return "unmatched", nil
	}
	// A method ends with a space, before the path begins; routers other than net/http's allow spaces in paths.
	if i := strings.IndexAny(r.Pattern, " \t/"); i > 0 && r.Pattern[i] != '/' {
		return r.Pattern, nil
	}
	return method(r.Method) + " " + r.Pattern, nil
}

func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect,
		http.MethodOptions, http.MethodTrace:
		return m
	case http.MethodHead, "": // "" is GET in a request that was not read from a connection
		return http.MethodGet
	}
	return "OTHER"
}
