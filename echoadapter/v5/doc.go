// Package echoadapter puts slidegate in front of an echo v5 server; for echo v4 there is echoadapter.
//
//	e := echo.New()
//	e.Use(echoadapter.New(limiter, keyfuncs.IP()))
//
// It translates echo's calling convention and decides nothing: keys, headers and refusals are those of package [nethttp],
// whose options New takes. echo's own context is a key too, by [Key].
//
// # Where to put it
//
// In Use, of the echo or of a group, or beside a route's handler. Order: Recover, RequestID, CORS, the limiter by address,
// authentication, the limiter by user. CORS goes before it, so that scripts can read a refusal. Not in e.Pre, which runs
// before echo routes: there no request has a pattern yet, and a table gives all of them "*".
//
// # Refusals
//
// [New] and [Wrap] write a refusal at once, in the same bytes as on any other router, and return no error. [Return] leaves
// it to echo's HTTPErrorHandler, for applications that render all errors in one place; the status and the headers are the
// same.
//
// # Routes
//
// Wrap puts echo's pattern into r.Pattern, where tables ([nethttp.Routes]) and [keyfuncs.Route] read it: "/users/:id", in
// echo's own notation. What matches no route has the pattern "", and shares one entry, "*". That is 404, also in a group
// with middleware, for which echo adds routes of its own; 405; and the OPTIONS that echo answers by itself.
//
// Two things to know:
//
//   - c.RealIP() is not asked. A Key that asks it believes the IPExtractor, and ExtractIPFromRealIPHeader tests the address
//     that the client names rather than the client's own. [keyfuncs.IP] is the address of the connection.
//   - With AutoHandleHEAD a HEAD is served by its GET handler, and gets its entry.
//
// [Verify] says which entries of a table match no route.
package echoadapter
