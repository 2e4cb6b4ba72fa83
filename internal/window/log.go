package window

import "sort"

// Charges is what [Log] keeps of one limit: when what was charged, oldest first, for one window back from the newest.
// The zero value is empty.
type Charges struct {
	entries []charge
	gone    uint32 // the running total just before entries[0]
}

// charge holds a running total instead of a cost, so that sums are differences and searches are binary. It wraps at 32
// bits; differences of it do not, since no window holds that much.
type charge struct {
	at    int64  // ms since the epoch
	total uint32 // charged up to and with this one
}

// At is the log as of now, for a window of w: without what has left it. A newest charge that lies in the future is what
// the clock stepped back behind: now is then taken to be its time; but if it is more than w ahead, the log is of another
// time, and At is empty.
func (c Charges) At(now, w int64) Charges {
	k := len(c.entries) - 1
	if k < 0 || c.ahead(now, w) {
		return Charges{}
	}
	// A charge at now-w has left. Behind a newest charge in the future there is none to drop: that charge dropped them.
	i := sort.Search(k+1, func(i int) bool { return c.entries[i].at > now-w })
	switch i {
	case 0:
		return c
	case k + 1:
		return Charges{}
	}
	return Charges{entries: c.entries[i:], gone: c.entries[i-1].total}
}

// ahead reports whether the log is of a time so far in the future that At drops it.
func (c Charges) ahead(now, w int64) bool {
	return len(c.entries) > 0 && c.entries[len(c.entries)-1].at > now+w
}

// State is the log's state at now, the time that it was taken to by At, for a limit of r and a request of cost n.
func (c Charges) State(r Rule, now, n int64) State {
	if len(c.entries) == 0 {
		return State{}
	}
	last := c.entries[len(c.entries)-1]
	s := State{Count: int64(last.total - c.gone), Elapsed: now - last.at}
	if over := s.Count + n - r.Limit; over > 0 && n <= r.Limit {
		i := sort.Search(len(c.entries), func(i int) bool { return int64(c.entries[i].total-c.gone) >= over })
		s.Room = c.entries[i].at + r.Window - now
	}
	return s
}

// Charged is the log, taken to now by At, with n more, which must not be 0. It may use the memory of c.
func (c Charges) Charged(now, n int64) Charges {
	total := c.gone
	if k := len(c.entries) - 1; k >= 0 {
		last := c.entries[k]
		now, total = max(now, last.at), last.total
		n = min(n, MaxCount-int64(total-c.gone))
		if last.at == now {
			c.entries[k].total += uint32(n)
			return c
		}
	}
	c.entries = append(c.entries, charge{at: now, total: total + uint32(n)})
	return c
}

// End is the time from which the log holds nothing that counts: when its newest charge leaves a window of w.
func (c Charges) End(w int64) int64 {
	if len(c.entries) == 0 {
		return 0
	}
	return c.entries[len(c.entries)-1].at + w
}
