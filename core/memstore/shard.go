package memstore

import (
	"math"
	"strings"
	"sync"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/window"
)

// shard is the part of a store that one lock guards. take is in take.go; here is what is kept, and what goes when.
//
// An entry's end is the time at which its limits are whole again. Entries wait in two queues:
//
//   - going, by their end: what may go when room is needed, the first one first.
//   - refusing, by the end of their wait: keys that were refused, or have spent a limit. They are passed over while
//     anything is in going, here or in another shard, and go back to it when the wait is over.
//
// Why heaps, and not lists that an entry moves to the tail of at its first charge in a window: a list is in order of end
// only among entries of the same windows, as long as the clock does not step back, and waits are in no such order at
// all. A heap is exact for any mix, and cheap here: what is charged now ends late, so it enters at the bottom and stays
// there, and an entry whose window rolled over sinks by one level on average, since most already are at the bottom.
// Charges within a window do not touch it.
type shard struct {
	mu       sync.Mutex
	index    index // these first, in the two cache lines that every decision reads
	slab     slab
	scopes   scopes
	going    queue
	refusing queue
	store    *Store
	number   int      // in store.shards
	hand     uint32   // see tidy
	_        [24]byte // no cache line holds fields of two shards
}

// What soonest says beside a time.
const (
	always = math.MinInt64
	never  = math.MaxInt64
)

// tidied is how many entries of each sort an insert looks after. Two, so that arrears shrink.
const tidied = 2

func (sh *shard) init(s *Store, number int) {
	sh.store, sh.number = s, number
	sh.scopes.numbers = make(map[string]uint32)
	sh.going = queue{slab: &sh.slab}
	sh.refusing = queue{slab: &sh.slab, which: 1}
	s.soonest[number].Store(never)
}

func (sh *shard) len() int { return len(sh.going.items) + len(sh.refusing.items) }

// find is the entry of key, or nil. Requires sh.mu, as all methods below do unless they lock it themselves.
func (sh *shard) find(hash uint32, scope, key string) (uint32, *entry) {
	slots := sh.index.slots
	if len(slots) == 0 {
		return 0, nil
	}
	mask := uint32(len(slots) - 1)
	for i := hash & mask; slots[i] != 0; i = (i + 1) & mask {
		if s := slots[i]; s.hash() == hash {
			if e := sh.slab.at(s.id()); e.key == key && sh.scopes.list[e.scope].name == scope {
				return s.id(), e
			}
		}
	}
	return 0, nil
}

// insert makes an entry for the key of req, in no queue yet. If another entry must go first that is not in this shard, it
// returns no entry but that shard, and the bound for its evict.
func (sh *shard) insert(req *core.Request, now int64, hash uint32) (id uint32, e *entry, from *shard, bound int64) {
	sh.tidy(now)
	if !sh.store.takeRoom() {
		if len(sh.going.items) > 0 {
			sh.remove(sh.going.items[0].id)
		} else if from, bound = sh.store.victim(sh, now); from != sh || sh.len() == 0 {
			return 0, nil, from, bound
		} else {
			sh.remove(sh.refusing.items[0].id)
		}
	}
	id, e = sh.slab.alloc()
	*e = entry{
		key:   strings.Clone(req.Key),
		scope: sh.scopes.add(req.Scope, window.Kind(req.Algorithm)),
		place: nowhere,
	}
	sh.index.add(hash, id)
	return id, e, nil, 0
}

// remove forgets an entry. The store's room for it is the caller's to use or to give back.
func (sh *shard) remove(id uint32) {
	e := sh.slab.at(id)
	sh.queue(e).remove(int(e.place >> 1))
	sh.index.remove(uint32(sh.store.hash(sh.scopes.list[e.scope].name, e.key)), id)
	sh.scopes.remove(e.scope)
	sh.slab.release(id)
	sh.publish()
}

// drop forgets an entry and gives its room back.
func (sh *shard) drop(id uint32) {
	sh.remove(id)
	sh.store.room.Add(1)
}

// reset forgets a key. It locks sh.mu.
func (sh *shard) reset(hash uint32, scope, key string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if id, e := sh.find(hash, scope, key); e != nil {
		sh.drop(id)
	}
}
