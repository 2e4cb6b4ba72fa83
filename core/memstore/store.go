package memstore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/window"
)

// DefaultMaxKeys is the [MaxKeys] of a store that is not told another.
const DefaultMaxKeys = 1_000_000

const (
	maxShards   = 64   // on most machines several times the goroutines that can run at once
	minPerShard = 1024 // what goes is chosen within a shard, so a small store is better off as one
)

// Store is a [core.Store] that counts in this process. It is safe for concurrent use by any number of limiters, starts
// no goroutine, has nothing to close, and never asks the clock: it goes by [core.Request]'s Now.
type Store struct {
	err    error
	seed   maphash.Seed // random, so that nobody can choose keys that crowd one shard
	shift  uint         // leaves of a hash the number of its shard
	max    int64
	shards []shard // empty in a Store that New did not make, or could not

	// soonest is, for each shard, when an entry there may go: always if one can, else at the end of the first wait; never
	// if there is none. A shard writes its own under its lock, and reads others' without.
	soonest []atomic.Int64

	_    [64]byte     // room is written at every insert, the fields above never
	room atomic.Int64 // how many keys may still come before one must go
	_    [56]byte
}

// Option is one thing that a [Store] is made of; see [MaxKeys].
type Option func(*Store)

// MaxKeys is the most keys that the store holds, of all limiters together; [DefaultMaxKeys] unless given. It is a hard
// bound, at every instant; the package comment says what goes when it is reached. n is at least 1.
func MaxKeys(n int) Option {
	return func(s *Store) {
		s.max = int64(n)
		if n < 1 {
			s.err = errors.Join(s.err, fmt.Errorf("memstore: MaxKeys must be at least 1, got %d", n))
		}
	}
}

// New makes an empty store. Memory comes with the keys, not before. Of mistakes in the options [core.New] tells, by
// [Store.Validate].
func New(opts ...Option) *Store {
	s := &Store{seed: maphash.MakeSeed(), max: DefaultMaxKeys}
	for i, o := range opts {
		if o == nil {
			s.err = errors.Join(s.err, fmt.Errorf("memstore: option %d is nil", i+1))
			continue
		}
		o(s)
	}
	if s.err != nil {
		return &Store{err: s.err}
	}
	parts := 1
	for parts < maxShards && s.max >= int64(2*parts*minPerShard) {
		parts *= 2
	}
	s.split(parts)
	return s
}

// split makes s a store of that many empty shards, a power of two.
func (s *Store) split(parts int) {
	s.shift = uint(64 - bits.TrailingZeros(uint(parts)))
	s.shards = make([]shard, parts)
	s.soonest = make([]atomic.Int64, parts)
	for i := range s.shards {
		s.shards[i].init(s, i)
	}
	s.room.Store(s.max)
}

// Validate returns all that was wrong with the options of New. A store that is not valid answers every Take with the
// same error.
func (s *Store) Validate() error {
	if s.err == nil && s.shards == nil {
		return errors.New("memstore: this Store was not made by New")
	}
	return s.err
}

// Len is how many keys the store holds, at most [MaxKeys]. Among them are keys whose counts have ended but whose
// memory nobody has needed yet.
func (s *Store) Len() int { return int(s.max - s.room.Load()) }

// Take does what req says, as [core.Store] has it, and returns req.Now, down to the millisecond. It waits for nothing but
// locks that are held for microseconds, so it looks at neither the context nor the deadline. Its error, if it is not
// [core.ErrUnknownOp], names what no Limiter would ask: an unknown algorithm, limits out of range, a negative cost.
func (s *Store) Take(_ context.Context, req core.Request) (time.Time, error) {
	if err := s.check(&req); err != nil {
		return time.Time{}, err
	}
	now := req.Now.UnixMilli()
	hash := s.hash(req.Scope, req.Key)
	sh := &s.shards[hash>>s.shift]
	if req.Op == core.OpReset {
		sh.reset(uint32(hash), req.Scope, req.Key)
		return time.UnixMilli(now), nil
	}
	for {
		from, bound := sh.take(&req, now, uint32(hash))
		if from == nil {
			return time.UnixMilli(now), nil
		}
		// The key is new, the store is full, and what should go is in another shard. No two shards are locked at once, so
		// somebody else may get there first, or take the room that this makes: but then the store has moved on by a key.
		from.evict(bound)
	}
}

// check lets pass what take can do without a panic. A Limiter never asks anything else.
func (s *Store) check(req *core.Request) error {
	switch {
	case s.shards == nil:
		return s.Validate()
	case req.Op == core.OpReset:
		return nil
	case req.Op != core.OpTake && req.Op != core.OpPeek:
		return core.ErrUnknownOp
	case req.Algorithm > core.FixedWindow:
		return fmt.Errorf("memstore: unknown algorithm %v", req.Algorithm)
	case len(req.Limits) == 0 || len(req.Limits) > core.MaxLimits || len(req.States) < len(req.Limits):
		return fmt.Errorf("memstore: %d limits with %d states", len(req.Limits), len(req.States))
	}
	for _, l := range req.Limits {
		if l.Window < time.Millisecond || l.Window >= 1<<32*time.Millisecond || l.Requests < 1 || l.Requests >= 1<<32 {
			return fmt.Errorf("memstore: %d in %v is no limit", l.Requests, l.Window)
		}
	}
	if req.Cost < 0 {
		return fmt.Errorf("memstore: cost must not be negative, got %d", req.Cost)
	}
	return nil
}

// hash is of 64 bits: the highest choose the shard, the lower half is what the shard's index goes by.
func (s *Store) hash(scope, key string) uint64 {
	return bits.RotateLeft64(maphash.String(s.seed, scope), 32) ^ maphash.String(s.seed, key) // "a","b" is not "b","a"
}

func rule(l core.Limit) window.Rule {
	return window.Rule{Limit: l.Requests, Window: int64(l.Window / time.Millisecond)}
}
