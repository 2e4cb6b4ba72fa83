package window_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/internal/window"
)

// admitted draws a client that mostly presses, with random costs and limits that change, and returns what it was
// admitted, in the order of time, and the largest limit that it had.
func admitted(t *rapid.T, kind window.Kind, w int64) (charges []entry, largest int64) {
	var rec window.Record
	states := make([]window.State, 1)
	now := rapid.Int64Range(1_000_000, 1_000_000+w).Draw(t, "start")
	rule := window.Rule{Limit: rapid.Int64Range(1, 12).Draw(t, "limit"), Window: w}
	changes := rapid.Bool().Draw(t, "changes")
	for range rapid.IntRange(1, 80).Draw(t, "steps") {
		if changes && rapid.IntRange(0, 9).Draw(t, "change") == 0 {
			rule.Limit = rapid.Int64Range(1, 12).Draw(t, "limit")
		}
		largest = max(largest, rule.Limit)
		n := rapid.Int64Range(1, rule.Limit).Draw(t, "cost")
		if rec.Take(kind, []window.Rule{rule}, now, n, true, states) {
			charges = append(charges, entry{now, n})
		} else if rapid.Bool().Draw(t, "obeys") {
			now += rule.RetryAfter(kind, states[0], n)
		}
		now += rapid.Int64Range(0, 1+w/8).Draw(t, "on")
	}
	return charges, largest
}

// TestSlidingWindowAdmitsAtMostThePublishedBound is the guarantee: L*(1 + d/W) in any interval of length d.
func TestSlidingWindowAdmitsAtMostThePublishedBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, 60).Draw(t, "window")
		charges, largest := admitted(t, window.Sliding, w)
		for i, first := range charges {
			var sum int64
			for _, last := range charges[i:] {
				sum += last.cost
				if d := last.at - first.at; sum*w > largest*(w+d) {
					t.Fatalf("%d in %d ms, at most %d in a window of %d ms: %v", sum, d, largest, w, charges)
				}
			}
		}
	})
}

func TestSlidingLogAdmitsAtMostTheLimitInAnyWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, 60).Draw(t, "window")
		charges, largest := admitted(t, window.Log, w)
		for _, last := range charges {
			if sum := ledger(charges).between(last.at-w, last.at); sum > largest {
				t.Fatalf("%d in the %d ms up to %d, at most %d: %v", sum, w, last.at, largest, charges)
			}
		}
	})
}

func TestFixedWindowAdmitsAtMostTheLimitInEachWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, 60).Draw(t, "window")
		charges, largest := admitted(t, window.Fixed, w)
		for _, c := range charges {
			start := c.at - c.at%w
			if sum := ledger(charges).between(start-1, start+w-1); sum > largest {
				t.Fatalf("%d in the window from %d, at most %d: %v", sum, start, largest, charges)
			}
		}
	})
}

// TestSaturatingClientGetsAlmostTheLimit is the other half of the guarantee: what is not admitted for want of exactness.
func TestSaturatingClientGetsAlmostTheLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule window.Rule
		kind window.Kind
		want []int // admitted in the first windows, one request a millisecond
	}{
		{"sliding", window.Rule{Limit: 10, Window: 100}, window.Sliding, []int{10, 9, 9, 9, 9}},
		{"sliding, as many as milliseconds", window.Rule{Limit: 50, Window: 50}, window.Sliding, []int{50, 49, 49, 49, 49}},
		{"sliding, two", window.Rule{Limit: 2, Window: 50}, window.Sliding, []int{2, 1, 1, 1, 1}},
		{"sliding, one: one in two windows", window.Rule{Limit: 1, Window: 50}, window.Sliding, []int{1, 0, 1, 0, 1}},
		{"log", window.Rule{Limit: 10, Window: 100}, window.Log, []int{10, 10, 10, 10, 10}},
		{"fixed", window.Rule{Limit: 10, Window: 100}, window.Fixed, []int{10, 10, 10, 10, 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rec window.Record
			states := make([]window.State, 1)
			now := tt.rule.Window * 1000
			for i, want := range tt.want {
				got := 0
				for range tt.rule.Window {
					if rec.Take(tt.kind, []window.Rule{tt.rule}, now, 1, true, states) {
						got++
					}
					now++
				}
				if got != want {
					t.Errorf("window %d: %d admitted, want %d", i, got, want)
				}
			}
		})
	}
}
