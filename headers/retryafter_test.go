package headers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"pgregory.net/rapid"
)

func TestRetryAfter(t *testing.T) {
	wait := func(d time.Duration) core.Result {
		res := refused
		res.RetryAfter = d
		return res
	}
	date := func(after time.Duration) string { return at.Add(after).UTC().Format(http.TimeFormat) }
	for _, test := range []struct {
		name    string
		present string
		res     core.Result
		want    string // "" is none
	}{
		{"allowed", "", allowed, ""},
		{"never", "", never, ""},
		{"admitted without the store", "", failOpen, ""},
		{"refused without the store", "", closed, "1"},
		{"rounded up", "", wait(12_001 * time.Millisecond), "13"},
		{"whole seconds", "", wait(12 * time.Second), "12"},
		{"a millisecond", "", wait(time.Millisecond), "1"},
		{"a refusal without a wait", "", wait(0), "1"},
		{"the longer stands, ours", "11", wait(12 * time.Second), "12"},
		{"the longer stands, theirs", "13", wait(12 * time.Second), "13"},
		{"never leaves theirs", "13", never, "13"},
		{"an earlier date", date(11 * time.Second), wait(12 * time.Second), "12"},
		{"a later date", date(13 * time.Second), wait(12 * time.Second), date(13 * time.Second)},
		{"malformed", "a while", wait(12 * time.Second), "12"},
		{"negative", "-20", wait(12 * time.Second), "12"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := http.Header{}
			if test.present != "" {
				h.Set("Retry-After", test.present)
			}
			headers.RetryAfter(h, test.res)
			if got := h.Get("Retry-After"); got != test.want {
				t.Errorf("Retry-After is %q, want %q", got, test.want)
			}
			if test.want == "" && len(h) > 0 {
				t.Errorf("headers are %v, want none", h)
			}
		})
	}
}

// A client that waits the whole seconds it is told is not early, and not a second late either.
func TestRetryAfterIsNeverEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		res := drawResult(t)
		h := http.Header{}
		headers.RetryAfter(h, res)
		if res.Allowed {
			if len(h) != 0 {
				t.Fatalf("allowed, but %v", h)
			}
			return
		}
		wait, err := time.ParseDuration(h.Get("Retry-After") + "s")
		if err != nil {
			t.Fatal(err)
		}
		if wait < res.RetryAfter || wait < time.Second || wait >= res.RetryAfter+time.Second {
			t.Fatalf("%v for a wait of %v", wait, res.RetryAfter)
		}
	})
}

func TestRetryAfterAllocations(t *testing.T) {
	h := http.Header{}
	res := refused
	res.RetryAfter = 1000 * time.Second
	if n := testing.AllocsPerRun(100, func() {
		clear(h)
		headers.RetryAfter(h, res)
	}); n > 2 {
		t.Errorf("%v allocations, want at most 2", n)
	}
}
