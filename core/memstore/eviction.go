package memstore

import "github.com/slidegate/slidegate/internal/window"

// settle has the entry wait where it belongs: if it refuses until a time after now, for that, else for its end. A wait
// only ever grows, since who was refused a cost of 8 is not to be freed by a charge of 1; but one that would outlast the
// counts was told before the clock stepped back, and is void.
func (sh *shard) settle(id uint32, e *entry, now, end, until, longest int64) {
	if e.place != nowhere && e.place&1 == sh.refusing.which {
		if told := sh.refusing.items[e.place>>1].at; told <= end {
			until = max(until, told)
		}
	}
	if until > now {
		sh.put(&sh.refusing, e, item{at: until, id: id, window: uint32(longest)})
	} else {
		sh.put(&sh.going, e, item{at: end, id: id, window: uint32(longest)})
	}
}

// put has the entry wait in q, and nowhere else.
func (sh *shard) put(q *queue, e *entry, it item) {
	i := int(e.place >> 1)
	switch {
	case e.place == nowhere:
		q.push(it)
	case e.place&1 != q.which:
		sh.queue(e).remove(i)
		q.push(it)
	case q.items[i] != it:
		q.set(i, it)
	default:
		return
	}
	sh.publish()
}

// queue is where e waits.
func (sh *shard) queue(e *entry) *queue {
	if e.place&1 == sh.refusing.which {
		return &sh.refusing
	}
	return &sh.going
}

// publish updates the store's soonest after a change of a queue.
func (sh *shard) publish() {
	at := int64(never)
	if len(sh.going.items) > 0 {
		at = always
	} else if len(sh.refusing.items) > 0 {
		at = sh.refusing.items[0].at
	}
	if s := &sh.store.soonest[sh.number]; at != s.Load() { // most often it is the same, and other cores keep their copies
		s.Store(at)
	}
}

// tidy is the share of an insert in what elsewhere is done by a sweep.
func (sh *shard) tidy(now int64) {
	for range tidied { // waits that are over
		if q := sh.refusing.items; len(q) > 0 && q[0].at <= now {
			e := sh.slab.at(q[0].id)
			sh.put(&sh.going, e, item{at: sh.end(e, q[0].window), id: q[0].id, window: q[0].window})
		}
	}
	// Counts that have ended. They are left alone for a window more, so that a clock that steps back by less, or a
	// goroutine that comes late with an earlier time, still finds them. If the store is full, they go first anyway.
	for range tidied {
		if q := sh.going.items; len(q) > 0 && q[0].at+int64(q[0].window) <= now {
			sh.drop(q[0].id)
		}
	}
	// Counts that the clock has stepped back behind by more than two windows, so that they never count again, unless it
	// comes back. They would be the last to end, and take the room of others meanwhile. Nothing orders them, so a hand
	// goes round and looks at one entry each time.
	if n := uint32(sh.len()); n > 0 {
		sh.hand = (sh.hand + 1) % n
		it := item{}
		if i, g := sh.hand, uint32(len(sh.going.items)); i < g {
			it = sh.going.items[i]
		} else {
			it = sh.refusing.items[i-g]
		}
		if it.at > now+4*int64(it.window) { // a count that is kept ends within 3 windows
			sh.drop(it.id)
		}
	}
}

// end is when the entry's limits are whole again.
func (sh *shard) end(e *entry, longest uint32) int64 {
	if e.many != nil {
		return e.many.end
	}
	atStart := window.State{Count: 1}
	return e.counter.Start + window.Rule{Window: int64(longest)}.ResetAfter(sh.scopes.list[e.scope].kind, atStart)
}

// victim is the shard that a key must leave so that home can have a new one, when the store is full and nothing in
// home may go, and the bound for its evict. Requires home.mu; of the others it reads one number each.
func (s *Store) victim(home *shard, now int64) (from *shard, bound int64) {
	from, bound = home, never
	for i := range s.soonest {
		n := (home.number + i) & (len(s.soonest) - 1) // home first, then who is next, so that all take their turn
		at := s.soonest[n].Load()
		if at <= now {
			return &s.shards[n], now
		}
		if home.len() == 0 && at < bound {
			from, bound = &s.shards[n], at
		}
	}
	return from, bound
}

// evict makes room by forgetting the entry that should go first, if one may go by bound. It locks sh.mu.
func (sh *shard) evict(bound int64) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.store.soonest[sh.number].Load() > bound || sh.len() == 0 {
		return
	}
	q := &sh.going
	if len(q.items) == 0 {
		q = &sh.refusing
	}
	sh.drop(q.items[0].id)
}

// takeRoom takes room for a key, if there is any. It never goes below 0 for an instant, so that Len is never too large.
func (s *Store) takeRoom() bool {
	for {
		n := s.room.Load()
		if n == 0 {
			return false
		}
		if s.room.CompareAndSwap(n, n-1) {
			return true
		}
	}
}
