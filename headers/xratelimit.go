package headers

import (
	"net/http"
	"strconv"

	"github.com/slidegate/slidegate/core"
)

var (
	// XRateLimit is X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, which is the time at which the
	// whole limit is available again if nothing more is spent, in seconds since the epoch, by the store's clock. Of
	// several limits it tells the one that [core.Result] speaks of.
	XRateLimit Style = xRateLimit{}

	// XRateLimitDelta is XRateLimit with X-RateLimit-Reset in seconds from the decision.
	XRateLimitDelta Style = xRateLimit{delta: true}
)

// The names in the form in which http.Header holds them, so that h can be read and written as the map that it is.
const (
	limitKey     = "X-Ratelimit-Limit"
	remainingKey = "X-Ratelimit-Remaining"
	resetKey     = "X-Ratelimit-Reset"
)

type xRateLimit struct{ delta bool }

// Write makes two allocations: one string that holds all values, and one array that all their slices are cut from.
func (x xRateLimit) Write(h http.Header, res core.Result) {
	if res.Policy == "" {
		return // no limiter has decided
	}
	reset, known := x.reset(res), counted(res)
	if stricter(h, res.Remaining, reset, known) {
		return
	}
	var buf [3 * 15]byte
	b := strconv.AppendInt(buf[:0], integer(res.Limit.Requests), 10)
	if !known {
		h[limitKey] = []string{string(b)}
		delete(h, remainingKey) // they are of no use, or stricter would have said so
		delete(h, resetKey)
		return
	}
	i := len(b)
	b = strconv.AppendInt(b, integer(res.Remaining), 10)
	j := len(b)
	b = strconv.AppendInt(b, reset, 10)

	// Each slice's capacity is cut to its length: whoever appends to one copies it, and never writes over the next.
	all := string(b)
	values := []string{all[:i], all[i:j], all[j:]}
	h[limitKey], h[remainingKey], h[resetKey] = values[0:1:1], values[1:2:2], values[2:3:3]
}

func (x xRateLimit) reset(res core.Result) int64 {
	if x.delta {
		return integer(seconds(res.ResetAfter))
	}
	t := res.At.Add(res.ResetAfter)
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return integer(s)
}

// stricter reports whether the values that h holds already are at least as strict as ours, which may be unknown. What
// is no number is no value: a client cannot heed it.
func stricter(h http.Header, remaining, reset int64, known bool) bool {
	if len(h[remainingKey]) == 0 {
		return false // as nearly always; parsing nothing would allocate an error
	}
	present, err := strconv.ParseInt(h.Get(remainingKey), 10, 64)
	switch {
	case err != nil:
		return false
	case !known || present < remaining:
		return true
	case present > remaining:
		return false
	}
	present, err = strconv.ParseInt(h.Get(resetKey), 10, 64)
	return err == nil && present >= reset
}
