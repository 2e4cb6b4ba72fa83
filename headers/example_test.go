package headers_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
)

// decision is what a limiter of 100 a minute may say.
var decision = core.Result{
	Allowed:    true,
	Policy:     "default",
	Limit:      core.PerMinute(100),
	Remaining:  42,
	ResetAfter: 84*time.Second + 200*time.Millisecond,
	At:         time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
}

func show(h http.Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Println(name+":", h.Get(name))
	}
}

func Example() {
	h := http.Header{}
	headers.XRateLimit.Write(h, decision)
	show(h)
	// Output:
	// X-Ratelimit-Limit: 100
	// X-Ratelimit-Remaining: 42
	// X-Ratelimit-Reset: 1767225685
}

func Example_draft11() {
	h := http.Header{}
	headers.Draft11.Write(h, decision)
	show(h)
	// Output:
	// Ratelimit: "default";r=42;t=85
	// Ratelimit-Policy: "default";q=100;w=60
}

// Old clients read X-RateLimit, new ones what the IETF is drafting.
func ExampleJoin() {
	style := headers.Join(headers.XRateLimitDelta, headers.Draft11)
	h := http.Header{}
	style.Write(h, decision)
	show(h)
	// Output:
	// Ratelimit: "default";r=42;t=85
	// Ratelimit-Policy: "default";q=100;w=60
	// X-Ratelimit-Limit: 100
	// X-Ratelimit-Remaining: 42
	// X-Ratelimit-Reset: 85
}

// A refusal says when to come back, whatever the style.
func ExampleRetryAfter() {
	refusal := core.Result{
		Policy:     "default",
		Limit:      core.PerMinute(100),
		RetryAfter: 12*time.Second + time.Millisecond,
	}
	h := http.Header{}
	headers.RetryAfter(h, refusal)
	show(h)
	// Output: Retry-After: 13
}

// Reddit's clients want X-Ratelimit-Used as well. A style of one's own is a type with one method.
func ExampleStyle() {
	style := headers.Join(headers.XRateLimitDelta, used{})
	h := http.Header{}
	style.Write(h, decision)
	fmt.Println(h.Get("X-RateLimit-Used"), "used,", h.Get("X-RateLimit-Remaining"), "left")
	// Output: 58 used, 42 left
}

type used struct{}

func (used) Write(h http.Header, res core.Result) {
	if !res.Degraded && res.RetryAfter != core.Never { // else what is left is unknown
		h.Set("X-RateLimit-Used", strconv.FormatInt(res.Limit.Requests-res.Remaining, 10))
	}
}
