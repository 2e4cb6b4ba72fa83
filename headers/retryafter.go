package headers

import (
	"net/http"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
)

const retryAfterKey = "Retry-After"

// RetryAfter writes how long a client that was refused must wait, in seconds, rounded up and at least 1. Seconds, not
// a date, since they need no clock in the client.
//
// It writes nothing if res is allowed, or if its wait is [core.Never], which no value of the header can say. If h has
// a Retry-After already, in seconds or as a date, the longer stands.
func RetryAfter(h http.Header, res core.Result) {
	if res.Allowed || res.RetryAfter == core.Never {
		return
	}
	wait := max(seconds(res.RetryAfter), 1)
	if present := h.Get(retryAfterKey); present != "" && waitOf(present, res.At) >= wait {
		return
	}
	h[retryAfterKey] = []string{strconv.FormatInt(wait, 10)}
}

// waitOf is what a Retry-After of someone else says at a time, in seconds; 0 if it says nothing.
func waitOf(v string, at time.Time) int64 {
	if s, err := strconv.ParseInt(v, 10, 64); err == nil {
		return s
	}
	if t, err := http.ParseTime(v); err == nil {
		return seconds(t.Sub(at))
	}
	return 0
}
