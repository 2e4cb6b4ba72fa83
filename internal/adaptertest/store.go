package adaptertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slidegate/slidegate/core"
)

// epoch is 0s of every scenario: the beginning of a minute and of an hour, so that windows begin at it.
var epoch = time.Unix(1_800_000_000, 0)

// store is a store in memory whose clock is set, so that every header is known in advance.
type store struct {
	mu     sync.Mutex
	now    time.Time
	broken bool
	counts map[[2]string]*core.Counts
}

func newStore() *store {
	return &store{now: epoch, counts: map[[2]string]*core.Counts{}}
}

func (s *store) set(now time.Time, broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.broken = now, broken
}

func (s *store) Take(_ context.Context, req core.Request) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return time.Time{}, errors.New("dial tcp 192.0.2.1:6379: connection refused") // which no client may see
	}
	key := [2]string{req.Scope, req.Key}
	c := s.counts[key]
	if c == nil {
		c = new(core.Counts)
		s.counts[key] = c
	}
	req.Now = s.now
	return s.now, c.Take(req)
}
