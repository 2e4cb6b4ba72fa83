// Package headers tells clients about their limit, in response headers.
//
// A [Style] writes the headers of one decision, on allowed and refused responses alike, so that a client can slow
// down before it is refused. Retry-After is no matter of style: [RetryAfter] writes it on every refusal.
//
// # Which style
//
// Headers for this have no standard yet. Choose by what your clients read:
//
//   - [XRateLimit], the default, is what GitHub, GitLab, X and most clients know: three headers, and a reset as a
//     time in epoch seconds.
//   - [XRateLimitDelta] has the seconds until the reset instead of the time. It needs no clock in the client, but
//     many clients take the number for a time.
//   - [Draft11] is the IETF's draft, in its revision 11. It is the only one that can tell of several limits. Each
//     revision so far has changed what is on the wire, so a style is named for its revision and will not change.
//   - [None] tells nothing, for an API that does not want to show its capacity to strangers.
//
// The same decision of a limiter of 100 a minute is in XRateLimit and in Draft11:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 42
//	X-RateLimit-Reset: 1767225685
//
//	RateLimit-Policy: "default";q=100;w=60
//	RateLimit: "default";r=42;t=85
//
// [Join] writes several of them, such as the old one and the new one while clients move.
//
// # What the numbers promise
//
// Everything is rounded against the client, times up, so that a client that obeys is never early. What is left is
// what was left at the decision, and no reservation: another request of the same client may have spent it since.
//
// If the limiter's store did not answer, or was not asked because the request costs more than its limit will ever
// admit, then what is left and when it is whole are unknown. The limit is written and the rest left out.
//
// # Limiters behind one another
//
// Several limiters may write to one response: one for all routes and one for a login, or one in a gateway and one in
// the service. No style makes what is there more permissive. Of X-RateLimit values the stricter stand, all three from
// one limiter: those with fewer remaining; if equal, those with the later reset. That holds for a refusal too, where
// a client may be far from the limit that refuses, but nearer to being refused by another. A value that is not a
// number loses. Draft11's lists are joined. Of two Retry-After the longer stands. Give limiters that stand behind one
// another the same style.
//
// # Browsers
//
// Scripts from another origin see none of these headers unless the response lists them:
//
//	Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset
//
// with RateLimit and RateLimit-Policy in their place for Draft11. A refusal needs it too, and
// Access-Control-Allow-Origin, or the script sees a network error instead of a 429: put the CORS middleware outside,
// the limiter inside.
package headers
