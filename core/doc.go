// Package core is the limiter: it decides whether a key may spend, now, and says exactly when it may if not.
//
// A [Limiter] is made of a [Store], which holds the counts, and of one or more limits:
//
//	limiter := core.MustNew(memstore.New(), core.PerMinute(100))
//	res, err := limiter.Allow(ctx, "alice")
//
// Act on res.Allowed whatever err is: if the store did not answer, the limiter's [FailureMode] has decided already. The
// other fields of [Result] are what a client wants to know: how much is left, when to come back, when all is whole again.
// They are exact, and not a guess on the safe side.
//
// # What a limiter is made of
//
// Options are values, so that a limiter reads as what it is:
//
//	login := core.MustNew(store,
//		core.Name("login"),     // in keys, headers and events
//		core.PerMinute(5),      // both limits must admit,
//		core.PerHour(20),       // or neither is charged
//		core.FailClosed,        // without its store, refuse
//	)
//
// [New] reports every mistake at once, by name and with its value, and asks nothing of the store.
//
// # What a limit means
//
// A refused request is charged nothing, so that hammering does not lengthen the wait. With limit L and window W:
//
//   - [SlidingWindow], the default, keeps two counters and weights the previous window by the share of it that is still
//     within the last W. In any interval of length d it admits at most L*(1 + d/W).
//   - [SlidingLog] keeps every charge, and admits at most L in any W. It takes limits of up to 10,000.
//   - [FixedWindow] begins each window whole, aligned to the clock of the store: a quota a day. Around a boundary it
//     admits up to 2L.
//
// The formulas are in the package internal/window, and they are the same for every store.
//
// # Time
//
// Counts go by the clock of the store, which for Redis is the server's: clocks of application servers do not matter.
// All times are whole milliseconds. A clock that steps back never makes an answer wrong: who is told to wait a time is
// admitted after it by that clock.
//
// # Stores
//
// memstore counts in this process; redisstore counts in Redis, Valkey or Redis Cluster, for all processes together.
// Another store implements [Store] and is tested by the package storetest.
package core
