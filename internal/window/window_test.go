package window_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/internal/window"
)

// TestMain has rapid draw more than its 100 examples a property; -rapid.checks still has the last word.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "1000")
	os.Exit(m.Run())
}

func TestCounterRollsForwardAndIsKeptAWindowBack(t *testing.T) {
	const w = 100
	c := window.Counter{Start: 500, Current: 3, Previous: 2}
	for _, tt := range []struct {
		name string
		now  int64
		want window.Counter
	}{
		{"at its start", 500, c},
		{"at its last millisecond", 599, c},
		{"a window on", 600, window.Counter{Start: 600, Previous: 3}},
		{"at the end of that", 699, window.Counter{Start: 600, Previous: 3}},
		{"two windows on", 700, window.Counter{Start: 700}},
		{"far on", 10_050, window.Counter{Start: 10_000}},
		{"a millisecond back", 499, c},
		{"a window back", 400, c},
		{"more than a window back", 399, window.Counter{Start: 300}},
		{"far back", 0, window.Counter{Start: 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.At(tt.now, w); got != tt.want {
				t.Errorf("at %d: %+v, want %+v", tt.now, got, tt.want)
			}
		})
	}
}

func TestEmptyCounterIsAWindowOfItsOwnTime(t *testing.T) {
	c := window.Counter{}.At(1_234_567, 1000)
	if want := (window.Counter{Start: 1_234_000}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if s := c.State(1_234_567); s != (window.State{Elapsed: 567}) {
		t.Errorf("state %+v", s)
	}
}

func TestStateSaysHowFarTheClockIsBehindTheWindow(t *testing.T) {
	c := window.Counter{Start: 500, Current: 3, Previous: 2}
	if got, want := c.At(450, 100).State(450), (window.State{Count: 3, Previous: 2, Elapsed: -50}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestLogKeepsOneWindowBackFromItsNewestCharge(t *testing.T) {
	const w = 100
	var log window.Charges
	for _, e := range []entry{{500, 1}, {540, 2}, {540, 4}, {580, 8}} {
		log = log.At(e.at, w).Charged(e.at, e.cost)
	}
	for _, tt := range []struct {
		name           string
		now            int64
		count, elapsed int64
	}{
		{"at the newest charge", 580, 15, 0},
		{"with the oldest about to leave", 599, 15, 19},
		{"with the oldest gone", 600, 14, 20},
		{"with two charges of a time gone", 640, 8, 60},
		{"with the newest about to leave", 679, 8, 99},
		{"with all gone", 680, 0, 0},
		{"back", 550, 15, -30},
		{"a window back", 480, 15, -100},
		{"more than a window back", 479, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := log.At(tt.now, w).State(window.Rule{Limit: 100, Window: w}, tt.now, 1)
			if want := (window.State{Count: tt.count, Elapsed: tt.elapsed}); s != want {
				t.Errorf("at %d: %+v, want %+v", tt.now, s, want)
			}
		})
	}
}

// TestLogKeepsOneEntryAMillisecond bounds a log's memory by its window, too, and not by its limit alone.
func TestLogKeepsOneEntryAMillisecond(t *testing.T) {
	var log window.Charges
	for range 1000 {
		log = log.At(500, 100).Charged(500, 1)
	}
	if n := strings.Count(fmt.Sprintf("%+v", log), "at:"); n != 1 {
		t.Errorf("%d entries after 1000 charges in a millisecond, want 1", n)
	}
}

func TestRoomIsWhenEnoughHasLeftTheLog(t *testing.T) {
	const w = 100
	r := window.Rule{Limit: 15, Window: w}
	var log window.Charges
	for _, e := range []entry{{500, 1}, {540, 6}, {580, 8}} {
		log = log.At(e.at, w).Charged(e.at, e.cost)
	}
	for _, tt := range []struct{ n, want int64 }{
		{0, 0}, {1, 10}, {2, 50}, {7, 50}, {8, 90}, {15, 90}, {16, 0},
	} {
		if got := log.At(590, w).State(r, 590, tt.n).Room; got != tt.want {
			t.Errorf("room for %d in %d ms, want %d", tt.n, got, tt.want)
		}
	}
}

// TestChargeIsTheStateThatTheNextRequestSees is what lets a limiter tell what is left without asking its store again.
func TestChargeIsTheStateThatTheNextRequestSees(t *testing.T) {
	r := window.Rule{Limit: 9, Window: 100}
	for _, kind := range kinds {
		var rec window.Record
		var states, next [1]window.State
		for i, now := range []int64{1000, 1040, 1040, 1020, 1110, 990, 1300} { // mostly on, twice back
			n := int64(i % 3)
			ok := rec.Take(kind, []window.Rule{r}, now, n, true, states[:])
			rec.Take(kind, []window.Rule{r}, now, 0, false, next[:])
			if want := r.Charge(kind, states[0], n); ok && next[0] != want {
				t.Errorf("kind %d, step %d: %+v and a charge of %d is %+v, the record says %+v", kind, i, states[0], n, want, next[0])
			}
		}
	}
}

func TestChargeLeavesNoRoomToTellOf(t *testing.T) {
	s := window.Rule{Limit: 9, Window: 100}.Charge(window.Log, window.State{Count: 8, Elapsed: 5, Room: 7}, 1)
	if want := (window.State{Count: 9}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestNeverIsForACostAboveTheLimitAlone(t *testing.T) {
	r := window.Rule{Limit: 3, Window: 100}
	for _, kind := range kinds {
		for n := range int64(6) {
			got := r.RetryAfter(kind, window.State{}, n)
			if want := map[bool]int64{true: window.Never}[n > 3]; got != want {
				t.Errorf("kind %d: retry %d after %d, want %d", kind, n, got, want)
			}
		}
	}
}

func TestTakeAllocatesNothingOnceARecordIsInUse(t *testing.T) {
	rules := []window.Rule{{Limit: 1 << 30, Window: 1000}, {Limit: 1 << 20, Window: 60_000}}
	for _, kind := range kinds {
		var rec window.Record
		var states [2]window.State
		rec.Take(kind, rules, 1500, 1, true, states[:])
		if n := testing.AllocsPerRun(100, func() { rec.Take(kind, rules, 1500, 1, true, states[:]) }); n != 0 {
			t.Errorf("kind %d: %v allocations a decision", kind, n)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	for _, bm := range []struct {
		name string
		kind window.Kind
	}{{"sliding", window.Sliding}, {"log", window.Log}, {"fixed", window.Fixed}} {
		for _, limits := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/limits=%d", bm.name, limits), func(b *testing.B) {
				rules := []window.Rule{{Limit: 100, Window: 1000}, {Limit: 10_000, Window: 60_000}}[:limits]
				states := make([]window.State, limits)
				var rec window.Record
				now := int64(1_000_000)
				for b.Loop() {
					rec.Take(bm.kind, rules, now, 1, true, states)
					now += 11 // so that some are refused
				}
			})
		}
	}
}

// BenchmarkRefusal is the wait of a full log, the most that a refusal works out.
func BenchmarkRefusal(b *testing.B) {
	r := window.Rule{Limit: 10_000, Window: 60_000}
	var rec window.Record
	var states [1]window.State
	now := int64(1_000_000)
	for range r.Limit {
		rec.Take(window.Log, []window.Rule{r}, now, 1, true, states[:])
		now += 3
	}
	for b.Loop() {
		rec.Take(window.Log, []window.Rule{r}, now, 5000, true, states[:])
		if r.RetryAfter(window.Log, states[0], 5000) <= 0 {
			b.Fatal("admitted")
		}
	}
}
