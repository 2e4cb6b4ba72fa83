package memstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/core/storetest"
	"github.com/slidegate/slidegate/internal/window"
)

func TestStoreKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Clocked { return storetest.Clocked{Store: memstore.New()} })
}

// With all keys behind one lock and in one order, any key's insert may clear away any other: what the random hash of a
// larger store leaves to chance.
func TestStoreOfOnePartKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Clocked {
		return storetest.Clocked{Store: memstore.New(memstore.MaxKeys(2000))}
	})
}

func TestBadOptionsAreReportedByNewOfCore(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []memstore.Option
		want []string
	}{
		{"MaxKeys of 0", []memstore.Option{memstore.MaxKeys(0)}, []string{"memstore: MaxKeys must be at least 1, got 0"}},
		{"MaxKeys below 0", []memstore.Option{memstore.MaxKeys(-5)}, []string{"got -5"}},
		{"nil option", []memstore.Option{memstore.MaxKeys(1), nil}, []string{"memstore: option 2 is nil"}},
		{"both", []memstore.Option{nil, memstore.MaxKeys(0)}, []string{"option 1 is nil", "got 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := memstore.New(c.opts...)
			_, err := core.New(s, core.PerMinute(1))
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("core.New: got %v, want it to say %q", err, want)
				}
			}
			if _, err := s.Take(context.Background(), request("a:w1m", "k", core.PerMinute(1))); err == nil {
				t.Error("Take: got no error of a store that is not valid")
			}
			if n := s.Len(); n != 0 {
				t.Errorf("Len is %d", n)
			}
		})
	}
	if err := memstore.New(memstore.MaxKeys(1)).Validate(); err != nil {
		t.Error(err)
	}
	if err := new(memstore.Store).Validate(); err == nil {
		t.Error("a zero Store is valid")
	}
}

func TestMistakenRequestIsAnErrorAndChangesNothing(t *testing.T) {
	minute := core.PerMinute(5)
	for _, c := range []struct {
		name   string
		mutate func(*core.Request)
		want   error
	}{
		{"unknown operation", func(r *core.Request) { r.Op = 99 }, core.ErrUnknownOp},
		{"unknown algorithm", func(r *core.Request) { r.Algorithm = 99 }, nil},
		{"no limits", func(r *core.Request) { r.Limits, r.States = nil, nil }, nil},
		{"too many limits", func(r *core.Request) { r.Limits, r.States = make(core.Limits, 9), make([]core.State, 9) }, nil},
		{"too few states", func(r *core.Request) { r.States = nil }, nil},
		{"window of 0", func(r *core.Request) { r.Limits = core.Limits{{Requests: 1}} }, nil},
		{"window too long", func(r *core.Request) { r.Limits = core.Limits{core.Per(1, 1<<62)} }, nil},
		{"limit of 0", func(r *core.Request) { r.Limits = core.Limits{core.PerMinute(0)} }, nil},
		{"limit too large", func(r *core.Request) { r.Limits = core.Limits{core.PerMinute(1 << 60)} }, nil},
		{"negative cost", func(r *core.Request) { r.Cost = -1 }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := memstore.New()
			req := request("a:w1m", "k", minute)
			c.mutate(&req)
			if _, err := s.Take(context.Background(), req); err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			if s.Len() != 0 {
				t.Errorf("Len is %d after an error", s.Len())
			}
		})
	}
}

