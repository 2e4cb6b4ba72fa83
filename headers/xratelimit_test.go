package headers_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"pgregory.net/rapid"
)

func TestXRateLimit(t *testing.T) {
	for _, test := range []struct {
		name  string
		style headers.Style
		res   core.Result
		want  []string
	}{
		{"allowed, the reset rounded up", headers.XRateLimit, allowed,
			[]string{"X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 42", "X-Ratelimit-Reset: 1767225685"}},
		{"allowed, delta", headers.XRateLimitDelta, allowed,
			[]string{"X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 42", "X-Ratelimit-Reset: 85"}},
		{"refused, the reset whole already", headers.XRateLimit, refused,
			[]string{"X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 3", "X-Ratelimit-Reset: 1767225684"}},
		{"refused, delta", headers.XRateLimitDelta, refused,
			[]string{"X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 3", "X-Ratelimit-Reset: 84"}},
		{"never: only the limit is known", headers.XRateLimit, never, []string{"X-Ratelimit-Limit: 100"}},
		{"admitted without the store: only the limit", headers.XRateLimit, failOpen, []string{"X-Ratelimit-Limit: 100"}},
		{"refused without the store: only the limit", headers.XRateLimitDelta, closed, []string{"X-Ratelimit-Limit: 100"}},
		{"a foreign result out of range", headers.XRateLimit,
			core.Result{Allowed: true, Policy: "x", Limit: core.Per(1<<62, 1), Remaining: -1},
			[]string{"X-Ratelimit-Limit: 999999999999999", "X-Ratelimit-Remaining: 0", "X-Ratelimit-Reset: 0"}},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, write(test.res, test.style), test.want...) })
	}
}

func TestXRateLimitStricterValuesStand(t *testing.T) {
	ours := [3]string{"100", "42", "1767225685"} // of allowed
	for _, test := range []struct {
		name    string
		present [3]string // limit, remaining, reset
		stands  bool
	}{
		{"fewer remaining", [3]string{"1000", "41", "1"}, true},
		{"more remaining", [3]string{"50", "43", "1999999999"}, false},
		{"as many, later reset", [3]string{"1000", "42", "1767225686"}, true},
		{"as many, same reset", [3]string{"1000", "42", "1767225685"}, true},
		{"as many, earlier reset", [3]string{"1000", "42", "1767225684"}, false},
		{"as many, the reset no number", [3]string{"1000", "42", "Thu, 01 Jan 2026 00:00:00 GMT"}, false},
		{"fewer, the reset no number", [3]string{"1000", "4", "Thu, 01 Jan 2026 00:00:00 GMT"}, true},
		{"less than none", [3]string{"1000", "-1", ""}, true},
		{"no number", [3]string{"1000", "few", "1999999999"}, false},
		{"a limit alone", [3]string{"10", "", "1999999999"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, res := range map[string]core.Result{"allowed": allowed, "refused": refused42()} {
				h := present(test.present)
				headers.XRateLimit.Write(h, res)
				want := ours
				if test.stands {
					want = test.present
				}
				if got := values(h); got != want {
					t.Errorf("%s: values are %q, want %q", name, got, want)
				}
			}
		})
	}
}

// refused42 is a refusal with what is left and the reset of allowed.
func refused42() core.Result {
	res := allowed
	res.Allowed, res.RetryAfter = false, time.Second
	return res
}

func TestXRateLimitUnknownGivesWayToKnown(t *testing.T) {
	for name, res := range map[string]core.Result{"never": never, "degraded": failOpen, "degraded, refused": closed} {
		t.Run(name, func(t *testing.T) {
			h := present([3]string{"10", "9", "1767225601"})
			headers.XRateLimit.Write(h, res)
			if got, want := values(h), [3]string{"10", "9", "1767225601"}; got != want {
				t.Errorf("behind known values they are %q, want %q", got, want)
			}
			h = present([3]string{"10", "many", "soon"})
			headers.XRateLimit.Write(h, res)
			if got, want := values(h), [3]string{"100", "", ""}; got != want {
				t.Errorf("behind malformed values they are %q, want %q: nothing of one limiter beside another's", got, want)
			}
		})
	}
}

// Whatever the order of two limiters, a client sees the values of one of them, and never more remaining than
// either's.
func TestXRateLimitStackedInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawResult(t), drawResult(t)
		ab, ba := http.Header{}, http.Header{}
		headers.XRateLimit.Write(ab, a)
		headers.XRateLimit.Write(ab, b)
		headers.XRateLimit.Write(ba, b)
		headers.XRateLimit.Write(ba, a)
		if got, want := values(ab)[1], strconv.FormatInt(min(a.Remaining, b.Remaining), 10); got != want {
			t.Fatalf("remaining of %d and %d is told as %s", a.Remaining, b.Remaining, got)
		}
		x, y := values(ab), values(ba)
		if x[1] != y[1] || x[2] != y[2] {
			t.Fatalf("in one order %q, in the other %q", x, y)
		}
		if va, vb := values(write(a, headers.XRateLimit)), values(write(b, headers.XRateLimit)); x != va && x != vb {
			t.Fatalf("%q is neither %q nor %q", x, va, vb)
		}
	})
}

// A client that comes back at the reset finds the quota whole.
func TestXRateLimitResetIsNeverEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		res := drawResult(t)
		whole := res.At.Add(res.ResetAfter)
		reset, err := strconv.ParseInt(values(write(res, headers.XRateLimit))[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if early := whole.Sub(time.Unix(reset, 0)); early > 0 || early <= -time.Second {
			t.Fatalf("reset %d is %v off %v", reset, early, whole)
		}
		delta, err := strconv.ParseInt(values(write(res, headers.XRateLimitDelta))[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if early := res.ResetAfter - time.Duration(delta)*time.Second; early > 0 || early <= -time.Second {
			t.Fatalf("reset in %d s is %v off %v", delta, early, res.ResetAfter)
		}
	})
}

func TestXRateLimitAllocations(t *testing.T) {
	for name, style := range map[string]headers.Style{"epoch": headers.XRateLimit, "delta": headers.XRateLimitDelta} {
		h := http.Header{}
		if n := testing.AllocsPerRun(100, func() {
			clear(h)
			style.Write(h, allowed)
		}); n > 2 {
			t.Errorf("%s: %v allocations, want at most 2: the values and their slices", name, n)
		}
	}
}

func present(v [3]string) http.Header {
	h := http.Header{}
	for i, name := range xNames {
		if v[i] != "" {
			h.Set(name, v[i])
		}
	}
	return h
}

func values(h http.Header) (v [3]string) {
	for i, name := range xNames {
		v[i] = h.Get(name)
	}
	return v
}

var xNames = [3]string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
