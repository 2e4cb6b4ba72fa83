// Package toystore is the smallest store that there can be, in a module of another path: it shows that all that a store
// needs in order to decide is exported.
package toystore

import (
	"context"
	"sync"
	"time"

	"github.com/slidegate/slidegate/core"
)

// Store keeps counts in a map, for ever. Use memstore, which does not.
type Store struct {
	mu     sync.Mutex
	counts map[id]*core.Counts
}

// id is a struct, since a scope and a key joined to one string can be another scope and another key.
type id struct{ scope, key string }

// New is an empty store.
func New() *Store { return &Store{counts: map[id]*core.Counts{}} }

// Take implements [core.Store]. It counts by req.Now.
func (s *Store) Take(_ context.Context, req core.Request) (time.Time, error) {
	now := req.Now.Truncate(time.Millisecond)
	id := id{req.Scope, req.Key}
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Op == core.OpReset {
		delete(s.counts, id)
		return now, nil
	}
	counts := s.counts[id]
	if counts == nil {
		counts = new(core.Counts)
		s.counts[id] = counts
	}
	return now, counts.Take(req)
}
