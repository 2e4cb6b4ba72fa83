package nethttp

import (
	"errors"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Denial is a refusal: an error that knows its status and how to write itself. Refuse writes it; [Deny] changes how.
type Denial struct {
	// Result is the decision. It is zero if there was none, as for a request without a key.
	Result core.Result
	// Err says why there was no decision, or that the store did not make it. It is for logs, and no client sees it.
	// It is nil if the request was over its limit.
	Err error

	status int // 0: worked out from the fields above
	deny   func(http.ResponseWriter, *http.Request, *Denial)
}

// Error is for logs: it holds Err, and numbers of the limit.
func (d *Denial) Error() string {
	switch {
	case d.Err != nil:
		return "nethttp: refused: " + d.Err.Error()
	case d.Result.Policy != "":
		return "nethttp: " + d.Result.String()
	}
	return "nethttp: refused"
}

// Unwrap is Err.
func (d *Denial) Unwrap() error { return d.Err }

// StatusCode is the status of the response:
//
//   - 429: the request is over its limit;
//   - 503: the store did not answer, and the limiter is [core.FailClosed];
//   - 400, or what [NoKey] says: the request has no key;
//   - 500: any other error.
func (d *Denial) StatusCode() int {
	switch {
	case d.status != 0:
		return d.status
	case d.Result.Degraded || errors.Is(d.Err, core.ErrStore):
		return http.StatusServiceUnavailable
	case d.Err == nil:
		return http.StatusTooManyRequests
	case errors.Is(d.Err, keyfuncs.ErrNoKey):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// ServeHTTP writes the refusal as application/problem+json (RFC 9457), not to be stored by caches. It does not write
// the headers about limits, nor Retry-After, which Check has set, and does not look at [Deny]: that is Refuse's.
func (d *Denial) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h, status := w.Header(), d.StatusCode()
	values := [...]string{"application/problem+json", "no-store"}
	h["Content-Type"], h["Cache-Control"] = values[0:1:1], values[1:2:2]
	if status == http.StatusUnauthorized && h.Get("Www-Authenticate") == "" {
		h.Set("Www-Authenticate", "Bearer") // RFC 9110, section 15.5.2: a 401 must have a challenge
	}
	h.Del("Content-Length") // of other content; net/http works out ours, for HEAD too, whose body it drops
	w.WriteHeader(status)
	w.Write(d.appendProblem(make([]byte, 0, 384), status)) // an error is the client's going away
}

// Refuse answers r with err: as its *[Denial] says, in the way of [Deny] if there is one. Any other error, nil too,
// is a fault of the server: it is status 500, and the client reads nothing of it.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	d, ok := errors.AsType[*Denial](err)
	switch {
	case !ok || d == nil:
		(&Denial{Err: err, status: http.StatusInternalServerError}).ServeHTTP(w, r)
	case d.deny != nil:
		d.deny(w, r, d)
	default:
		d.ServeHTTP(w, r)
	}
}
