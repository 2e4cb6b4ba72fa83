package headers

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/slidegate/slidegate/core"
)

// Draft11 is RateLimit-Policy and RateLimit by draft-ietf-httpapi-ratelimit-headers-11, with an item for each of the
// limiter's limits:
//
//	RateLimit-Policy: "login-1m";q=5;w=60, "login-1h";q=20;w=3600
//	RateLimit: "login-1m";r=3;t=95, "login-1h";r=18;t=6200
//
// q is the limit and w its window in seconds. The draft knows no fractions, so a window is rounded up: a client that
// heeds 10 in 500 ms as 10 in a second is too slow and not too fast. r is what is left, and t the effective window,
// "the number of seconds within which the client can use no more than the available quota":
//
//   - Of an allowed request, it is the time until the whole quota is available again. A client that spreads r over t
//     never exceeds the policy, which holds at any time of a sliding window; the next moment at which one more would
//     be admitted is much sooner, and would read as an invitation to a burst. Where the whole quota is back too soon
//     for that, as shortly before a fixed window's end, t is stretched until r/t is no more than q/w.
//   - Of a refused one, it is the time until the limit would admit it, at least 1. Limits that did not refuse have no
//     t then, as Retry-After should not be earlier than any t. Items of limiters before this one stay as they are.
//
// If h has lists already, they are joined; a policy that is there already is not repeated.
var Draft11 Style = draft11{}

// The names in the form in which http.Header holds them.
const (
	policyKey    = "Ratelimit-Policy"
	rateLimitKey = "Ratelimit"
)

type draft11 struct{}

func (draft11) Write(h http.Header, res core.Result) {
	quotas := res.Quotas()
	if len(quotas) == 0 || !printable(res.Policy) {
		return // an empty list is told by no field at all; a name that cannot be told fails the whole field
	}
	var buf [256]byte
	b := buf[:0]
	for i, q := range quotas {
		b = appendItem(b, i, q.Name)
		b = appendParameter(b, ";q=", q.Limit.Requests)
		b = appendParameter(b, ";w=", max(seconds(q.Limit.Window), 1))
	}
	end := len(b)
	if counted(res) {
		for i, q := range quotas {
			b = appendItem(b, i, q.Name)
			b = appendParameter(b, ";r=", q.Remaining)
			if t := effectiveWindow(res.Allowed, q); t > 0 {
				b = appendParameter(b, ";t=", t)
			}
		}
	}
	all := string(b)
	values := []string{all[:end], all[end:]} // as in xRateLimit.Write
	if !listed(h[policyKey], all[:end]) {
		h[policyKey] = joinLists(h[policyKey], values[0:1:1])
	}
	if all[end:] != "" {
		h[rateLimitKey] = joinLists(h[rateLimitKey], values[1:2:2])
	}
}

// effectiveWindow is t, or 0 if q has none to tell.
func effectiveWindow(allowed bool, q core.Quota) int64 {
	if !allowed {
		return seconds(q.RetryAfter)
	}
	limit, window := max(q.Limit.Requests, 1), seconds(q.Limit.Window)
	pace := (q.Remaining*window + limit - 1) / limit // the least t with r/t <= q/w
	return max(seconds(q.ResetAfter), pace)
}

// joinLists is present with own at its end, as one line, since many clients read no more than the first. It does not
// use present's memory.
func joinLists(present, own []string) []string {
	var list string
	for _, line := range present {
		if strings.TrimSpace(line) != "" { // an empty member would make the whole list malformed
			list += line + ", "
		}
	}
	if list == "" {
		return own
	}
	return []string{list + own[0]}
}

// listed reports whether one of lines has the items of list.
func listed(lines []string, list string) bool {
	for _, line := range lines {
		if strings.Contains(", "+line+", ", ", "+list+", ") {
			return true
		}
	}
	return false
}

// appendItem begins a list's i-th item, whose value is a string. Names of core need no escapes; a Result may have
// been made by others.
func appendItem(b []byte, i int, name string) []byte {
	if i > 0 {
		b = append(b, ", "...)
	}
	b = append(b, '"')
	for j := range len(name) {
		if name[j] == '"' || name[j] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, name[j])
	}
	return append(b, '"')
}

func appendParameter(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), integer(n), 10)
}

// printable reports whether a structured field can hold s as a string.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
