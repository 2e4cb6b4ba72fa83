// Package chiadapter puts slidegate in front of a chi router.
//
//	r := chi.NewRouter()
//	r.Use(chiadapter.New(limiter, keyfuncs.IP()))
//
// It translates chi's calling convention and decides nothing: keys, headers and refusals are those of package
// [nethttp], whose options New takes.
//
// # Where to put it
//
// In Use, at the root or in a sub-router, or in With and Group. Order: recoverer, request ID, CORS, the limiter by address,
// authentication, the limiter by user. CORS goes before it, so that scripts can read a refusal.
//
// # Routes
//
// The middleware of Use runs before chi routes, so that neither r.Pattern nor RoutePattern says anything yet, or only as
// much as chi has routed so far. Wrap finds the route that chi is going to take, and puts its whole pattern into r.Pattern:
// "/api/items/{id}", from the root, without a slash at the end, also inside a sub-router. Tables ([nethttp.Routes]) and
// [keyfuncs.Route] read it there. What matches no route, 404 or 405, has the pattern "", and shares one entry, "*".
//
// Three things to know:
//
//   - Middleware that changes the path, StripSlashes, CleanPath or URLFormat, must stand before the limiter. What stands
//     behind it cannot be known, and a request could then reach a handler past its entry in a table. (GetHead may stand on
//     either side.) One that changes the method by which chi routes must change r.Method too, by which tables go.
//   - A router that is mounted inside another handler, r.Mount("/api", wrap(sub)), cannot be seen from outside, as
//     [chi.Walk] cannot see it: all of it has the pattern "/api/*". Give sub its middleware by sub.Use, and mount it itself.
//   - Routes are read at the first request. Add them before, as chi itself demands.
//
// [Verify] says which entries of a table match no route.
package chiadapter
