package core_test

import (
	"context"
	"sync"
	"time"

	"github.com/slidegate/slidegate/core"
)

// store is the smallest store there can be. It counts by its own clock if that is set, and fails if err is.
type store struct {
	mu     sync.Mutex
	counts map[string]*core.Counts
	now    time.Time
	err    error
	asked  int          // calls of Take
	last   core.Request // the last one
}

func newStore() *store { return &store{counts: map[string]*core.Counts{}} }

func (s *store) Take(_ context.Context, req core.Request) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.last = req
	if s.err != nil {
		return time.Time{}, s.err
	}
	if !s.now.IsZero() {
		req.Now = s.now
	}
	id := req.Scope + "\x00" + req.Key
	if req.Op == core.OpReset {
		delete(s.counts, id)
		return req.Now, nil
	}
	if s.counts[id] == nil {
		s.counts[id] = new(core.Counts)
	}
	return req.Now.Truncate(time.Millisecond), s.counts[id].Take(req)
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}
