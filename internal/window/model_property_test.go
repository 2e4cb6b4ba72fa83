package window_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/internal/window"
)

var kinds = []window.Kind{window.Sliding, window.Log, window.Fixed}

func drawKind(t *rapid.T) window.Kind { return rapid.SampledFrom(kinds).Draw(t, "kind") }

// drawRules are one to three limits of short windows, so that a model can walk through them.
func drawRules(t *rapid.T) []window.Rule {
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) window.Rule {
		return window.Rule{Limit: rapid.Int64Range(1, 15).Draw(t, "limit"), Window: rapid.Int64Range(1, 60).Draw(t, "window")}
	}), 1, 3, func(r window.Rule) int64 { return r.Window }).Draw(t, "rules")
}

// TestEveryNumberIsThatOfTheBruteForceModel is the exactness of all that a client is told: over random costs, times on
// and around the boundaries of windows, limits that change, and clocks that step back.
func TestEveryNumberIsThatOfTheBruteForceModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind, rules := drawKind(t), drawRules(t)
		var rec window.Record
		ledgers := make([]ledger, len(rules))
		states := make([]window.State, len(rules))
		now := int64(1_000_000)
		due := now
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w := rules[rapid.IntRange(0, len(rules)-1).Draw(t, "rule")].Window
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				now += rapid.Int64Range(1, 3*w).Draw(t, "on")
			case 1:
				now -= rapid.Int64Range(1, 3*w).Draw(t, "back")
			case 2:
				now += w - now%w - rapid.Int64Range(0, 1).Draw(t, "before the boundary")
			case 3:
				now = max(now, due-rapid.Int64Range(0, 1).Draw(t, "before it is due"))
			case 4:
				rules[rapid.IntRange(0, len(rules)-1).Draw(t, "changed")].Limit = rapid.Int64Range(1, 15).Draw(t, "to")
			}
			n := rapid.Int64Range(0, 8).Draw(t, "cost")
			charge := rapid.IntRange(0, 4).Draw(t, "peek") > 0

			want, ahead := true, false
			for i, r := range rules {
				want = want && ledgers[i].admits(kind, r, now, n)
				ahead = ahead || ledgers[i].stale(kind, r.Window, now)
			}
			before := fmt.Sprintf("%+v", rec)
			got := rec.Take(kind, rules, now, n, charge, states)
			if got != want {
				t.Fatalf("at %d: %d by %v admitted: %v, want %v; states %+v", now, n, rules, got, want, states)
			}
			if (!got || !charge) && !(ahead && charge && n > 0) {
				if after := fmt.Sprintf("%+v", rec); after != before {
					t.Fatalf("at %d: charged nothing, but left a trace: %s, before %s", now, after, before)
				}
			}
			for i, r := range rules {
				check(t, "before", kind, r, ledgers[i], states[i], now, n)
				due = max(due, now+r.RetryAfter(kind, states[i], n))
				if got && charge {
					ledgers[i] = ledgers[i].charged(kind, r.Window, now, n)
					check(t, "after", kind, r, ledgers[i], r.Charge(kind, states[i], n), now, n)
				} else if charge && n > 0 && ledgers[i].stale(kind, r.Window, now) {
					ledgers[i] = nil // so that the clock does not come to it before the wait is over
				}
			}
		}
	})
}

// check compares what the arithmetic makes of a state with what the ledger says by trying.
func check(t *rapid.T, when string, k window.Kind, r window.Rule, l ledger, s window.State, now, n int64) {
	t.Helper()
	if got, want := r.Remaining(k, s), l.remaining(k, r, now); got != want {
		t.Fatalf("at %d, %s %d: remaining %d of %+v, want %d; state %+v", now, when, n, got, r, want, s)
	}
	if got, want := r.ResetAfter(k, s), l.resetAfter(k, r.Window, now); got != want {
		t.Fatalf("at %d, %s %d: reset after %d of %+v, want %d; state %+v", now, when, n, got, r, want, s)
	}
	if when == "after" {
		return // Room is of the cost that was asked about before the charge
	}
	if got, want := r.Admits(k, s, n), l.admits(k, r, now, n); got != want {
		t.Fatalf("at %d: %d by %+v admitted: %v, want %v; state %+v", now, n, r, got, want, s)
	}
	if got, want := r.RetryAfter(k, s, n), l.retryAfter(k, r, now, n); got != want {
		t.Fatalf("at %d: retry %d after %d by %+v, want %d; state %+v", now, n, got, r, want, s)
	}
}

// TestWaitOfSeveralLimitsIsTheLongest is why a limiter may tell the maximum: at that time all limits admit, and a
// millisecond before not all do. That holds behind a clock that has stepped back too, by more than a window of one limit
// and less than one of another.
func TestWaitOfSeveralLimitsIsTheLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind, rules := drawKind(t), drawRules(t)
		var rec window.Record
		states := make([]window.State, len(rules))
		least := slices.MinFunc(rules, func(a, b window.Rule) int { return int(a.Limit - b.Limit) }).Limit
		now := rapid.Int64Range(1_000_000, 1_000_060).Draw(t, "now")
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			n := rapid.Int64Range(1, least).Draw(t, "cost")
			if rapid.IntRange(0, 3).Draw(t, "steps back") == 0 {
				now -= rapid.Int64Range(0, 60).Draw(t, "back")
			}
			if rec.Take(kind, rules, now, n, true, states) {
				now += rapid.Int64Range(0, 20).Draw(t, "on")
				continue
			}
			var wait int64
			for i, r := range rules {
				wait = max(wait, r.RetryAfter(kind, states[i], n))
			}
			if rec.Take(kind, rules, now+wait-1, n, false, states) || !rec.Take(kind, rules, now+wait, n, false, states) {
				t.Fatalf("at %d: %d by %+v is due in %d, but not exactly then", now, n, rules, wait)
			}
			now += wait
		}
	})
}

// TestRecordMattersUntilItsEnd is what stores forget by.
func TestRecordMattersUntilItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind, rules := drawKind(t), drawRules(t)
		var rec window.Record
		states := make([]window.State, len(rules))
		least := slices.MinFunc(rules, func(a, b window.Rule) int { return int(a.Limit - b.Limit) }).Limit
		now := int64(1_000_000)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			now += rapid.Int64Range(-20, 40).Draw(t, "on")
			rec.Take(kind, rules, now, rapid.Int64Range(0, least).Draw(t, "cost"), true, states)
		}
		used := func(at int64) (sum int64) {
			rec.Take(kind, rules, at, 0, false, states)
			for i, r := range rules {
				sum += r.ResetAfter(kind, states[i])
			}
			return sum
		}
		end := rec.End(rules)
		if end == 0 {
			if used(now) != 0 {
				t.Fatalf("a record in use has no end")
			}
			return
		}
		for _, after := range []int64{0, 1, 1000} {
			if used(end+after) != 0 {
				t.Fatalf("%d ms after the end %d, states are %+v", after, end, states)
			}
		}
		if kind != window.Fixed && used(end-1) == 0 { // what is fixed matters for one window only, and is kept for two
			t.Fatalf("1 ms before the end %d, nothing is used", end)
		}
	})
}
