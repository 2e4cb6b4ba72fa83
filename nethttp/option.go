package nethttp

import (
	"fmt"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
)

// Option changes what a [Middleware] does. Of an option that is given twice, the last one counts. Functions in
// options are called on the goroutine of the request, many at once.
type Option func(*config)

type config struct {
	skip   func(*http.Request) bool
	limits func(*http.Request) core.Limits
	cost   func(*http.Request) int64
	deny   func(http.ResponseWriter, *http.Request, *Denial)
	style  headers.Style
	noKey  int
	share  bool
}

// Cost has f say what a request costs, 1 without it: 10 for an export, 0 to charge nothing and admit while the client
// is within its limit. One above a limit is refused for ever, without Retry-After. A negative cost is a mistake: the
// request is refused with status 500. f must not read the body: that would let a client that is to be refused send it
// all.
func Cost(f func(*http.Request) int64) Option {
	if f == nil {
		panic("nethttp: Cost: the function is nil")
	}
	return func(c *config) { c.cost = f }
}

// Limits has f say the limits of a request, from the customer's record, in place of the limiter's own; none, to keep
// those. Name, store and counts stay the limiter's, and counts carry over where the windows are the same: see
// [core.Limiter.With]. Limits that are not valid refuse the request with status 500.
func Limits(f func(*http.Request) core.Limits) Option {
	if f == nil {
		panic("nethttp: Limits: the function is nil")
	}
	return func(c *config) { c.limits = f }
}

// Deny has f write the response of a refusal. Headers about limits, and Retry-After, are set by then. To write the
// response that would have been written, after a change to the header or a line in a log, f calls d.ServeHTTP; else it
// should use d.StatusCode, and keep d.Err to itself. What d.ServeHTTP adds, f then must: Cache-Control, and with 401
// WWW-Authenticate. An f that writes nothing answers 200, as any handler does.
func Deny(f func(w http.ResponseWriter, r *http.Request, d *Denial)) Option {
	if f == nil {
		panic("nethttp: Deny: the function is nil")
	}
	return func(c *config) { c.deny = f }
}

// Headers says in which headers clients read of their limits: [headers.XRateLimit] by default, [headers.None] for
// none.
func Headers(s headers.Style) Option {
	if s == nil {
		panic("nethttp: Headers: the style is nil; headers.None writes none")
	}
	return func(c *config) { c.style = s }
}

// Skip exempts the requests for which f returns true. They are not counted and get no headers.
func Skip(f func(*http.Request) bool) Option {
	if f == nil {
		panic("nethttp: Skip: the function is nil")
	}
	return func(c *config) { c.skip = f }
}

// NoKey is the status of a request without a key: 400 by default, and any other of a client's fault, 400 to 499.
//
// With 401 a response must say how to authenticate. If its header holds no WWW-Authenticate by then, it is "Bearer";
// for another scheme, set it in [Deny] and call d.ServeHTTP.
func NoKey(status int) Option {
	if status < 400 || status > 499 || http.StatusText(status) == "" {
		panic(fmt.Sprintf("nethttp: NoKey: status must be a known one from 400 to 499, got %d", status))
	}
	return func(c *config) { c.noKey = status }
}

// ShareResult has the handler find the decision by [ResultFrom]. Without it there is none, since a context that
// carries it costs more than the rest of the middleware.
func ShareResult() Option {
	return func(c *config) { c.share = true }
}
