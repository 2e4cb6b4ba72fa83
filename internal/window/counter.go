package window

// Counter is what [Sliding] and [Fixed] keep of one limit: two windows, aligned to the clock. The zero Counter is
// empty.
type Counter struct {
	Start    int64  // of the current window, in ms since the epoch
	Current  uint32 // charged in it
	Previous uint32 // charged in the window before it
}

// At is the counter as of now, for a window of w: rolled forward if windows have ended, kept if the clock has stepped
// back into the window before, empty if the counter is of another time.
func (c Counter) At(now, w int64) Counter {
	start := now - now%w
	switch c.Start - start {
	case 0, w:
		return c
	case -w:
		return Counter{Start: start, Previous: c.Current}
	}
	return Counter{Start: start}
}

// ahead reports whether the counter is of a time so far in the future that At drops it.
func (c Counter) ahead(now, w int64) bool { return c.Start > now-now%w+w }

// State is the counter's state at now, the time that it was rolled to by At.
func (c Counter) State(now int64) State {
	return State{Count: int64(c.Current), Previous: int64(c.Previous), Elapsed: now - c.Start}
}

// Charged is the counter with n more in its current window.
func (c Counter) Charged(n int64) Counter {
	c.Current = uint32(min(int64(c.Current)+n, MaxCount))
	return c
}

// End is the time from which the counter holds nothing that counts: the end of its next window.
func (c Counter) End(w int64) int64 { return c.Start + 2*w }
