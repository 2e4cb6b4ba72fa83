// Package nethttp limits the requests that a net/http server answers, and is the engine behind the adapters to other
// routers.
//
// One line puts a limiter in front of everything. Who is counted, the key, is always said:
//
//	limiter := core.MustNew(store, core.PerMinute(100))
//	h := nethttp.New(limiter, keyfuncs.IP()).Handler(mux)
//
// # Routes
//
// A table gives routes limits of their own. Its keys are the mux's own patterns, so that no spelling of a path, such
// as //login, is a way around:
//
//	table := nethttp.Routes{
//		"POST /login": nethttp.New(login, keyfuncs.IP()),
//		"GET /search": nethttp.New(search, keyfuncs.APIKey("X-API-Key")),
//		"/healthz":    nethttp.Unlimited,
//		"*":           nethttp.New(rest, keyfuncs.IP()),
//	}
//	h := table.Handler(mux)
//
// # Tiers
//
// [Choose] picks a guard by request, and stands wherever a guard does, in a table too. Where only numbers differ, and
// live in the customer's record, [Limits] takes them from there:
//
//	byPlan := nethttp.Choose(func(r *http.Request) nethttp.Guard {
//		if plan(r) == "pro" {
//			return pro
//		}
//		return free
//	})
//
// # Refusals
//
// A request over its limit is answered 429, with Retry-After, and with a problem in JSON (RFC 9457) whose
// retry_after_ms is exact: who waits so long is admitted if nobody else spends the key. It is null, and there is no
// Retry-After, for a request that costs more than its limit ever admits. If the store does not answer and the limiter
// fails closed, it is 503; without a key 400, see [NoKey]. A fault of the server, such as a key function that fails,
// is 500; its cause goes to the limiter's observers, where there is a limiter, and never to the client.
//
// [Deny] writes refusals in another form, [Headers] says in which headers clients read of their limits, and [Denial]
// is what a refusal is in Go.
//
// # Where it stands
//
// From outside in: what recovers from panics; request ids; CORS; a coarse limit by address; authentication; the
// limits of authenticated clients; the handlers. A refusal from outside of CORS is unreadable to browsers, and there
// CORS has to expose the headers: Access-Control-Expose-Headers: Retry-After and those of the style. Where the
// limiter must be outside, let real preflights pass by [Skip], but not all OPTIONS, which would be a way to flood.
// [http.TimeoutHandler] belongs inside.
//
// A request is counted once, when it begins: a WebSocket or a stream is one request. Bodies that are not read are the
// server's: set its ReadTimeout and ReadHeaderTimeout.
//
// # Other routers
//
// An adapter puts its router's pattern into r.Pattern, calls [Begin], and on an error [Refuse]. It decides nothing,
// so that a refusal is the same on every router.
package nethttp
