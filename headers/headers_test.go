package headers_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"pgregory.net/rapid"
)

// at is the store's clock in most tests, and epoch what it is in seconds.
var at = time.Unix(epoch, 0)

const epoch = 1_767_225_600

// allowed and refused are the results that most tests are about, of a limit of 100 a minute.
var (
	allowed = core.Result{
		Allowed: true, Policy: "default", Limit: core.PerMinute(100), Remaining: 42,
		ResetAfter: 84_001 * time.Millisecond, At: at,
	}
	refused = core.Result{
		Policy: "default", Limit: core.PerMinute(100), Remaining: 3,
		RetryAfter: 12_001 * time.Millisecond, ResetAfter: 84 * time.Second, At: at,
	}
	never    = core.Result{Policy: "default", Limit: core.PerMinute(100), RetryAfter: core.Never, At: at}
	failOpen = core.Result{Allowed: true, Policy: "default", Limit: core.PerMinute(100), At: at, Degraded: true}
	closed   = core.Result{
		Policy: "default", Limit: core.PerMinute(100), RetryAfter: time.Second, At: at, Degraded: true,
	}
)

// states is a store that answers with what it is made of.
type states struct {
	at time.Time
	of []core.State
}

func (s states) Take(_ context.Context, req core.Request) (time.Time, error) {
	copy(req.States, s.of)
	return s.at, nil
}

// drawResult is any decision of a limiter with a store that works.
func drawResult(t *rapid.T) core.Result {
	algorithms := []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow}
	algorithm := rapid.SampledFrom(algorithms).Draw(t, "algorithm")
	windows := rapid.SliceOfNDistinct(
		rapid.OneOf(rapid.Int64Range(1, 5_000), rapid.Int64Range(1, 4_000_000_000)), 1, core.MaxLimits, rapid.ID,
	).Draw(t, "windows")
	slices.Sort(windows)
	options := []core.Option{algorithm, core.Name(rapid.StringMatching(`[a-zA-Z0-9._-]{1,64}`).Draw(t, "name"))}
	store := states{at: time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "at"))}
	cost := int64(1 << 32)
	for _, w := range windows {
		most := min(10_000, (1<<53)/w-1)
		if algorithm != core.SlidingLog {
			most = min(1<<32-1, (1<<53)/w-1)
		}
		l := rapid.Int64Range(1, max(most, 1)).Draw(t, "limit")
		cost = min(cost, l)
		options = append(options, core.Per(l, time.Duration(w)*time.Millisecond))
		s := core.State{
			Count:    rapid.Int64Range(0, l).Draw(t, "count"),
			Previous: rapid.Int64Range(0, l).Draw(t, "previous"),
			Elapsed:  rapid.Int64Range(-w, w-1).Draw(t, "elapsed"),
		}
		if algorithm == core.SlidingLog {
			s.Previous, s.Room = 0, rapid.Int64Range(1, w).Draw(t, "room")
		}
		store.of = append(store.of, s)
	}
	limiter, err := core.New(store, options...)
	if err != nil {
		t.Skip("no limiter:", err)
	}
	res, err := limiter.AllowN(context.Background(), "key", rapid.Int64Range(0, cost).Draw(t, "cost"))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func write(res core.Result, styles ...headers.Style) http.Header {
	h := http.Header{}
	for _, s := range styles {
		s.Write(h, res)
	}
	return h
}

// check fails unless h is want, which lists names and values in any order: "A: 1", "B: 2".
func check(t *testing.T, h http.Header, want ...string) {
	t.Helper()
	var got []string
	for name, values := range h {
		for _, v := range values {
			got = append(got, name+": "+v)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("headers are\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// all are the styles that write something.
var all = map[string]headers.Style{
	"XRateLimit":      headers.XRateLimit,
	"XRateLimitDelta": headers.XRateLimitDelta,
	"Draft11":         headers.Draft11,
	"Join":            headers.Join(headers.Draft11, headers.XRateLimit),
}

func TestNoneWritesNothing(t *testing.T) {
	check(t, write(allowed, headers.None, headers.Join()))
	check(t, write(refused, headers.None, headers.Join()))
}

func TestJoinWritesAll(t *testing.T) {
	check(t, write(allowed, headers.Join(headers.Draft11, headers.None, headers.XRateLimit)),
		`Ratelimit-Policy: "default";q=100;w=60`, `Ratelimit: "default";r=42;t=85`,
		"X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 42", "X-Ratelimit-Reset: 1767225685")
}

func TestJoinKeepsItsOwnList(t *testing.T) {
	styles := []headers.Style{headers.XRateLimit}
	style := headers.Join(styles...)
	styles[0] = headers.Draft11
	if h := write(allowed, style); h.Get("RateLimit") != "" {
		t.Error("changing the slice given to Join changed the style")
	}
}

func TestJoinOfNilPanicsWithItsNumber(t *testing.T) {
	defer func() {
		if got, want := recover(), "headers: Join: style 2 is nil"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	headers.Join(headers.None, nil)
}

func TestNoDecisionNoHeaders(t *testing.T) {
	for name, style := range all {
		t.Run(name, func(t *testing.T) { check(t, write(core.Result{}, style)) })
	}
}

func TestResponsesShareNoMemory(t *testing.T) {
	for name, style := range all {
		t.Run(name, func(t *testing.T) {
			first, second := write(refused, style), write(refused, style)
			headers.RetryAfter(first, refused)
			headers.RetryAfter(second, refused)
			want := maps.Clone(second)
			for k, v := range second {
				want[k] = slices.Clone(v)
				if len(v) != 1 || cap(v) != 1 {
					t.Errorf("%s has %d values in a capacity of %d: an append may write over another header", k, len(v), cap(v))
				}
			}
			for k := range first {
				first[k][0] = "changed"
				first.Add(k, "appended")
			}
			if !maps.EqualFunc(second, want, slices.Equal) {
				t.Errorf("changing one response's headers changed another's to %v", second)
			}
		})
	}
}

func TestStackedResponsesShareNoMemory(t *testing.T) {
	present := make([]string, 1, 4)
	present[0] = `"gateway";q=1;w=1`
	h := http.Header{"Ratelimit-Policy": present}
	headers.Draft11.Write(h, allowed)
	if got := present[:2]; got[0] != `"gateway";q=1;w=1` || got[1] != "" {
		t.Errorf("joining wrote into the memory of the list that was there: %q", got)
	}
}

func FuzzPresentHeadersNeverPanic(f *testing.F) {
	f.Add("5", "1767225600", "x", `"a";q=1`, "Wed, 21 Oct 2026 07:28:00 GMT")
	f.Add("-1", "9223372036854775808", "", " ", "-5")
	f.Fuzz(func(t *testing.T, remaining, reset, limit, list, retry string) {
		for _, res := range []core.Result{allowed, refused, never, failOpen, closed, {}} {
			h := http.Header{
				"X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "X-Ratelimit-Limit": {limit},
				"Ratelimit-Policy": {list}, "Ratelimit": {list}, "Retry-After": {retry},
			}
			for _, style := range all {
				style.Write(h, res)
			}
			headers.RetryAfter(h, res)
			for k, v := range h {
				if len(v) != 1 {
					t.Errorf("%s has values %q", k, v)
				}
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			h := http.Header{}
			for b.Loop() {
				clear(h)
				all[name].Write(h, allowed)
			}
		})
	}
}
