package core_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/window"
)

var ctx = context.Background()

// epoch is the start of a window of every length that these tests use.
var epoch = time.UnixMilli(1_799_971_200_000)

func at(d time.Duration) *store {
	s := newStore()
	s.now = epoch.Add(d)
	return s
}

func allow(t *testing.T, l *core.Limiter, key string, n int64) core.Result {
	t.Helper()
	res, err := l.AllowN(ctx, key, n)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestAlgorithmsAreTheKindsOfTheArithmetic(t *testing.T) {
	for a, k := range map[core.Algorithm]window.Kind{
		core.SlidingWindow: window.Sliding, core.SlidingLog: window.Log, core.FixedWindow: window.Fixed,
	} {
		if uint8(a) != uint8(k) {
			t.Errorf("%v is %d, its kind %d", a, a, k)
		}
	}
}

func TestAllowSaysWhatIsLeftAndWhenToComeBack(t *testing.T) {
	s := at(15 * time.Second)
	l := core.MustNew(s, core.PerMinute(2))
	for i, want := range []core.Result{
		{Allowed: true, Policy: "default", Limit: core.PerMinute(2), Remaining: 1, ResetAfter: 105 * time.Second, At: s.now},
		{Allowed: true, Policy: "default", Limit: core.PerMinute(2), Remaining: 0, ResetAfter: 105 * time.Second, At: s.now},
		// 45 s until the window rolls over, then half of it until two have decayed to one.
		{Policy: "default", Limit: core.PerMinute(2), RetryAfter: 75 * time.Second, ResetAfter: 105 * time.Second, At: s.now},
	} {
		if got := allow(t, l, "a", 1); !reflect.DeepEqual(got, want) {
			t.Errorf("request %d: got  %+v\nwant %+v", i+1, got, want)
		}
	}
	s.now = s.now.Add(75*time.Second - time.Millisecond)
	if got := allow(t, l, "a", 1); got.Allowed || got.RetryAfter != time.Millisecond {
		t.Errorf("a millisecond early: %v", got)
	}
	s.now = s.now.Add(time.Millisecond)
	if got := allow(t, l, "a", 1); !got.Allowed {
		t.Errorf("at the time named: %v", got)
	}
}

func TestSeveralLimitsAllAdmitOrNoneIsCharged(t *testing.T) {
	s := at(0)
	l := core.MustNew(s, core.PerDay(100), core.PerHour(3))
	for range 50 {
		allow(t, l, "a", 1)
	}
	res := allow(t, l, "a", 1)
	if res.Allowed || res.Limit != core.PerHour(3) {
		t.Fatalf("got %v, want a refusal by 3/1h", res)
	}
	want := []core.Quota{
		{Name: "default-1h", Limit: core.PerHour(3), RetryAfter: 80 * time.Minute, ResetAfter: 2 * time.Hour},
		{Name: "default-24h", Limit: core.PerDay(100), Remaining: 97, ResetAfter: 48 * time.Hour},
	}
	if got := res.Quotas(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestResultSpeaksOfTheLimitThatMatters(t *testing.T) {
	t.Run("allowed: the least left", func(t *testing.T) {
		l := core.MustNew(at(0), core.PerSecond(10), core.PerHour(5))
		if res := allow(t, l, "a", 1); res.Limit != core.PerHour(5) || res.Remaining != 4 {
			t.Errorf("got %v", res)
		}
	})
	t.Run("refused: the longest wait", func(t *testing.T) {
		l := core.MustNew(at(0), core.PerSecond(2), core.PerHour(2))
		allow(t, l, "a", 2)
		if res := allow(t, l, "a", 1); res.Limit != core.PerHour(2) || res.RetryAfter != 90*time.Minute {
			t.Errorf("got %v", res)
		}
	})
}

func TestCostAboveALimitIsNeverAndNotAsked(t *testing.T) {
	s := newStore()
	l := core.MustNew(s, core.PerSecond(3), core.PerHour(10))
	res := allow(t, l, "a", 4)
	if res.Allowed || res.RetryAfter != core.Never || res.Limit != core.PerSecond(3) || s.asked != 0 {
		t.Errorf("got %v after %d calls of the store", res, s.asked)
	}
	want := []core.Quota{{Name: "default-1s", Limit: core.PerSecond(3)}, {Name: "default-1h", Limit: core.PerHour(10)}}
	if got := res.Quotas(); !reflect.DeepEqual(got, want) {
		t.Errorf("quotas: got %+v, want %+v", got, want)
	}
	one := allow(t, core.MustNew(s, core.PerSecond(3)), "a", 4)
	if got := one.Quotas(); !reflect.DeepEqual(got, []core.Quota{{Name: "default", Limit: core.PerSecond(3)}}) {
		t.Errorf("the quota of a single limit: %+v", got)
	}
	if res := allow(t, l, "a", 3); !res.Allowed {
		t.Errorf("a cost equal to the limit: %v", res)
	}
}

func TestCostZeroIsFree(t *testing.T) {
	s := at(0)
	l := core.MustNew(s, core.PerMinute(2))
	allow(t, l, "a", 2)
	if res := allow(t, l, "a", 0); !res.Allowed || res.Remaining != 0 {
		t.Errorf("within the limit: %v", res)
	}
	lower, err := l.With(core.PerMinute(1))
	if err != nil {
		t.Fatal(err)
	}
	if res := allow(t, lower, "a", 0); res.Allowed {
		t.Errorf("above a lowered limit: %v", res)
	}
}

func TestCallersMistakesAreErrorsAndChargeNothing(t *testing.T) {
	s := newStore()
	l := core.MustNew(s, core.PerMinute(2), core.Name("api"))
	for _, tt := range []struct {
		name, key string
		n         int64
		want      string
	}{
		{"negative cost", "a", -1, `core: limiter "api": cost must not be negative, got -1`},
		{"empty key", "", 1, `core: limiter "api": key is empty`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := l.AllowN(ctx, tt.key, tt.n)
			if err == nil || err.Error() != tt.want || errors.Is(err, core.ErrStore) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
			if res.Allowed || res.Policy != "api" || s.asked != 0 {
				t.Errorf("%v after %d calls of the store", res, s.asked)
			}
		})
	}
	if err := l.Reset(ctx, ""); err == nil || s.asked != 0 {
		t.Errorf("Reset of an empty key: %v", err)
	}
}

func TestPeekChargesNothingAndResetForgets(t *testing.T) {
	l := core.MustNew(at(0), core.PerMinute(1))
	for range 3 {
		if res, err := l.Peek(ctx, "a"); err != nil || !res.Allowed || res.Remaining != 1 {
			t.Fatalf("Peek = %v, %v", res, err)
		}
	}
	allow(t, l, "a", 1)
	if res, err := l.Peek(ctx, "a"); err != nil || res.Allowed || res.RetryAfter != 2*time.Minute {
		t.Fatalf("Peek of a spent key = %v, %v", res, err)
	}
	if err := l.Reset(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if res := allow(t, l, "a", 1); !res.Allowed {
		t.Errorf("after Reset: %v", res)
	}
}

func TestFailureModeDecidesWhenTheStoreDoesNot(t *testing.T) {
	cause := errors.New("no route to host")
	for mode, allowed := range map[core.FailureMode]bool{core.FailOpen: true, core.FailClosed: false} {
		t.Run(mode.String(), func(t *testing.T) {
			s := newStore()
			s.fail(cause)
			l := core.MustNew(s, core.PerMinute(2), core.PerHour(9), mode)
			res, err := l.Allow(ctx, "a")
			if !errors.Is(err, core.ErrStore) || !errors.Is(err, cause) {
				t.Errorf("error = %v", err)
			}
			if res.Allowed != allowed || !res.Degraded || res.Policy != "default" || res.At.IsZero() ||
				res.At.Nanosecond()%int(time.Millisecond) != 0 {
				t.Errorf("result = %+v", res)
			}
			if !allowed && (res.RetryAfter <= 0 || res.RetryAfter > 5*time.Second) {
				t.Errorf("RetryAfter = %v, want a short wait", res.RetryAfter)
			}
			if got := res.Quotas(); len(got) != 2 || got[0].Remaining != 0 || got[0].Limit != core.PerMinute(2) {
				t.Errorf("quotas = %+v", got)
			}
		})
	}
}

func TestFailureModeDoesNotHideMistakes(t *testing.T) {
	l := core.MustNew(newStore(), core.PerMinute(2), core.FailOpen)
	if res, err := l.AllowN(ctx, "a", -1); err == nil || res.Allowed {
		t.Errorf("got %v, %v", res, err)
	}
}

func TestRequestCarriesTheDeadlineAsATime(t *testing.T) {
	s := newStore()
	l := core.MustNew(s, core.PerMinute(2), core.Timeout(80*time.Millisecond))
	before := time.Now()
	allow(t, l, "a", 1)
	if d := s.last.Deadline.Sub(s.last.Now); d != 80*time.Millisecond {
		t.Errorf("deadline after %v, want 80ms", d)
	}
	if s.last.Now.Before(before) || s.last.Now.After(time.Now()) {
		t.Errorf("now = %v", s.last.Now)
	}
}

func TestWithKeepsCountsWhileWindowsStay(t *testing.T) {
	for _, name := range []core.Option{nil, core.Name("plan")} {
		s := at(0)
		opts := []core.Option{core.PerMinute(2), core.PerHour(50)}
		if name != nil {
			opts = append(opts, name)
		}
		l := core.MustNew(s, opts...)
		allow(t, l, "a", 2)
		raised, err := l.With(core.PerHour(500), core.PerMinute(5)) // the order does not matter
		if err != nil {
			t.Fatal(err)
		}
		if res := allow(t, raised, "a", 1); !res.Allowed || res.Remaining != 2 || res.Limit != core.PerMinute(5) {
			t.Errorf("raised: %v", res)
		}
		if res := allow(t, l, "a", 1); res.Allowed {
			t.Errorf("the first limiter, after the raised one: %v", res)
		}
		other, err := l.With(core.PerSecond(2))
		if err != nil {
			t.Fatal(err)
		}
		if res := allow(t, other, "a", 2); !res.Allowed {
			t.Errorf("other windows have other counts: %v", res)
		}
		if got := l.Limits().String(); got != "2/1m,50/1h" {
			t.Errorf("With changed its receiver: %s", got)
		}
	}
	s := at(0)
	l := core.MustNew(s, core.PerMinute(2))
	allow(t, l, "a", 2)
	hourly, _ := l.With(core.PerHour(9))
	if back, err := hourly.With(core.PerMinute(2)); err != nil || allow(t, back, "a", 1).Allowed {
		t.Errorf("by way of other windows and back, the counts are gone (%v)", err)
	}
	if _, err := core.MustNew(newStore(), core.PerMinute(1)).With(core.PerMinute(0)); err == nil {
		t.Error("With accepted a bad limit")
	}
}

func TestScopesShareOnPurposeOnly(t *testing.T) {
	scope := func(opts ...core.Option) string {
		s := newStore()
		allow(t, core.MustNew(s, opts...), "a", 1)
		return s.last.Scope
	}
	name := core.Name("n")
	for _, tt := range []struct {
		name   string
		a, b   []core.Option
		shared bool
	}{
		{"unnamed, equal", []core.Option{core.PerMinute(5)}, []core.Option{core.PerMinute(5)}, true},
		{"unnamed, other number", []core.Option{core.PerMinute(5)}, []core.Option{core.PerMinute(6)}, false},
		{"named, other number", []core.Option{name, core.PerMinute(5)}, []core.Option{name, core.PerMinute(6)}, true},
		{"named, other order", []core.Option{name, core.PerMinute(5), core.PerHour(9)}, []core.Option{name, core.PerHour(7), core.PerMinute(5)}, true},
		{"named, other window", []core.Option{name, core.PerMinute(5)}, []core.Option{name, core.PerHour(5)}, false},
		{"named, other algorithm", []core.Option{name, core.PerMinute(5)}, []core.Option{name, core.PerMinute(5), core.FixedWindow}, false},
		{"named default and unnamed", []core.Option{core.Name("default"), core.PerMinute(5)}, []core.Option{core.PerMinute(5)}, false},
		{"other names", []core.Option{name, core.PerMinute(5)}, []core.Option{core.Name("m"), core.PerMinute(5)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := scope(tt.a...), scope(tt.b...)
			if (a == b) != tt.shared {
				t.Errorf("scopes %q and %q; want shared %v", a, b, tt.shared)
			}
		})
	}
}

// A scope is part of every key in Redis, so its text is memory, and a change of it loses all counts.
func TestScopeIsShort(t *testing.T) {
	for want, opts := range map[string][]core.Option{
		"default:w100/1m":            {core.PerMinute(100)},
		"login:w1m,1h":               {core.Name("login"), core.PerHour(20), core.PerMinute(5)},
		"quota:f24h":                 {core.Name("quota"), core.PerDay(5000), core.FixedWindow},
		"default:f1000/24h":          {core.PerDay(1000), core.FixedWindow},
		"default:l10/1500ms,100/24h": {core.PerDay(100), core.Per(10, 1500*time.Millisecond), core.SlidingLog},
	} {
		s := newStore()
		allow(t, core.MustNew(s, opts...), "a", 1)
		if s.last.Scope != want {
			t.Errorf("scope = %q, want %q", s.last.Scope, want)
		}
	}
}

func TestEventsTellWhatHappenedAndNeverTheKey(t *testing.T) {
	var mu sync.Mutex
	var events []core.Event
	s := newStore()
	l := core.MustNew(s, core.PerMinute(1), core.Name("api"), core.Observe(func(_ context.Context, e core.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}))
	const key = "the-secret-of-alice"
	l.Allow(ctx, key)
	l.Allow(ctx, key)
	l.AllowN(ctx, key, -1)
	s.fail(errors.New("down"))
	l.Allow(ctx, key)
	l.Allow(ctx, key)
	s.fail(nil)
	l.Peek(ctx, key)
	l.Report(ctx, core.Event{Kind: core.Misconfigured, Code: "x"})

	var got []string
	for _, e := range events {
		got = append(got, e.Kind.String()+" "+e.Code)
		if e.Limiter != "api" {
			t.Errorf("event of %q: %+v", e.Limiter, e)
		}
		if e.Kind == core.Decided && e.Took < 0 {
			t.Errorf("took %v", e.Took)
		}
		if text := strings.ToLower(reflectText(e)); strings.Contains(text, key) {
			t.Errorf("the key is in %s", text)
		}
	}
	want := []string{
		"decided allowed", "decided refused", "decided invalid", "degraded store", "decided failed", "decided failed",
		"recovered store", "misconfigured x",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAllObserversAreCalledInOrder(t *testing.T) {
	var calls string
	note := func(s string) core.Option {
		return core.Observe(func(context.Context, core.Event) { calls += s })
	}
	allow(t, core.MustNew(newStore(), core.PerMinute(1), note("a"), note("b"), note("c")), "k", 1)
	if calls != "abc" {
		t.Errorf("called %q", calls)
	}
}

// budget is the store of the allocation tests: it knows one key, and allocates nothing.
type budget struct{ counts core.Counts }

func (s *budget) Take(_ context.Context, req core.Request) (time.Time, error) {
	return req.Now, s.counts.Take(req)
}

func TestDecisionsStayOffTheHeap(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  []core.Option
		allow float64
	}{
		{"one limit", []core.Option{core.PerMinute(1 << 20)}, 0},
		{"three limits", []core.Option{core.PerMinute(1 << 20), core.PerHour(1 << 20), core.PerDay(1 << 20)}, 1}, // the quotas
		{"refused", []core.Option{core.PerMinute(1)}, 0},
		{"never", []core.Option{core.PerMinute(1), core.FixedWindow}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := core.MustNew(new(budget), tt.opts...)
			allow(t, l, "a", 1)
			if got := testing.AllocsPerRun(500, func() { l.Allow(ctx, "a") }); got > tt.allow {
				t.Errorf("%v allocations, want at most %v", got, tt.allow)
			}
		})
	}
}
