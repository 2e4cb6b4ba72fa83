package memstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
)

// charge takes cost for key at a time after epoch, and reports whether it was admitted.
func charge(t *testing.T, s core.Store, at time.Duration, alg core.Algorithm, key string, cost int64, limits ...core.Limit) bool {
	t.Helper()
	req := request(fmt.Sprint(alg, limits), key, limits...)
	req.Algorithm, req.Cost, req.Now = alg, cost, epoch.Add(at)
	return mustTake(t, s, req)
}

// knows reports whether s has counts of key. It needs a scope as charge makes it.
func knows(t *testing.T, s core.Store, at time.Duration, alg core.Algorithm, key string, limits ...core.Limit) bool {
	t.Helper()
	req := request(fmt.Sprint(alg, limits), key, limits...)
	req.Op, req.Algorithm, req.Now = core.OpPeek, alg, epoch.Add(at)
	mustTake(t, s, req)
	for _, st := range req.States {
		if st.Count > 0 || st.Previous > 0 {
			return true
		}
	}
	return false
}

type call struct {
	at     time.Duration
	alg    core.Algorithm
	key    string
	limits core.Limits
	cost   int64
}

func TestFullStoreForgetsInOrder(t *testing.T) {
	sliding, log, fixed := core.SlidingWindow, core.SlidingLog, core.FixedWindow
	one := func(l core.Limit) core.Limits { return core.Limits{l} }
	second, minute, hour, day := one(core.PerSecond(9)), one(core.PerMinute(9)), one(core.PerHour(9)), one(core.PerDay(9))
	s := time.Second

	for _, c := range []struct {
		name  string
		calls []call // charged in this order, in a store that is then full
		from  time.Duration
		gone  []string // go in this order, as new keys come that end last
	}{
		{"the one charged in the earlier window", []call{
			{0, sliding, "a", minute, 1}, {61 * s, sliding, "b", minute, 1}, {62 * s, sliding, "c", minute, 1},
		}, 63 * s, []string{"a"}},
		{"a charge in a later window keeps a key", []call{
			{0, sliding, "a", minute, 1}, {1 * s, sliding, "b", minute, 1}, {61 * s, sliding, "a", minute, 1},
		}, 63 * s, []string{"b", "a"}},
		{"mixed windows, by their ends and not by their charges", []call{
			{0, sliding, "day", day, 1}, {1 * s, sliding, "hour", hour, 1}, {2 * s, sliding, "minute", minute, 1},
			{3 * s, sliding, "second", second, 1},
		}, 4 * s, []string{"second", "minute", "hour", "day"}},
		{"an ended key of a long window before a live one of a short window", []call{
			{0, sliding, "hour", hour, 1}, {7199 * s, sliding, "minute", minute, 1},
		}, 7200 * s, []string{"hour", "minute"}},
		{"a log by its newest charge", []call{
			{0, log, "a", minute, 1}, {1 * s, log, "b", minute, 1}, {2 * s, log, "c", minute, 1}, {3 * s, log, "a", minute, 1},
		}, 4 * s, []string{"b", "c", "a"}},
		{"a fixed window at its end, a sliding one at the next", []call{
			{0, sliding, "sliding", minute, 1}, {0, fixed, "fixed", one(core.Per(9, 90*s)), 1},
		}, 1 * s, []string{"fixed", "sliding"}},
		{"several limits by the last of them", []call{
			{0, sliding, "minute and hour", core.Limits{minute[0], hour[0]}, 1},
			{0, sliding, "half an hour", one(core.Per(9, 1800*s)), 1},
			{0, log, "90 minutes", core.Limits{minute[0], core.Per(9, 5400*s)}, 1},
		}, 1 * s, []string{"half an hour", "90 minutes", "minute and hour"}},
		{"a clock that stepped back", []call{
			{65 * s, sliding, "later", minute, 1}, {5 * s, sliding, "now", minute, 1}, {5 * s, sliding, "hour", hour, 1},
		}, 6 * s, []string{"now", "later", "hour"}},
		{"a key that spent its limit is passed over", []call{
			{0, sliding, "spent", second, 9}, {0, sliding, "minute", minute, 1}, {0, sliding, "hour", hour, 1},
		}, 1 * s / 2, []string{"minute", "hour"}},
		{"a key that was refused more than it has left is passed over", []call{
			{0, sliding, "refused", second, 5}, {0, sliding, "refused", second, 5}, {0, sliding, "hour", hour, 1},
		}, 1 * s / 2, []string{"hour"}},
		{"a smaller charge that is admitted does not end that", []call{
			{0, sliding, "refused", second, 5}, {0, sliding, "refused", second, 5}, {0, sliding, "refused", second, 1},
			{0, sliding, "hour", hour, 1},
		}, 1 * s / 2, []string{"hour"}},
		{"nor does a smaller one that is refused for a shorter time", []call{
			{0, sliding, "refused", second, 5}, {0, sliding, "refused", second, 9}, {0, sliding, "refused", second, 5},
			{0, sliding, "hour", hour, 1},
		}, 3 * s / 2, []string{"hour"}},
		{"a refused log is passed over", []call{
			{0, log, "refused", second, 9}, {0, log, "refused", second, 1}, {0, log, "hour", hour, 1},
		}, 1 * s / 2, []string{"hour"}},
		{"any of several limits makes a key refuse", []call{
			{0, sliding, "refused", core.Limits{core.PerSecond(2), core.PerMinute(9)}, 2}, {0, sliding, "hour", hour, 1},
		}, 1 * s / 2, []string{"hour"}},
		{"a key whose wait is over goes in its turn", []call{
			{0, sliding, "waited", minute, 9}, {0, sliding, "hour", hour, 1},
		}, 100 * s, []string{"waited", "hour"}},
		{"a fixed window whose wait is over has ended", []call{
			{0, fixed, "waited", one(core.Per(9, 90*s)), 9}, {59 * s, sliding, "minute", minute, 1},
		}, 100 * s, []string{"waited", "minute"}},
		{"of keys that all refuse, the one whose wait ends first", []call{
			{0, sliding, "day", day, 9}, {0, sliding, "minute", minute, 9}, {0, fixed, "hour", hour, 9},
		}, 1 * s, []string{"minute"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys := map[string]call{}
			for _, q := range c.calls {
				keys[q.key] = q
			}
			st := memstore.New(memstore.MaxKeys(len(keys)))
			for _, q := range c.calls {
				charge(t, st, q.at, q.alg, q.key, q.cost, q.limits...)
			}
			for i, want := range c.gone {
				charge(t, st, c.from, sliding, fmt.Sprint("new", i), 1, core.Per(5, 49*24*time.Hour))
				q := keys[want]
				delete(keys, want)
				if knows(t, st, c.calls[len(c.calls)-1].at, q.alg, q.key, q.limits...) {
					t.Errorf("%q is still there after %d inserts", want, i+1)
				}
				for _, q := range keys {
					if !knows(t, st, c.calls[len(c.calls)-1].at, q.alg, q.key, q.limits...) {
						t.Fatalf("insert %d took %q, want %q", i+1, q.key, want)
					}
				}
			}
		})
	}
}

