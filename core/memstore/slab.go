package memstore

import "github.com/slidegate/slidegate/internal/window"

// entry is one key of one scope. Its 48 bytes are most of what a key costs, so whatever can be found out again when an
// entry goes, its hash for one, is not in it.
type entry struct {
	key     string         // a copy: the caller's may be a small part of a large header
	counter window.Counter // of a single limit, unless it is a log
	many    *many          // of anything else; then counter is unused
	scope   uint32         // number in shard.scopes
	place   uint32         // in the queues, see queue; in the free list, the next free entry
}

// many is the rest of an entry with several limits or with a log.
type many struct {
	record window.Record
	limits int   // how many the record is of
	end    int64 // from when all of them are whole again
}

// slab is the memory of entries, which go by number, and are used again; none is given back. It is one slice, which
// moves when it grows: inserts pay a little for the copy, where chunks would cost every decision a cache miss. So an
// *entry is good only until the next alloc.
type slab struct {
	entries []entry
	free    uint32 // number+1 of the first of the free list; 0 is none
}

func (s *slab) at(id uint32) *entry { return &s.entries[id] }

func (s *slab) alloc() (uint32, *entry) {
	if s.free != 0 {
		id := s.free - 1
		e := s.at(id)
		s.free = e.place
		return id, e
	}
	s.entries = append(grown(s.entries), entry{})
	id := uint32(len(s.entries) - 1)
	return id, s.at(id)
}

func (s *slab) release(id uint32) {
	*s.at(id) = entry{place: s.free}
	s.free = id + 1
}

// grown is s with room for another element. Where append would double, it grows by a quarter, for the sake of memory.
func grown[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return append(make([]T, 0, len(s)+len(s)/4+4), s...)
}
