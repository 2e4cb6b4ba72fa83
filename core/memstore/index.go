package memstore

// index finds entries by the lower half of their hash: an open-addressed table with linear probing, in which a slot is
// the hash and the entry's number. With the whole 32 bits at hand a probe hardly ever looks at an entry in vain, and
// neither growing nor removing looks at any.
type index struct {
	slots []slot // a power of two of them, or none
	used  int
}

// slot is hash<<32 | number+1; 0 is empty.
type slot uint64

func newSlot(hash, id uint32) slot { return slot(hash)<<32 | slot(id+1) }
func (s slot) hash() uint32        { return uint32(s >> 32) }
func (s slot) id() uint32          { return uint32(s) - 1 }

func (x *index) add(hash, id uint32) {
	if 4*(x.used+1) > 3*len(x.slots) {
		x.grow()
	}
	x.put(newSlot(hash, id))
	x.used++
}

func (x *index) put(s slot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash() & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, max(16, 2*len(old)))
	for _, s := range old {
		if s != 0 {
			x.put(s)
		}
	}
}

// remove takes out a slot that must be there, and closes the gap, so that probes can go on ending at the first empty
// slot and no tombstones pile up.
func (x *index) remove(hash, id uint32) {
	mask := uint32(len(x.slots) - 1)
	gap := hash & mask
	for x.slots[gap] != newSlot(hash, id) {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; x.slots[i] != 0; i = (i + 1) & mask {
		if home := x.slots[i].hash() & mask; (i-home)&mask >= (i-gap)&mask { // a probe for it passes the gap
			x.slots[gap], gap = x.slots[i], i
		}
	}
	x.slots[gap] = 0
	x.used--
}