func TestRefusedKeysSurviveAFlood(t *testing.T) {
	for _, max := range []int{2, 1000, 5000, 100_000} {
		t.Run(fmt.Sprint(max), func(t *testing.T) {
			s := memstore.New(memstore.MaxKeys(max))
			refused := max / 2
			for i := range refused {
				charge(t, s, 0, core.SlidingWindow, fmt.Sprint("refused", i), 3, core.PerMinute(3))
			}
			for i := range 2 * max {
				charge(t, s, time.Second, core.SlidingWindow, fmt.Sprint("flood", i), 1, core.PerMinute(3))
			}
			if s.Len() != max {
				t.Errorf("Len is %d, want it full", s.Len())
			}
			for i := range refused {
				if charge(t, s, time.Second, core.SlidingWindow, fmt.Sprint("refused", i), 1, core.PerMinute(3)) {
					t.Fatalf("key %d of %d was freed", i, refused)
				}
			}
		})
	}
}

// All keys but one refuse. Whatever part of the store a new key falls into, that one has to go.
func TestOnlyKeyThatMayGoIsFoundInAnyPart(t *testing.T) {
	const max = 4096
	s := memstore.New(memstore.MaxKeys(max))
	for i := range max - 1 {
		charge(t, s, 0, core.SlidingWindow, fmt.Sprint("refused", i), 3, core.PerMinute(3))
	}
	for i := range 200 {
		charge(t, s, 0, core.SlidingWindow, fmt.Sprint("new", i), 1, core.PerMinute(3))
	}
	for i := range max - 1 {
		if !knows(t, s, 0, core.SlidingWindow, fmt.Sprint("refused", i), core.PerMinute(3)) {
			t.Fatalf("refused key %d was forgotten", i)
		}
	}
	if s.Len() != max || !knows(t, s, 0, core.SlidingWindow, "new199", core.PerMinute(3)) {
		t.Error("the newest key is not there")
	}
}

