// Package ginadapter puts slidegate in front of a gin engine.
//
//	g := gin.New()
//	g.Use(ginadapter.New(limiter, keyfuncs.IP()))
//
// It translates gin's calling convention and decides nothing: keys, headers and refusals are those of package [nethttp],
// whose options New takes. gin's own context is a key too, by [Key].
//
// # Where to put it
//
// In Use, of the engine or of a group, or beside a route's handler. Order: gin.Recovery, request ID, CORS, the limiter by
// address, authentication, the limiter by user. CORS goes before it, so that scripts can read a refusal.
//
// # Refusals
//
// A refusal is written at once, in the same bytes as on any other router. It is also added to c.Errors, where
// [errors.As] finds the [nethttp.Denial] for a log, and the handlers behind are not called.
//
// # Routes
//
// Wrap puts c.FullPath() into r.Pattern, where tables ([nethttp.Routes]) and [keyfuncs.Route] read it: "/users/:id", in
// gin's own notation. What matches no route has the pattern "", and shares one entry, "*": engine.Use runs for it too, but
// a group's does not.
//
// Four things to know:
//
//   - c.ClientIP() is not asked, and a Key should not ask it: a new engine trusts every proxy, so that each client can say
//     which address it wants to be. [keyfuncs.IP] is the address of the connection.
//   - [nethttp.ResultFrom] is asked with c.Request.Context(): c is a context too, but not the one that has the result.
//   - gin answers what it redirects, "/users/" to "/users", before any middleware. Such answers are not limited.
//   - gin has no HEAD for a GET route. Where HEAD is registered, it gets the entry of GET unless it has one of its own.
//
// [Verify] says which entries of a table match no route.
package ginadapter
