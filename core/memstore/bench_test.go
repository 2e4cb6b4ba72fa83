package memstore_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
)

// BenchmarkTake is one decision of the store alone over 10,000 keys, its time passed in, as core asks it.
func BenchmarkTake(b *testing.B) {
	keys := names(10_000)
	loop := func(b *testing.B, s core.Store, req core.Request) {
		for _, req.Key = range keys {
			s.Take(context.Background(), req)
		}
		for i := 0; b.Loop(); i += 7 {
			req.Key = keys[i%len(keys)]
			s.Take(context.Background(), req)
		}
	}
	minute := core.PerMinute(1 << 24)
	b.Run("floor", func(b *testing.B) { loop(b, floor{}, request("a:w1m", "", minute)) })
	for _, c := range []struct {
		name   string
		alg    core.Algorithm
		limits core.Limits
	}{
		{"known/sliding/limits=1", core.SlidingWindow, core.Limits{minute}},
		{"known/sliding/limits=2", core.SlidingWindow, core.Limits{minute, core.PerHour(1 << 30)}},
		{"known/fixed/limits=1", core.FixedWindow, core.Limits{minute}},
		{"known/log/limits=1", core.SlidingLog, core.Limits{core.PerMinute(10_000)}},
		{"refused/sliding/limits=1", core.SlidingWindow, core.Limits{core.PerMinute(1)}},
		{"refused/log/limits=1", core.SlidingLog, core.Limits{core.PerMinute(1)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			req := request("a:w1m", "", c.limits...)
			req.Algorithm = c.alg
			loop(b, memstore.New(), req)
		})
	}
	b.Run("parallel/sliding/limits=1", func(b *testing.B) {
		s := memstore.New()
		b.RunParallel(func(pb *testing.PB) {
			req := request("a:w1m", "", minute)
			for i := rand.IntN(1 << 20); pb.Next(); i += 7 {
				req.Key = keys[i%len(keys)]
				s.Take(context.Background(), req)
			}
		})
	})
}

// BenchmarkInsert is the first charge of a key that the store does not know: into one with room, into a full one where
// something may go, and into a full one where all keys refuse.
func BenchmarkInsert(b *testing.B) {
	const size = 500_000
	keys := names(size)
	for _, c := range []struct {
		name  string
		limit core.Limit
		full  bool
		step  time.Duration // a key
	}{
		{"room", core.PerMinute(10), false, 0},
		{"full", core.PerMinute(10), true, 0},
		{"full/ends=many", core.Per(10, 10*time.Second), true, time.Millisecond},
		{"full/refusing", core.PerMinute(1), true, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := memstore.New(memstore.MaxKeys(size))
			req := request("a:w1m", "", c.limit)
			if c.full {
				for _, req.Key = range keys {
					mustTake(b, s, req)
					req.Now = req.Now.Add(c.step)
				}
			}
			for i := 0; b.Loop(); i++ {
				if i%size == 0 {
					req.Scope = fmt.Sprint("b", i, ":w1m") // makes all keys new ones
					if !c.full {
						s = memstore.New(memstore.MaxKeys(size))
					}
				}
				req.Key, req.Now = keys[i%size], req.Now.Add(c.step)
				s.Take(context.Background(), req)
			}
		})
	}
}

// BenchmarkZipf is what growth costs: the same traffic over a thousand times the keys. Time goes on by a millisecond
// every 64 decisions, so that windows roll over. The keys themselves are read from memory by whoever asks; floor is that.
func BenchmarkZipf(b *testing.B) {
	for _, skew := range []float64{1.01, 1.1, 1.2} {
		for _, n := range []int{1_000, 1_000_000} {
			keys, order := names(n), make([]uint32, 1<<20)
			zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), skew, 1, uint64(n-1))
			for i := range order {
				order[i] = uint32(zipf.Uint64())
			}
			for name, s := range map[string]core.Store{"memstore": memstore.New(), "floor": floor{}} {
				b.Run(fmt.Sprintf("%s/skew=%v/keys=%d", name, skew, n), func(b *testing.B) {
					req := request("a:w1m", "", core.PerMinute(100))
					for _, req.Key = range keys {
						s.Take(context.Background(), req)
					}
					for i := 0; b.Loop(); i++ {
						req.Key = keys[order[i%len(order)]]
						req.Now = epoch.Add(time.Duration(i/64) * time.Millisecond)
						s.Take(context.Background(), req)
					}
				})
			}
		}
	}
}

// floor is what any store costs at least: a call through the interface, and reading the key.
type floor struct{}

var (
	floorSeed = maphash.MakeSeed()
	floorHash uint64
)

func (floor) Take(_ context.Context, req core.Request) (time.Time, error) {
	floorHash += maphash.String(floorSeed, req.Key)
	return req.Now, nil
}

var prefix atomic.Int64

// names are n new keys of 15 bytes.
func names(n int) []string {
	p := prefix.Add(1)
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%05d-%09d", p, i)
	}
	return keys
}
