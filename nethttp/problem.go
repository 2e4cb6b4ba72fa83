package nethttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
)

// The problem types that draft-ietf-httpapi-ratelimit-headers-11 registers, with their registered titles.
const (
	quotaExceeded    = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded"`
	reducedCapacity  = `{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity"`
	untyped          = `{"type":"about:blank","title":"` // its title is the status's own
	detailNever      = `"This request costs more than the quota ever admits: it will never be admitted, however long you wait."`
	detailCapacity   = `"The service cannot check limits at the moment and does not answer without. Please try again soon."`
	detailNoIdentity = `"The request lacks what its limit is counted by, such as an API key."`
)

// appendProblem appends the body of a refusal. It is put together by hand, as all that varies is numbers and names of
// limiters; nothing of Err and nothing that the client has sent gets in.
func (d *Denial) appendProblem(b []byte, status int) []byte {
	switch {
	case status == http.StatusTooManyRequests && d.Err == nil:
		return d.appendQuotaExceeded(b)
	case status == http.StatusServiceUnavailable:
		b = append(b, reducedCapacity+`,"status":503,"detail":`+detailCapacity...)
	default:
		b = append(b, untyped...)
		b = append(b, http.StatusText(status)...)
		b = append(b, `","status":`...)
		b = strconv.AppendInt(b, int64(status), 10)
		if status < 500 {
			b = append(b, `,"detail":`+detailNoIdentity...)
		}
	}
	return append(b, '}', '\n')
}

// appendQuotaExceeded appends the body of a 429. Its retry_after_ms is exact where Retry-After is rounded up to
// seconds, and null if waiting does not help.
func (d *Denial) appendQuotaExceeded(b []byte) []byte {
	b = append(b, quotaExceeded+`,"status":429,"detail":`...)
	if d.Result.RetryAfter == core.Never {
		b = append(b, detailNever+`,"retry_after_ms":null`...)
	} else {
		ms := int64(d.Result.RetryAfter / time.Millisecond)
		b = append(b, `"Too many requests. Try again in `...)
		b = appendSeconds(b, ms)
		b = append(b, ` s.","retry_after_ms":`...)
		b = strconv.AppendInt(b, ms, 10)
	}
	b = append(b, `,"violated-policies":[`...)
	first := true
	for _, q := range d.Result.Quotas() {
		// Of a cost that is never admitted, no quota is known to refuse but the one that the result is about.
		if q.RetryAfter == 0 && (d.Result.RetryAfter != core.Never || q.Limit != d.Result.Limit) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		b, first = appendString(b, q.Name), false
	}
	return append(b, ']', '}', '\n')
}

// appendSeconds appends ms milliseconds in seconds: 1500 is 1.5.
func appendSeconds(b []byte, ms int64) []byte {
	b = strconv.AppendInt(b, ms/1000, 10)
	if rest := ms % 1000; rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}

// appendString appends s as a JSON string. core lets no name through that needs escaping, but a Denial may be made by
// hand.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			continue
		}
		b = append(b, c)
	}
	return append(b, '"')
}