// The contract says that it does not happen. A caller who breaks it gets fresh counts, and no panic.
func TestScopeAskedInAnotherShapeStartsAfresh(t *testing.T) {
	shapes := map[string]struct {
		alg    core.Algorithm
		limits core.Limits
	}{
		"sliding":     {core.SlidingWindow, core.Limits{core.PerMinute(2)}},
		"sliding 1h":  {core.SlidingWindow, core.Limits{core.PerHour(2)}},
		"two limits":  {core.SlidingWindow, core.Limits{core.PerMinute(2), core.PerHour(2)}},
		"log":         {core.SlidingLog, core.Limits{core.PerMinute(2)}},
		"log of two":  {core.SlidingLog, core.Limits{core.PerMinute(2), core.PerHour(2)}},
		"three fixed": {core.FixedWindow, core.Limits{core.PerSecond(2), core.PerMinute(2), core.PerHour(2)}},
	}
	for from, a := range shapes {
		for to, b := range shapes {
			s := memstore.New(memstore.MaxKeys(2))
			for i, shape := range []struct {
				alg    core.Algorithm
				limits core.Limits
			}{a, b, a} {
				for n := range 6 {
					req := request("broken", fmt.Sprint("k", n%2), shape.limits...)
					req.Algorithm, req.Now = shape.alg, epoch.Add(time.Duration(i)*time.Second)
					if mustTake(t, s, req) && n >= 4 {
						t.Errorf("%s, %s: a third charge was admitted by a limit of 2", from, to)
					}
				}
			}
			if s.Len() != 2 {
				t.Errorf("%s, %s: Len is %d", from, to, s.Len())
			}
		}
	}
}

func TestQuestionsLeaveNoTrace(t *testing.T) {
	for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
		for _, limits := range []core.Limits{{core.PerMinute(2)}, {core.PerMinute(2), core.PerHour(9)}} {
			s := memstore.New()
			ask := func(op core.Op, cost int64) {
				req := request("a:w1m", "k", limits...)
				req.Op, req.Algorithm, req.Cost = op, alg, cost
				mustTake(t, s, req)
			}
			ask(core.OpPeek, 1)
			ask(core.OpTake, 0)
			ask(core.OpTake, 3) // refused
			if s.Len() != 0 {
				t.Errorf("%v %v: %d keys after questions", alg, limits, s.Len())
			}
			ask(core.OpTake, 1)
			if s.Len() != 1 {
				t.Errorf("%v %v: %d keys after a charge", alg, limits, s.Len())
			}
			req := request("a:w1m", "k")
			req.Op, req.States = core.OpReset, nil
			if _, err := s.Take(context.Background(), req); err != nil || s.Len() != 0 {
				t.Errorf("%v %v: %d keys after a reset, error %v", alg, limits, s.Len(), err)
			}
		}
	}
}

func TestReturnedClockIsTheRequestsInMilliseconds(t *testing.T) {
	req := request("a:w1m", "k", core.PerMinute(1))
	req.Now = epoch.Add(1234567 * time.Nanosecond)
	at, err := memstore.New().Take(context.Background(), req)
	if want := epoch.Add(time.Millisecond); err != nil || !at.Equal(want) {
		t.Errorf("got %v, %v, want %v", at, err, want)
	}
}

func TestKeyIsACopy(t *testing.T) {
	header := strings.Repeat("x", 1<<20)
	s := memstore.New()
	before := heap()
	for i := range 64 {
		header := strings.Clone(header)
		req := request("a:w1m", header[i:i+20+i], core.PerMinute(1))
		mustTake(t, s, req)
	}
	if after := heap(); after > before+8<<20 {
		t.Errorf("64 short keys cut from long headers hold %d bytes", after-before)
	}
	runtime.KeepAlive(s)
}

func TestForgottenKeyIsNotHeld(t *testing.T) {
	s := memstore.New()
	before := heap()
	for range 16 {
		req := request("a:w1m", strings.Repeat("x", 1<<20), core.PerMinute(1))
		mustTake(t, s, req)
		req.Op = core.OpReset
		s.Take(context.Background(), req)
		req.Op, req.Key = core.OpTake, "short" // so that the long key's entry is not the last one freed
		mustTake(t, s, req)
	}
	if after := heap(); after > before+1<<19 {
		t.Errorf("a store of one short key holds %d bytes", after-before)
	}
	runtime.KeepAlive(s)
}

