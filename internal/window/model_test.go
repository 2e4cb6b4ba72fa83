package window_test

import "github.com/slidegate/slidegate/internal/window"

// ledger is everything that was ever charged to one limit. It is what the tests hold the arithmetic against: it keeps no
// counts, works nothing out ahead, and finds times by trying one millisecond after the other.
type ledger []entry

type entry struct {
	at   int64 // in ms; for windows aligned to the clock, the number of the window that was charged
	cost int64
}

// newest is the time or window of the newest charge.
func (l ledger) newest() int64 {
	newest := l[0].at
	for _, e := range l {
		newest = max(newest, e.at)
	}
	return newest
}

// between is the sum of what was charged after from, up to and with to.
func (l ledger) between(from, to int64) (sum int64) {
	for _, e := range l {
		if from < e.at && e.at <= to {
			sum += e.cost
		}
	}
	return sum
}

// stale reports whether the ledger is too far ahead of the clock to have anything to do with it.
func (l ledger) stale(k window.Kind, w, now int64) bool {
	if k == window.Log {
		return len(l) > 0 && l.newest() > now+w
	}
	return len(l) > 0 && l.newest() > now/w+1
}

// used is how much of a limit is taken up at now, times w, so that it is an integer.
func (l ledger) used(k window.Kind, w, now int64) int64 {
	if len(l) == 0 || l.stale(k, w, now) {
		return 0
	}
	newest := l.newest()
	if k == window.Log {
		now = max(now, newest) // a clock that has stepped back stands still until it has caught up
		return l.between(now-w, now) * w
	}
	current, elapsed := now/w, now%w
	if newest > current {
		current, elapsed = newest, 0 // likewise
	}
	used := l.between(current-1, current) * w
	if k == window.Sliding {
		used += l.between(current-2, current-1) * (w - elapsed)
	}
	return used
}

func (l ledger) admits(k window.Kind, r window.Rule, now, n int64) bool {
	return l.used(k, r.Window, now)+n*r.Window <= r.Limit*r.Window
}

func (l ledger) charged(k window.Kind, w, now, n int64) ledger {
	if n == 0 {
		return l
	}
	if l.stale(k, w, now) {
		l = nil
	}
	at := now
	if k != window.Log {
		at = now / w
	}
	if len(l) > 0 {
		at = max(at, l.newest())
	}
	return append(l[:len(l):len(l)], entry{at, n})
}

// remaining is the largest cost that is admitted, found by trying.
func (l ledger) remaining(k window.Kind, r window.Rule, now int64) int64 {
	n := r.Limit
	for n > 0 && !l.admits(k, r, now, n) {
		n--
	}
	return n
}

// retryAfter is how long until a cost of n is admitted, found by waiting.
func (l ledger) retryAfter(k window.Kind, r window.Rule, now, n int64) int64 {
	if n > r.Limit {
		return window.Never
	}
	var wait int64
	for !l.admits(k, r, now+wait, n) {
		wait++
	}
	return wait
}

// resetAfter is how long until nothing that was charged takes up any of the limit, found by waiting.
func (l ledger) resetAfter(k window.Kind, w, now int64) int64 {
	var wait int64
	for l.used(k, w, now+wait) > 0 {
		wait++
	}
	return wait
}
