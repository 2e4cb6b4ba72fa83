// Package storetest is the suite that every [core.Store] must pass.
//
// A store whose clock a test can set takes [Run], in a test as short as this:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) storetest.Clocked {
//			return storetest.Clocked{Store: mystore.New()}
//		})
//	}
//
// It plays the scenarios of testdata/window through a [core.Limiter], which pins every number that a client is told;
// holds the store to its contract, a sentence of [core.Store] and [core.Request] at a time; and compares it with
// [core.Counts] over random histories in which limits change and the clock steps back.
//
// A store that counts by a clock which nobody can set, such as that of a real server, takes [RealTime], which judges
// each answer by the time that the store says it gave it at.
//
// The package imports testing: only tests import it.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// Clocked is an empty store whose clock the suite sets.
type Clocked struct {
	Store core.Store

	// SetClock sets the clock that Store counts by; nil, if that is Request.Now, which always has the same time. It is
	// called before each step, never during one, and may set the clock back.
	//
	// Keys that expire must do so by this clock too, or not at all. Where that takes a separate call, such as
	// miniredis's FastForward, it is due for the time by which now exceeds the latest time set before: a clock that
	// goes back and forth must not age the keys twice.
	SetClock func(now time.Time)

	// MinWindow is the shortest window that the suite may use, for a store whose keys expire by a clock that nobody can
	// set. The suite never pauses, so a few seconds are plenty. Scenarios with shorter windows are skipped.
	MinWindow time.Duration
}

// Run holds the stores that open returns to the contract. It calls open once a subtest, for a store of its own.
func Run(t *testing.T, open func(testing.TB) Clocked) {
	t.Run("Scenarios", func(t *testing.T) {
		scenarios, err := readScenarios()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				c := &clock{Clocked: open(t)}
				if shortest := s.limits[0].Window; shortest < c.MinWindow {
					t.Skipf("needs a store that can be tested with windows of %v; this one takes %v", shortest, c.MinWindow)
				}
				s.play(t, c)
			})
		}
	})
	for _, alg := range algorithms {
		t.Run(alg.String(), func(t *testing.T) {
			for _, check := range contract {
				t.Run(check.name, func(t *testing.T) { check.run(t, &clock{Clocked: open(t)}, alg) })
			}
			t.Run("AgreesWithCountsOverRandomHistories", func(t *testing.T) { compare(t, &clock{Clocked: open(t)}, alg) })
		})
	}
}

var algorithms = []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow}

// epoch is where clocks start: a multiple of every window used in the contract's checks, and far enough ahead that keys
// which expire at a time, by a clock that cannot be set, outlive the tests.
var epoch = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the store under test at a time that is set. It is a core.Store, so that limiters can be made of it.
type clock struct {
	Clocked
	now time.Time
}

func (c *clock) set(now time.Time) {
	c.now = now
	if c.SetClock != nil {
		c.SetClock(now)
	}
}

// Take asks the store at the time set. It gives no deadline, since that would be by another clock.
func (c *clock) Take(ctx context.Context, req core.Request) (time.Time, error) {
	req.Now, req.Deadline = c.now, time.Time{}
	return c.Store.Take(ctx, req)
}
