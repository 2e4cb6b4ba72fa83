package memstore

// queue is a heap of entries by time, the earliest first. It has four children a node, so that it is half as deep as
// one of two, and the times are in it, so that comparing looks at no entry.
//
// An entry knows its place, index<<1 | which: it is always in exactly one of a shard's two queues.
type queue struct {
	items []item
	which uint32 // going or refusing
	slab  *slab
}

type item struct {
	at     int64 // ms since the epoch
	id     uint32
	window uint32 // the entry's longest, in ms
}

const nowhere = ^uint32(0) // the place of an entry that is in no queue yet

func (q *queue) push(it item) {
	q.items = append(grown(q.items), it)
	q.up(len(q.items)-1, it)
}

// set changes the item at i to another time.
func (q *queue) set(i int, it item) {
	if it.at < q.items[i].at {
		q.up(i, it)
	} else {
		q.down(i, it)
	}
}

func (q *queue) remove(i int) {
	n := len(q.items) - 1
	last := q.items[n]
	q.items = q.items[:n]
	if i < n {
		q.set(i, last)
	}
}

// up puts it at i or, while it is earlier than a parent, above.
func (q *queue) up(i int, it item) {
	for i > 0 {
		parent := (i - 1) / 4
		if q.items[parent].at <= it.at {
			break
		}
		q.put(i, q.items[parent])
		i = parent
	}
	q.put(i, it)
}

// down puts it at i or, while it is later than a child, below.
func (q *queue) down(i int, it item) {
	for {
		first := 4*i + 1
		if first >= len(q.items) {
			break
		}
		child := first
		for c := first + 1; c < min(first+4, len(q.items)); c++ {
			if q.items[c].at < q.items[child].at {
				child = c
			}
		}
		if q.items[child].at >= it.at {
			break
		}
		q.put(i, q.items[child])
		i = child
	}
	q.put(i, it)
}

func (q *queue) put(i int, it item) {
	q.items[i] = it
	q.slab.at(it.id).place = uint32(i)<<1 | q.which
}