func TestStoreHoldsAsManyKeysAsItMay(t *testing.T) {
	for _, max := range []int{1, 5, 2047, 2048, 10_000, 100_000} {
		s := memstore.New(memstore.MaxKeys(max))
		for i := range max {
			charge(t, s, 0, core.SlidingWindow, fmt.Sprint(i), 1, core.PerMinute(3))
		}
		for i := range max {
			if !knows(t, s, 0, core.SlidingWindow, fmt.Sprint(i), core.PerMinute(3)) {
				t.Fatalf("MaxKeys(%d): key %d was forgotten though the store had room", max, i)
			}
		}
	}
}

func TestBoundHoldsAtEveryInstant(t *testing.T) {
	for _, max := range []int{1, 5, 3000, 10_000} {
		for _, limit := range []core.Limit{core.PerMinute(1), core.PerMinute(3)} { // the first makes all keys refuse
			t.Run(fmt.Sprint(max, " ", limit), func(t *testing.T) {
				s := memstore.New(memstore.MaxKeys(max))
				done := make(chan struct{})
				var watch, work sync.WaitGroup
				watch.Go(func() {
					for {
						if n := s.Len(); n < 0 || n > max {
							t.Errorf("Len is %d", n)
							return
						}
						select {
						case <-done:
							return
						default:
						}
					}
				})
				for g := range 4 {
					work.Go(func() {
						req := request("a:w1m", "", limit)
						for i := range max/2 + 1000 {
							req.Op, req.Key = core.OpTake, fmt.Sprint(g, "-", i)
							if i%16 == 15 {
								req.Op, req.Key = core.OpReset, fmt.Sprint(g, "-", i-1)
							}
							if _, err := s.Take(context.Background(), req); err != nil {
								t.Error(err)
								return
							}
						}
					})
				}
				work.Wait()
				close(done)
				watch.Wait()
				if s.Len() > max || s.Len() == 0 {
					t.Errorf("Len is %d in the end", s.Len())
				}
			})
		}
	}
}

// A store full of counts from the future, which the clock has stepped back behind, soon counts again.
func TestCountsFromTheFutureMakeRoom(t *testing.T) {
	for _, spent := range []int64{1, 3} {
		s := memstore.New(memstore.MaxKeys(100))
		for i := range 100 {
			charge(t, s, 24*time.Hour, core.SlidingWindow, fmt.Sprint("future", i), spent, core.PerMinute(3))
		}
		for i := range 50 {
			charge(t, s, 0, core.SlidingWindow, fmt.Sprint("new", i), 1, core.PerMinute(3))
		}
		forgotten := 0
		for i := range 50 {
			if !knows(t, s, 0, core.SlidingWindow, fmt.Sprint("new", i), core.PerMinute(3)) {
				forgotten++
			}
		}
		if forgotten > 5 {
			t.Errorf("charged %d each: %d of 50 new keys were forgotten, for keys that no longer count", spent, forgotten)
		}
	}
}

// A key refused before the clock stepped back far starts afresh, and what it is charged then is kept like any other's.
func TestKeyRefusedInTheFutureIsChargedAfresh(t *testing.T) {
	for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
		for _, limits := range []core.Limits{{core.PerMinute(3)}, {core.PerSecond(3), core.PerMinute(4)}} {
			s := memstore.New(memstore.MaxKeys(100))
			charge(t, s, 10*time.Minute, alg, "a", 3, limits...)
			charge(t, s, 10*time.Minute, alg, "a", 3, limits...)
			charge(t, s, 0, alg, "a", 3, limits...)
			for i := range 20 {
				charge(t, s, 0, alg, fmt.Sprint("new", i), 1, limits...)
			}
			if !knows(t, s, 0, alg, "a", limits...) {
				t.Errorf("%v %v: the new charge was forgotten", alg, limits)
			}
		}
	}
}

func TestCountsSurviveAClockThatStepsBackByAWindow(t *testing.T) {
	for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
		s := memstore.New(memstore.MaxKeys(100))
		charge(t, s, 30*time.Second, alg, "a", 3, core.PerMinute(3))
		for i := range 50 { // would clear it away as soon as it has ended
			charge(t, s, 89*time.Second, alg, fmt.Sprint("new", i), 1, core.PerMinute(3))
		}
		if charge(t, s, 30*time.Second, alg, "a", 1, core.PerMinute(3)) {
			t.Errorf("%v: a key was freed by a clock that went to and fro", alg)
		}
	}
}
