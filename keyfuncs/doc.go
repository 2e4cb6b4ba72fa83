// Package keyfuncs says who a request is counted as.
//
// A limiter counts by key, and a [Func] finds the key of a request. Which one to choose is the question that decides
// what a limit protects:
//
//	keyfuncs.IP()                                        // each address: strangers, logins, what is not verified yet
//	keyfuncs.User(userID)                                // each user, as your authentication has found out
//	keyfuncs.APIKey("X-API-Key")                         // each key of an API
//	keyfuncs.First(keyfuncs.User(userID), keyfuncs.IP()) // users by name, everyone else by address
//	keyfuncs.Compose(keyfuncs.IP(), keyfuncs.Route())    // each address on each route
//	keyfuncs.Const("exports")                            // all requests together: a limit of what the service can bear
//
// # A key that clients choose is no limit
//
// Whoever sends another key is another client. An API key, a token, a cookie or a user name that nobody has verified
// yet is whatever the client says, and a client that makes up a new one each time is never refused; one that sends
// someone else's name spends that one's limit. So limit by [IP] in front of authentication, and by what was verified
// behind it:
//
//	limit by IP -> authenticate -> limit by user or API key -> handler
//
// For the same reason no function here reads X-Forwarded-For, and an IPv6 address is counted with its network, all of
// which one client owns: see [IP].
//
// # Secrets
//
// What [APIKey], [Bearer], [Query], [Cookie] and [BasicUser] find is hashed, to 128 bits of SHA-256, before it goes
// anywhere, so that no store, dump or log has it. A hash hides what cannot be guessed: a random token, not a user
// name.
//
// Where a request has several values that differ, such as two lines of X-API-Key, there is no key: what verifies them
// may read another one than is counted here. Only of cookies it is the first; see [Cookie].
//
// # Keys of different kinds
//
// A key says what kind it is, so that a user called "203.0.113.9" is not counted with that address, nor an API key
// with a cookie of the same text:
//
//	203.0.113.9  2001:db8:1:2::/64         IP
//	key:qaXV3tItyMgytLgJVJ4O7A             APIKey; bearer:, query:, cookie: and basic: are the other hashes
//	user:alice                             User
//	GET /users/{id}  unmatched             Route
//	11:203.0.113.9,10:user:alice,          Compose: the parts, each with its length
//
// [Const] is as you write it.
//
// # No key
//
// A request without a key is [ErrNoKey], never a key that all such requests share: with an empty key, one client
// could spend the limit of all others who have none. What has no key is refused, or gets another by [First].
// [ErrSkip] exempts. Remember what carries no credentials: the preflights of browsers, health checks.
//
// # A key of your own
//
// Any function of that signature is a Func. It runs for every request, in front of everything else: it must be quick,
// safe for concurrent use, and leave the body alone. A key is compared byte by byte: if your users are the same in
// any case, as e-mail addresses are, fold it.
package keyfuncs
