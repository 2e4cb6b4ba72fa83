package nethttp

import (
	"errors"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Middleware is the [Guard] of one limiter. It is safe for concurrent use.
type Middleware struct {
	limiter *core.Limiter
	key     keyfuncs.Func
	config
}

// New is a guard that asks limiter about each request, under the key that key finds for it.
//
// It panics if limiter or key is nil, as options do that are given nil or a status that makes no sense: programming
// mistakes, to be seen when the program starts.
func New(limiter *core.Limiter, key keyfuncs.Func, opts ...Option) *Middleware {
	if limiter == nil {
		panic("nethttp: New: the limiter is nil")
	}
	if key == nil {
		panic("nethttp: New: the key function is nil; keyfuncs.IP() counts by address")
	}
	m := &Middleware{limiter, key, config{style: headers.XRateLimit, noKey: http.StatusBadRequest}}
	for _, o := range opts {
		if o == nil {
			panic("nethttp: New: an option is nil")
		}
		o(&m.config)
	}
	return m
}

// Handler is next behind m: [Handler] of the two.
func (m *Middleware) Handler(next http.Handler) http.Handler { return Handler(m, next) }

// Check implements [Guard]. It decides for r, charges the limiter if it admits, and sets the headers of the style in
// h, and Retry-After in a refusal. An error is always a *[Denial].
func (m *Middleware) Check(h http.Header, r *http.Request) error {
	_, _, err := m.Begin(h, r)
	return err
}

// Begin implements [Settler]. Its done is nil: what is admitted stays charged, however the request ends.
func (m *Middleware) Begin(h http.Header, r *http.Request) (done func(status int), res core.Result, err error) {
	done, res, _, err = begin(m, h, r)
	return done, res, err
}

// decide returns the decision, zero if r is exempt or none could be made.
//
// The request's own context goes to the limiter, for its values: core does not let a client that hangs up stop the
// decision.
func (m *Middleware) decide(h http.Header, r *http.Request) (core.Result, error) {
	if m.skip != nil && m.skip(r) {
		return core.Result{}, nil
	}
	key, err := m.key(r)
	if err == nil && key == "" {
		err = keyfuncs.ErrNoKey // never a bucket that all who have no key share
	}
	switch {
	case errors.Is(err, keyfuncs.ErrSkip):
		return core.Result{}, nil
	case errors.Is(err, keyfuncs.ErrNoKey):
		m.limiter.Report(r.Context(), core.Event{Kind: core.Decided, Code: CodeNoKey, Err: err})
		return core.Result{}, m.denial(core.Result{}, err, m.noKey)
	case err != nil:
		return core.Result{}, m.fault(r, CodeKey, "the key function failed, so that its requests are refused", err)
	}
	limiter := m.limiter
	if m.limits != nil {
		if limits := m.limits(r); len(limits) > 0 {
			if limiter, err = m.limiter.With(limits...); err != nil {
				return core.Result{}, m.fault(r, CodeLimits, "the function of Limits returned limits that are not valid, and the request was refused", err)
			}
		}
	}
	cost := int64(1)
	if m.cost != nil {
		cost = m.cost(r)
	}
	res, err := limiter.AllowN(r.Context(), key, cost)
	if err != nil && !errors.Is(err, core.ErrStore) {
		// A negative cost; core has reported it.
		return core.Result{}, m.denial(core.Result{}, err, http.StatusInternalServerError)
	}
	m.style.Write(h, res)
	if res.Allowed {
		return res, nil
	}
	headers.RetryAfter(h, res)
	status := http.StatusTooManyRequests
	if res.Degraded {
		status = http.StatusServiceUnavailable // the client did nothing wrong
	}
	return res, m.denial(res, err, status)
}

// CodeNoKey is the code of the [core.Decided] event of a request that was refused because it has no key.
const CodeNoKey = "no-key"

// Codes of the [core.Misconfigured] events of a Middleware. A request that they are about was refused with status 500.
const (
	CodeKey    = "key"    // the key function returned an error, in Err, that is neither ErrNoKey nor ErrSkip
	CodeLimits = "limits" // the function of Limits returned some that the limiter cannot use
)

// fault lets the operator know what the client is not told.
func (m *Middleware) fault(r *http.Request, code, message string, err error) error {
	m.limiter.Report(r.Context(), core.Event{Kind: core.Misconfigured, Code: code, Message: message, Err: err})
	return m.denial(core.Result{}, err, http.StatusInternalServerError)
}

func (m *Middleware) denial(res core.Result, err error, status int) error {
	return &Denial{Result: res, Err: err, status: status, deny: m.deny}
}