func TestKnownKeyDoesNotAllocate(t *testing.T) {
	for _, c := range []struct {
		name   string
		alg    core.Algorithm
		limits core.Limits
		step   time.Duration
	}{
		{"one limit", core.SlidingWindow, core.Limits{core.PerMinute(1000)}, 0},
		{"refused", core.SlidingWindow, core.Limits{core.PerHour(1)}, 0},
		{"windows roll over", core.SlidingWindow, core.Limits{core.PerSecond(2)}, 700 * time.Millisecond},
		{"fixed", core.FixedWindow, core.Limits{core.PerSecond(2)}, 700 * time.Millisecond},
		{"eight limits", core.SlidingWindow, eight, 700 * time.Millisecond},
		{"refusing log", core.SlidingLog, core.Limits{core.PerHour(2)}, time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := memstore.New()
			req := request("a:w", "k", c.limits...)
			req.Algorithm = c.alg
			ctx := context.Background()
			for range 3 {
				mustTake(t, s, req)
			}
			if n := testing.AllocsPerRun(100, func() {
				req.Now = req.Now.Add(c.step)
				s.Take(ctx, req)
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

var eight = core.Limits{
	core.PerSecond(5), core.Per(6, 2*time.Second), core.Per(9, 5*time.Second), core.PerMinute(50),
	core.Per(90, 5*time.Minute), core.PerHour(500), core.PerDay(5000), core.Per(9000, 48*time.Hour),
}

func TestMemoryPerKey(t *testing.T) {
	for _, n := range []int{10_000, 50_000, 200_000} {
		keys := names(n)
		before := heap()
		s := memstore.New()
		req := request("default:w100/1m", "", core.PerMinute(100))
		for _, req.Key = range keys {
			mustTake(t, s, req)
		}
		per := float64(heap()-before) / float64(n)
		t.Logf("%d keys: %.1f bytes each", n, per)
		if per > 120 {
			t.Errorf("%d keys of 15 bytes take %.1f bytes each, want at most 120", n, per)
		}
		runtime.KeepAlive(s)
		runtime.KeepAlive(keys)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestKeysThatEndedMakeRoom(t *testing.T) {
	s := memstore.New()
	req := request("a:w1s", "", core.PerSecond(5))
	for i := range 100 {
		req.Now = epoch.Add(time.Duration(i) * time.Second)
		for range 500 {
			req.Key = names(1)[0]
			mustTake(t, s, req)
		}
	}
	if n := s.Len(); n > 2500 {
		t.Errorf("%d keys are held, after 500 new ones a window", n)
	}
}

func TestConcurrentTakesAdmitTheLimitAndNoMore(t *testing.T) {
	s := memstore.New()
	limits := core.Limits{core.PerMinute(100), core.PerHour(150)}
	for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
		for k := 1; k <= 2; k++ {
			var wg sync.WaitGroup
			var mu sync.Mutex
			admitted := 0
			for range 8 {
				wg.Go(func() {
					for range 50 {
						req := request(fmt.Sprint(alg, k), "k", limits[:k]...)
						req.Algorithm = alg
						if mustTake(t, s, req) {
							mu.Lock()
							admitted++
							mu.Unlock()
						}
					}
				})
			}
			wg.Wait()
			if admitted != 100 {
				t.Errorf("%v, %d limits: %d admitted of 100", alg, k, admitted)
			}
		}
	}
}

// The store's queues read kinds of the arithmetic off core's algorithms.
func TestAlgorithmsAreKinds(t *testing.T) {
	for a, k := range map[core.Algorithm]window.Kind{
		core.SlidingWindow: window.Sliding, core.SlidingLog: window.Log, core.FixedWindow: window.Fixed,
	} {
		if window.Kind(a) != k {
			t.Errorf("%v is kind %d, want %d", a, window.Kind(a), k)
		}
	}
}
