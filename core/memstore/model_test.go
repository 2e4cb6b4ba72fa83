package memstore

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
)

// shapes are the scopes that histories mix in one store.
var shapes = []struct {
	alg    core.Algorithm
	limits core.Limits
}{
	{core.SlidingWindow, core.Limits{core.Per(4, 100*time.Millisecond)}},
	{core.FixedWindow, core.Limits{core.Per(3, 150*time.Millisecond)}},
	{core.SlidingLog, core.Limits{core.Per(5, 120*time.Millisecond)}},
	{core.SlidingWindow, core.Limits{core.Per(3, 100*time.Millisecond), core.Per(7, 350*time.Millisecond)}},
	{core.SlidingLog, core.Limits{core.Per(2, 50*time.Millisecond), core.Per(4, 200*time.Millisecond)}},
	{core.FixedWindow, core.Limits{core.Per(2, 60*time.Millisecond), core.Per(5, 90*time.Millisecond), core.Per(9, 300*time.Millisecond)}},
}

type id struct {
	shape int
	key   string
}

// model keeps all counts for ever.
type model struct {
	counts map[id]*core.Counts
	until  map[id]time.Time // a key refuses until then
}

func newModel() *model {
	return &model{counts: map[id]*core.Counts{}, until: map[id]time.Time{}}
}

func (m *model) take(k id, req core.Request) {
	c := m.counts[k]
	if c == nil {
		c = new(core.Counts)
		m.counts[k] = c
	}
	if err := c.Take(req); err != nil {
		panic(err)
	}
	if req.Op != core.OpTake || req.Cost == 0 && req.Admitted() {
		return
	}
	// The wait is found as a client would, by trying; for what was refused, else for the next request.
	ask := req
	ask.Op, ask.States = core.OpPeek, make([]core.State, len(req.Limits))
	if req.Admitted() {
		ask.Cost = 1
	}
	for c.Take(ask); !ask.Admitted(); c.Take(ask) {
		ask.Now = ask.Now.Add(time.Millisecond)
	}
	if ask.Now.After(req.Now) && ask.Now.After(m.until[k]) {
		m.until[k] = ask.Now
	}
}

func drawRequest(t *rapid.T, now time.Time, keys int) (id, core.Request) {
	k := id{rapid.IntRange(0, len(shapes)-1).Draw(t, "shape"), fmt.Sprint("k", rapid.IntRange(0, keys-1).Draw(t, "key"))}
	sh := shapes[k.shape]
	req := core.Request{
		Scope: fmt.Sprint("scope", k.shape), Key: k.key, Algorithm: sh.alg, Limits: sh.limits, Now: now,
		Cost: rapid.Int64Range(0, sh.limits[0].Requests).Draw(t, "cost"), States: make([]core.State, len(sh.limits)),
	}
	if rapid.IntRange(0, 4).Draw(t, "op") == 0 {
		req.Op = core.OpPeek
	}
	return k, req
}

func sameStates(t *rapid.T, got, want core.Request) {
	for i := range want.States {
		if want.Algorithm != core.SlidingWindow {
			got.States[i].Previous, want.States[i].Previous = 0, 0 // need not be kept
		}
		if got.States[i] != want.States[i] {
			t.Fatalf("%s %s, cost %d: state %d is %+v, want %+v", want.Scope, want.Key, want.Cost, i, got.States[i], want.States[i])
		}
	}
}

func TestAgreesWithCountsThatAreKeptForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := New(), newModel()
		if rapid.Bool().Draw(t, "few shards") {
			s = newSplit(DefaultMaxKeys, 1) // where an insert clears away what another key needs
		}
		latest := time.UnixMilli(1_700_000_000_000)
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			// The clock is up to 100 ms behind where it has been, the shortest of the scopes' longest windows: further back,
			// counts may be lost.
			now := latest.Add(time.Duration(rapid.IntRange(-100, 120).Draw(t, "ms")) * time.Millisecond)
			if now.After(latest) {
				latest = now
			}
			k, req := drawRequest(t, now, 4)
			if rapid.IntRange(0, 30).Draw(t, "reset") == 0 {
				delete(m.counts, k)
				req = core.Request{Op: core.OpReset, Scope: req.Scope, Key: req.Key, Now: now}
				s.Take(context.Background(), req)
				continue
			}
			want := req
			want.States = make([]core.State, len(req.Limits))
			m.take(k, want)
			at, err := s.Take(context.Background(), req)
			if err != nil || !at.Equal(now) {
				t.Fatalf("Take at %v: %v, %v", now, at, err)
			}
			sameStates(t, req, want)
			checkInvariants(t, s)
		}
	})
}

