package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// contract is what the doc comments of core.Store and core.Request promise, one check a promise. Each gets an empty
// store, and is run for each algorithm.
var contract = []struct {
	name     string
	run      func(testing.TB, *clock, core.Algorithm)
	timeless bool // whether it holds by any clock, even one that goes on meanwhile
}{
	{"UnknownOpIsAnErrorAndChargesNothing", unknownOp, true},
	{"AnswersItsClockInMilliseconds", answersClock, false},
	{"StatesAreFromBeforeTheCharge", statesBefore, false},
	{"StatesAreWrittenWhole", statesWhole, false},
	{"ARefusalChargesNothing", refusalFree, true},
	{"AllLimitsAreChargedOrNone", allOrNone, true},
	{"EightLimits", eightLimits, true},
	{"CostZeroChargesNothing", costZero, true},
	{"PeekLeavesNoTrace", peekTraceless, false},
	{"ResetForgetsOneKeyOfOneScope", resetOne, true},
	{"ScopesAndKeysAreSeparate", separate, true},
	{"CountsOutliveChangedLimits", changedLimits, true},
	{"ACancelledContextIsCounted", cancelled, true},
	{"ConcurrentTakesAdmitExactlyTheLimit", concurrent, true},
}

// long is a window that no test sees the end of, whatever the clock. longer is another.
const (
	long   = 1000 * time.Hour
	longer = 1100 * time.Hour
)

// Limits of most checks.
var (
	three  = core.Limits{core.Per(3, long)}
	both   = core.Limits{core.Per(3, long), core.Per(100, longer)}
	hourly = core.Limits{core.PerHour(3)}
)

// request is a take of 1 by limits.
func request(alg core.Algorithm, limits core.Limits, key string) core.Request {
	return core.Request{Algorithm: alg, Scope: "storetest:" + alg.String(), Key: key, Limits: limits, Cost: 1}
}

// ask has the store do req, and fails the test unless it does. It returns the states and whether they admit.
func (c *clock) ask(t testing.TB, req core.Request) ([]core.State, bool) {
	t.Helper()
	req.States = make([]core.State, len(req.Limits))
	if _, err := c.Take(t.Context(), req); err != nil {
		t.Fatalf("%v of %d from %q by %v: %v", opName(req.Op), req.Cost, req.Key, req.Limits, err)
	}
	return req.States, req.Admitted()
}

// want asks, and compares what was charged before, limit by limit.
func (c *clock) want(t testing.TB, req core.Request, admitted bool, counts ...int64) {
	t.Helper()
	states, ok := c.ask(t, req)
	if ok != admitted {
		t.Errorf("%s of %d by %v: admitted %v, want %v", opName(req.Op), req.Cost, req.Limits, ok, admitted)
	}
	for i, want := range counts {
		if states[i].Count != want {
			t.Errorf("%s of %d by %v: Count of limit %d is %d before it, want %d",
				opName(req.Op), req.Cost, req.Limits, i+1, states[i].Count, want)
		}
	}
}

func opName(op core.Op) string {
	return [...]string{core.OpTake: "take", core.OpPeek: "peek", core.OpReset: "reset"}[op]
}

func unknownOp(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	req := request(alg, three, "key")
	req.Op, req.States = 200, make([]core.State, 1)
	if _, err := c.Take(t.Context(), req); !errors.Is(err, core.ErrUnknownOp) {
		t.Errorf("operation 200: error %v, want one that is core.ErrUnknownOp", err)
	}
	c.want(t, request(alg, three, "key"), true, 0)
}

