package window_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/internal/window"
)

// drawLarge is a rule anywhere within the bounds, with numbers at their ends more often than not.
func drawLarge(t *rapid.T) window.Rule {
	const below = 1<<32 - 1
	limit := rapid.OneOf(rapid.Int64Range(1, below), rapid.Int64Range(below-3, below)).Draw(t, "limit")
	most := min(below, (1<<53-1)/limit)
	w := rapid.OneOf(rapid.Int64Range(1, most), rapid.Int64Range(max(most-3, 1), most)).Draw(t, "window")
	return window.Rule{Limit: limit, Window: w}
}

func drawCount(t *rapid.T, label string, r window.Rule) int64 {
	return rapid.OneOf(
		rapid.Int64Range(0, window.MaxCount),
		rapid.Int64Range(window.MaxCount-2, window.MaxCount),
		rapid.Int64Range(0, min(r.Limit, window.MaxCount)),
		rapid.Int64Range(max(r.Limit-3, 0), min(r.Limit, window.MaxCount)),
	).Draw(t, label)
}

// later is a sliding state when wait has passed and nothing was charged.
func later(s window.State, w, wait int64) window.State {
	s.Elapsed += wait
	for ; s.Elapsed >= w; s.Elapsed -= w {
		s.Previous, s.Count = s.Count, 0
	}
	return s
}

// fits is the rule for admission in numbers that cannot overflow.
func fits(r window.Rule, s window.State, n int64) bool {
	b := big.NewInt
	left := b(0).Mul(b(s.Previous), b(r.Window-max(s.Elapsed, 0)))
	left.Add(left, b(0).Mul(b(0).Add(b(s.Count), b(n)), b(r.Window)))
	return left.Cmp(b(0).Mul(b(r.Limit), b(r.Window))) <= 0
}

// TestNothingOverflowsUpToTheBounds draws states with counts up to the saturated, whatever the limit: after a limit was
// lowered they may be far above it.
func TestNothingOverflowsUpToTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawLarge(t)
		s := window.State{
			Count:    drawCount(t, "count", r),
			Previous: drawCount(t, "previous", r),
			Elapsed: rapid.OneOf(
				rapid.Int64Range(-r.Window, r.Window-1), rapid.SampledFrom([]int64{-r.Window, -1, 0, r.Window - 1}),
			).Draw(t, "elapsed"),
		}
		n := rapid.OneOf(
			rapid.Int64Range(0, r.Limit), rapid.Int64Range(max(0, r.Limit-3), r.Limit), rapid.Int64Range(0, min(3, r.Limit)),
		).Draw(t, "cost")

		admits := fits(r, s, n)
		if got := r.Admits(window.Sliding, s, n); got != admits {
			t.Fatalf("%+v in %+v: %d admitted: %v, want %v", r, s, n, got, admits)
		}
		left := r.Remaining(window.Sliding, s)
		if left < 0 || left > 0 && !fits(r, s, left) || left < r.Limit && fits(r, s, left+1) {
			t.Fatalf("%+v in %+v: remaining %d is not the largest cost that is admitted", r, s, left)
		}
		wait := r.RetryAfter(window.Sliding, s, n)
		if (wait == 0) != admits || wait < 0 || wait > 3*r.Window {
			t.Fatalf("%+v in %+v: retry %d after %d, admitted now: %v", r, s, n, wait, admits)
		}
		if wait > 0 && (fits(r, later(s, r.Window, wait-1), n) || !fits(r, later(s, r.Window, wait), n)) {
			t.Fatalf("%+v in %+v: retry %d after %d is not exact", r, s, n, wait)
		}
		if charged := r.Charge(window.Sliding, s, n); charged.Count != min(s.Count+n, window.MaxCount) {
			t.Fatalf("%+v in %+v: charged %d: %+v", r, s, n, charged)
		}
	})
}

func TestCountsSaturate(t *testing.T) {
	const w = 1000
	c := window.Counter{Start: w, Current: window.MaxCount - 1}.Charged(1)
	if c.Current != window.MaxCount {
		t.Errorf("charged up to the largest count: %d, want %d", c.Current, uint32(window.MaxCount))
	}
	for _, n := range []int64{1, 2, 3, window.MaxCount, 1<<32 - 1} {
		if got := c.Charged(n); got.Current != window.MaxCount {
			t.Errorf("charged %d above it: %d", n, got.Current)
		}
	}
	var log window.Charges
	r := window.Rule{Limit: window.MaxCount, Window: w}
	for _, at := range []int64{w, w, w + 1} { // a charge alone, one beside it, and one after it
		log = log.At(at, w).Charged(at, window.MaxCount-1)
	}
	if got := log.At(w+1, w).State(r, w+1, 0).Count; got != window.MaxCount {
		t.Errorf("log of three times nearly the largest count: %d, want %d", got, int64(window.MaxCount))
	}
}

// TestLogIsRightWhenItsRunningTotalWraps spends far more than 32 bits hold, and never pauses for long enough that the log
// is empty and the total starts again.
func TestLogIsRightWhenItsRunningTotalWraps(t *testing.T) {
	r := window.Rule{Limit: 3_000_000_000, Window: 12}
	var rec window.Record
	var states [1]window.State
	for i := range int64(100) {
		now := 1000 + 4*i
		if !rec.Take(window.Log, []window.Rule{r}, now, 1_000_000_000, true, states[:]) {
			t.Fatalf("at %d: a third of the limit refused in %+v", now, states[0])
		}
		if i < 2 {
			continue
		}
		if rec.Take(window.Log, []window.Rule{r}, now, 1, true, states[:]) {
			t.Fatalf("at %d: one more than the limit admitted in %+v", now, states[0])
		}
		if want := (window.State{Count: 3_000_000_000, Room: 4}); states[0] != want {
			t.Fatalf("at %d: %+v, want %+v", now, states[0], want)
		}
	}
}