// Over random histories in small stores of one and of several parts: only one key goes at a time, none that refuses while
// another does not, and the rest of the counts are right.
func TestFullStoreForgetsNoRefusingKeyWhileAnyOtherIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		max := rapid.IntRange(1, 8).Draw(t, "max")
		s, m := newSplit(max, 1<<rapid.IntRange(0, 3).Draw(t, "parts")), newModel()
		now := time.UnixMilli(1_700_000_000_000)
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "ms")) * time.Millisecond)
			k, req := drawRequest(t, now, 4)
			before := holds(s)
			want := req
			want.States = make([]core.State, len(req.Limits))
			m.take(k, want)
			s.Take(context.Background(), req)
			sameStates(t, req, want)
			after := holds(s)
			for g := range before {
				if after[g] {
					continue
				}
				delete(m.counts, g)
				if until := m.until[g]; until.After(now) {
					for other := range after {
						if other != k && !m.until[other].After(now) {
							t.Fatalf("%v was forgotten while it refused, and not %v", g, other)
						}
					}
				}
				delete(m.until, g)
			}
			if len(after) == 0 && len(before) > 0 {
				t.Fatal("all is forgotten")
			}
			if !after[k] {
				delete(m.counts, k)
				delete(m.until, k)
			}
			checkInvariants(t, s)
		}
	})
}

// newSplit is a store of more parts than New would give it.
func newSplit(max, parts int) *Store {
	s := New(MaxKeys(max))
	s.split(parts)
	return s
}

func holds(s *Store) map[id]bool {
	held := map[id]bool{}
	for i := range s.shards {
		sh := &s.shards[i]
		for _, q := range []*queue{&sh.going, &sh.refusing} {
			for _, it := range q.items {
				e := sh.slab.at(it.id)
				var k id
				fmt.Sscanf(sh.scopes.list[e.scope].name, "scope%d", &k.shape)
				k.key = e.key
				held[k] = true
			}
		}
	}
	return held
}

// checkInvariants checks that a store's structures agree with each other.
func checkInvariants(t *rapid.T, s *Store) {
	total := 0
	for i := range s.shards {
		sh := &s.shards[i]
		total += sh.len()
		keys := map[uint32]int{}
		for which, q := range []*queue{&sh.going, &sh.refusing} {
			for i, it := range q.items {
				e := sh.slab.at(it.id)
				keys[e.scope]++
				if e.place != uint32(i<<1|which) {
					t.Fatalf("entry %d is at %d of queue %d, and thinks %d", it.id, i, which, e.place)
				}
				if i > 0 && q.items[(i-1)/4].at > it.at {
					t.Fatalf("queue %d is no heap at %d", which, i)
				}
				name := sh.scopes.list[e.scope].name
				hash := s.hash(name, e.key)
				if &s.shards[hash>>s.shift] != sh {
					t.Fatalf("%q is in the wrong shard", e.key)
				}
				if id, _ := sh.find(uint32(hash), name, e.key); id != it.id {
					t.Fatalf("%q is found at %d, and queued at %d", e.key, id, it.id)
				}
			}
		}
		if sh.index.used != sh.len() {
			t.Fatalf("%d slots for %d entries", sh.index.used, sh.len())
		}
		for n, sc := range sh.scopes.list {
			if sc.keys != keys[uint32(n)] {
				t.Fatalf("scope %q counts %d keys, has %d", sc.name, sc.keys, keys[uint32(n)])
			}
		}
		if len(sh.scopes.numbers) != len(keys) {
			t.Fatalf("%d scopes are numbered, %d have keys", len(sh.scopes.numbers), len(keys))
		}
		want := int64(never)
		if len(sh.going.items) > 0 {
			want = always
		} else if len(sh.refusing.items) > 0 {
			want = sh.refusing.items[0].at
		}
		if got := s.soonest[i].Load(); got != want {
			t.Fatalf("soonest is %d, want %d", got, want)
		}
	}
	if total != s.Len() || int64(total) > s.max {
		t.Fatalf("%d entries, Len %d, at most %d", total, s.Len(), s.max)
	}
}