func answersClock(t testing.TB, c *clock, alg core.Algorithm) {
	req := request(alg, hourly, "key")
	req.States = make([]core.State, 1)
	for _, want := range []time.Duration{0, time.Millisecond, 1999 * time.Microsecond, time.Hour} {
		c.set(epoch.Add(want))
		at, err := c.Take(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if at.UnixMilli() != epoch.Add(want).UnixMilli() {
			t.Errorf("the clock is at %v, Take says %v", epoch.Add(want), at)
		}
	}
	// A clock within a millisecond is at its start: the charge of 1.999 ms was at 1 ms.
	c.set(epoch.Add(time.Hour + 999*time.Microsecond))
	states, _ := c.ask(t, request(alg, hourly, "key"))
	if states[0].Elapsed != 0 {
		t.Errorf("0.999 ms into a millisecond, Elapsed is %d ms, want 0", states[0].Elapsed)
	}
}

func statesBefore(t testing.TB, c *clock, alg core.Algorithm) {
	take2 := request(alg, core.Limits{core.PerHour(5)}, "key")
	take2.Cost = 2
	elapsed := func(counter, log int64) int64 {
		if alg == core.SlidingLog {
			return log
		}
		return counter
	}
	previous := func(n int64) int64 {
		if alg == core.SlidingWindow {
			return n
		}
		return 0
	}
	for _, step := range []struct {
		at   time.Duration
		want core.State
	}{
		{10 * time.Minute, core.State{Elapsed: elapsed(600_000, 0)}},
		{10 * time.Minute, core.State{Count: 2, Elapsed: elapsed(600_000, 0)}},
		{20 * time.Minute, core.State{Count: 4, Elapsed: elapsed(1_200_000, 600_000)}}, // refused
		{40 * time.Minute, core.State{Count: 4, Elapsed: elapsed(2_400_000, 1_800_000)}},
		{3 * time.Hour, core.State{}},
		{4*time.Hour - time.Millisecond, core.State{Count: 2, Elapsed: 3_599_999}},
		{4*time.Hour + 2*time.Millisecond, core.State{Count: elapsed(0, 2), Previous: previous(4), Elapsed: elapsed(2, 3)}},
	} {
		c.set(epoch.Add(step.at))
		states, _ := c.ask(t, take2)
		got := states[0]
		got.Room = 0 // of a log that refuses, which the histories compare
		if alg == core.FixedWindow {
			got.Previous = 0 // which it need not keep
		}
		if got != step.want {
			t.Errorf("at %v: state %+v, want %+v", step.at, got, step.want)
		}
	}
}

// statesWhole hands over memory that holds another decision's states, as a pool of it does.
func statesWhole(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	req := request(alg, core.Limits{core.PerHour(3), core.PerDay(100)}, "key")
	for _, want := range []int64{0, 1} {
		dirt := core.State{Count: 77, Previous: 88, Elapsed: 99, Room: 111}
		req.States = []core.State{dirt, dirt}
		if _, err := c.Take(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		for i, got := range req.States {
			if alg == core.FixedWindow {
				got.Previous = 0
			}
			if got != (core.State{Count: want}) {
				t.Errorf("limit %d: state %+v, want all 0 but Count: %d", i+1, got, want)
			}
		}
	}
}

func refusalFree(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	for i := range int64(50) {
		c.want(t, request(alg, three, "key"), i < 3, min(i, 3))
	}
	big := request(alg, three, "other")
	big.Cost = 2
	c.want(t, big, true, 0)
	c.want(t, big, false, 2)
	c.want(t, request(alg, three, "other"), true, 2)
}

func allOrNone(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	for i := range int64(50) {
		c.want(t, request(alg, both, "key"), i < 3, min(i, 3), min(i, 3))
	}
	tight := core.Limits{core.Per(100, long), core.Per(3, longer)} // the other way round: the later limit refuses
	for i := range int64(50) {
		c.want(t, request(alg, tight, "other"), i < 3, min(i, 3), min(i, 3))
	}
}

func eightLimits(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	var limits core.Limits
	for i := range core.MaxLimits {
		limits = append(limits, core.Per(int64(2+i%3), long+time.Duration(i)*time.Minute))
	}
	for i := range int64(4) {
		n := min(i, 2)
		c.want(t, request(alg, limits, "key"), i < 2, n, n, n, n, n, n, n, n)
	}
}

func costZero(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	free := request(alg, three, "key")
	free.Cost = 0
	c.want(t, free, true, 0)
	c.want(t, free, true, 0)
	for range 3 {
		c.ask(t, request(alg, three, "key"))
	}
	c.want(t, free, true, 3) // nothing is left, but nothing is asked
	lower := core.Limits{core.Per(2, long)}
	free.Limits = lower
	c.want(t, free, false, 3)
}

// peekTraceless peeks when the first charge no longer counts as it did, and then sets the clock back: a store that had
// kept what it worked out for the peek would now know too little.
func peekTraceless(t testing.TB, c *clock, alg core.Algorithm) {
	peek := request(alg, hourly, "key")
	peek.Op = core.OpPeek
	c.set(epoch)
	c.want(t, peek, true, 0)
	c.want(t, peek, true, 0)
	c.want(t, request(alg, hourly, "key"), true, 0)
	c.set(epoch.Add(40 * time.Minute))
	c.want(t, request(alg, hourly, "key"), true, 1)
	c.set(epoch.Add(70 * time.Minute))
	c.want(t, peek, true)
	c.set(epoch.Add(40 * time.Minute))
	c.want(t, peek, true, 2)
	c.want(t, request(alg, hourly, "key"), true, 2)
}

func resetOne(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	other := request(alg, three, "key")
	other.Scope += ":other"
	reqs := []core.Request{request(alg, three, "key"), request(alg, three, "key2"), other}
	for _, req := range reqs {
		for range 3 {
			c.ask(t, req)
		}
	}
	reset := reqs[0]
	reset.Op, reset.Limits, reset.Cost = core.OpReset, nil, 0
	c.ask(t, reset)
	c.ask(t, reset) // also of a key that has no counts
	c.want(t, reqs[0], true, 0)
	c.want(t, reqs[1], false, 3)
	c.want(t, reqs[2], false, 3)
}

func changedLimits(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	by := func(requests int64) core.Request { return request(alg, core.Limits{core.Per(requests, long)}, "key") }
	for i := range int64(4) {
		c.want(t, by(4), true, i)
	}
	c.want(t, by(2), false, 4)
	c.want(t, by(5), true, 4)
	c.want(t, by(5), false, 5)
	c.want(t, by(1), false, 5)
	c.want(t, by(6), true, 5)
}

func cancelled(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := request(alg, three, "key")
	req.States = make([]core.State, 1)
	if _, err := c.Take(ctx, req); err != nil {
		t.Errorf("take under a cancelled context: %v; a client that hangs up is no failure", err)
	}
	c.want(t, request(alg, three, "key"), true, 1)
}

func concurrent(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	const askers, each = 16, 20
	limits := core.Limits{core.Per(100, long), core.Per(1000, longer)}
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for range askers {
		wg.Go(func() {
			for range each {
				req := request(alg, limits, "key")
				req.States = make([]core.State, len(limits))
				if _, err := c.Take(t.Context(), req); err != nil {
					t.Error(err)
				} else if req.Admitted() {
					admitted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 100 {
		t.Errorf("%d askers of %d each: %d admitted by %v, want 100", askers, each, n, limits)
	}
	peek := request(alg, limits, "key")
	peek.Op = core.OpPeek
	c.want(t, peek, false, 100, 100)
}
