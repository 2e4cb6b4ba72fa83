package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// RealTime holds a store that counts by a clock which nobody can set to what can be seen of the contract in real time:
// what does not depend on time, and a few hundred [Histories]. It takes some seconds.
func RealTime(t *testing.T, open func(testing.TB) core.Store) {
	for _, alg := range algorithms {
		for _, check := range contract {
			if check.timeless {
				t.Run(alg.String()+"/"+check.name, func(t *testing.T) {
					check.run(t, &clock{Clocked: Clocked{Store: open(t)}, now: time.Now()}, alg)
				})
			}
		}
	}
	t.Run("RetryAfterIsExact", func(t *testing.T) { Histories(t, 300, open) })
}

// Histories has n clients live through random histories on stores of their own, a hundred at a time, in real time:
// windows of 60 to 460 ms, limits from 1 to 12, costs up to the limit. Each spends until it is refused, and then tries
// again just before and just after its RetryAfter. Every answer must be the one that [core.Counts] gives at the time
// which the store says it answered at, and so must the time of the retry that is first admitted.
//
// The error of a history names its seed, but real time does not repeat.
func Histories(t testing.TB, n int, open func(testing.TB) core.Store) {
	seed := uint64(time.Now().UnixNano())
	var early, due atomic.Int64
	var wg sync.WaitGroup
	slots := make(chan struct{}, 100)
	for i := range uint64(n) {
		name := fmt.Sprintf("history-%x-%x", seed, i)
		h := &history{Rand: rand.New(rand.NewPCG(seed, i)), TB: t, name: name}
		store := open(t)
		slots <- struct{}{}
		wg.Go(func() {
			h.live(store)
			early.Add(h.early)
			due.Add(h.due)
			<-slots
		})
	}
	wg.Wait()
	t.Logf("%d histories: %d retries in the last %v before they were due, %d when due",
		n, early.Load(), closeBefore, due.Load())
	if !t.Failed() && (early.Load() == 0 || due.Load() == 0) {
		t.Error("no retry came close to its time: nothing was tested")
	}
}

// closeBefore is how long before a retry is due a history begins to try.
const closeBefore = 3 * time.Millisecond

// history is one client of one store, beside a model that is told the store's time.
type history struct {
	*rand.Rand
	testing.TB
	name     string
	stored   *core.Limiter
	modelled *core.Limiter
	model    *clock
	bad      bool

	early, due int64 // retries that came within closeBefore, and at or after their time
}

func (h *history) live(store core.Store) {
	alg := algorithms[h.IntN(len(algorithms))]
	limits := core.Limits{h.limit()}
	if second := h.limit(); h.IntN(3) == 0 && second.Window != limits[0].Window {
		limits = append(limits, second)
	}
	options := []core.Option{core.Name(h.name), alg, limits, core.Timeout(time.Minute)}
	h.model = &clock{Clocked: Clocked{Store: newModel()}}
	h.modelled = core.MustNew(h.model, options...)
	var err error
	if h.stored, err = core.New(store, options...); err != nil {
		h.Errorf("%s: %v", h.name, err)
		return
	}
	least := limits[0].Requests
	for _, l := range limits {
		least = min(least, l.Requests)
	}
	for refusals := 0; refusals < 3 && !h.bad; {
		cost := 1 + h.Int64N(least)
		if h.IntN(3) == 0 {
			cost = min(cost, 2)
		}
		if res := h.ask(cost); !res.Allowed && !h.bad {
			refusals++
			h.retry(cost, res)
		} else if h.IntN(4) == 0 {
			wait(time.Duration(h.Int64N(int64(limits[0].Window))))
		}
	}
}

func (h *history) limit() core.Limit {
	return core.Per(1+h.Int64N(12), time.Duration(60+h.IntN(401))*time.Millisecond)
}

// retry tries refused again from just before it is due until it is admitted, which the store's own time must say.
func (h *history) retry(cost int64, refused core.Result) {
	due := refused.At.Add(refused.RetryAfter)
	wait(refused.RetryAfter - closeBefore)
	for !h.bad {
		res := h.ask(cost)
		before := due.Sub(res.At)
		if before > 0 && before <= closeBefore {
			h.early++
		} else if before <= 0 {
			h.due++
		}
		if res.Allowed != (before <= 0) {
			h.fail("%v before the retry of %d is due: %v", before, cost, res)
		} else if !res.Allowed && res.RetryAfter != before {
			h.fail("%v before the retry of %d is due, it is due in %v", before, cost, res.RetryAfter)
		}
		if res.Allowed {
			return
		}
		wait(before / 4)
	}
}

// ask asks the store, then the model at the time of the store's answer, and has them agree.
func (h *history) ask(cost int64) core.Result {
	got, err := h.stored.AllowN(h.Context(), "client", cost)
	if err != nil {
		h.fail("take %d: %v", cost, err)
		return got
	}
	h.model.set(got.At)
	want, err := h.modelled.AllowN(h.Context(), "client", cost)
	if err != nil {
		h.fail("take %d from the model: %v", cost, err)
	} else if diff := difference(got, want); diff != "" {
		h.fail("take %d: %s", cost, diff)
	}
	return got
}

// fail is t.Errorf, which unlike t.Fatalf any goroutine may call.
func (h *history) fail(format string, args ...any) {
	h.bad = true
	h.Errorf("%s: %s", h.name, fmt.Sprintf(format, args...))
}

// wait lets time pass that is the subject of the test. Nothing relies on it being exact.
func wait(d time.Duration) { <-time.After(d) }