// A hash of 32 bits is shared by some two keys in a store of 100,000.
func TestKeysOfOneHashAreToldApart(t *testing.T) {
	s := newSplit(10, 1)
	req := core.Request{
		Scope: "scope", Key: "key", Limits: core.Limits{core.PerMinute(1)}, Cost: 1, Now: time.UnixMilli(1),
		States: make([]core.State, 1),
	}
	s.Take(context.Background(), req)
	sh, hash := &s.shards[0], s.hash("scope", "key")
	if _, e := sh.find(uint32(hash), "scope", "key"); e == nil {
		t.Error("the key is not found")
	}
	if _, e := sh.find(uint32(hash), "scope", "other"); e != nil {
		t.Error("another key of its hash is found")
	}
	if _, e := sh.find(uint32(hash), "other", "key"); e != nil {
		t.Error("the key is found in another scope")
	}
	for _, other := range []uint64{s.hash("key", "scope"), s.hash("other", "key"), s.hash("scope", "other")} {
		if other == hash {
			t.Error("scope and key are not both hashed")
		}
	}
}

func TestQueueKeepsItsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slab
		q := queue{slab: &s, which: 1}
		at := rapid.Int64Range(0, 30)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			n := len(q.items)
			switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
			case op == 0 && n > 0:
				i := rapid.IntRange(0, n-1).Draw(t, "i")
				s.release(q.items[i].id)
				q.remove(i)
			case op == 1 && n > 0:
				i := rapid.IntRange(0, n-1).Draw(t, "i")
				q.set(i, item{at: at.Draw(t, "at"), id: q.items[i].id})
			default:
				id, _ := s.alloc()
				q.push(item{at: at.Draw(t, "at"), id: id})
			}
			for i, it := range q.items {
				if i > 0 && q.items[(i-1)/4].at > it.at {
					t.Fatalf("item %d of %d is earlier than its parent", i, len(q.items))
				}
				if place := s.at(it.id).place; place != uint32(i<<1|1) {
					t.Fatalf("entry %d is at %d and thinks %d", it.id, i, place)
				}
			}
		}
	})
}

func TestIndexFindsWhatIsInIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x index
		hashes := map[uint32]uint32{} // by id
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			id := rapid.Uint32Range(0, 40).Draw(t, "id")
			if hash, ok := hashes[id]; ok {
				x.remove(hash, id)
				delete(hashes, id)
			} else {
				hashes[id] = rapid.Uint32Range(0, 24).Draw(t, "hash") * 0x08000001 // collide, and wrap around the end
				x.add(hashes[id], id)
			}
			for id, hash := range hashes {
				mask := uint32(len(x.slots) - 1)
				i := hash & mask
				for x.slots[i] != newSlot(hash, id) {
					if x.slots[i] == 0 {
						t.Fatalf("%d of hash %d is lost", id, hash)
					}
					i = (i + 1) & mask
				}
			}
		}
	})
}

// What a key costs, and that shards do not share cache lines, hangs on these.
func TestStructsHaveTheSizesTheyAreLaidOutFor(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are for 64 bits")
	}
	for what, c := range map[string]struct{ got, want uintptr }{
		"entry":                        {unsafe.Sizeof(entry{}), 48},
		"item":                         {unsafe.Sizeof(item{}), 16},
		"shard past whole cache lines": {unsafe.Sizeof(shard{}) % 64, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", what, c.got, c.want)
		}
	}
}
