// Package window is the arithmetic of rate limits: pure functions of a limit, what was charged, and the time.
//
// Every number is an integer. Times and durations are whole milliseconds; time is always an argument. The package knows
// no store and no clock, so that memory, Redis and the tests decide by the same lines.
//
// # The formulas
//
// With limit L and window W, e milliseconds into the current window, p and c charged in the previous and the current
// window, and a request of cost n, a [Sliding] window asks whether the previous window, weighted by the share of it
// that still lies within the last W, leaves room:
//
//	admit        p*(W-e) + (c+n)*W <= L*W
//	remaining    floor((L*W - p*(W-e) - c*W) / W), at least 0
//	retry after  n > L     never
//	             c+n <= L  W - e - floor(W*(L-c-n)/p)                 the previous window decays enough
//	             else      (W-e) + W - floor(W*(L-n)/c)               the window rolls over, then decays
//	reset after  c > 0: 2W - e;  else p > 0: W - e;  else 0
//
// The retry times solve the admission rule for time, so they are exact: refused one millisecond earlier, admitted then,
// if nobody else spends the key. A [Fixed] window is the same with p = 0 and no decay; a [Log] knows each charge by its
// time and cost.
//
// # Clocks that step back
//
// Windows are aligned to the clock. If the stored window is the one after the clock's, it is kept: e is then negative.
// Weights take it as 0, since no window can weigh more than whole; waits take it as it is, since the client waits by
// the true clock. A window further ahead than that is stale, and the counts start afresh; see [Record.Take] for what that
// means where another limit refuses meanwhile.
package window

// Kind is how a limit counts.
type Kind uint8

// The kinds. core.Algorithm has the same values.
const (
	Sliding Kind = iota // two windows, the previous one weighted
	Log                 // every charge by its time
	Fixed               // one window, aligned to the clock
)

// Never is the wait of a request that costs more than its limit.
const Never = -1

// MaxCount is the largest count that a record holds. Counts saturate at it, and never wrap; and no limit is above it, so
// that a saturated count refuses.
const MaxCount = 1<<32 - 1

// Rule is one limit in the units of the arithmetic. Both fields are positive and less than 1<<32, and their product is
// less than 1<<53, the largest range in which the scripts' numbers are exact too; core.New sees to that.
type Rule struct {
	Limit  int64 // L, in units of cost
	Window int64 // W, in ms
}

// State is what is known of one limit of one client at some time. Its fields are those of core.State, which explains
// them.
type State struct {
	Count    int64 // c; of a log, the sum of the last W
	Previous int64 // p
	Elapsed  int64 // e; of a log, since its newest charge. Negative when the clock has stepped back
	Room     int64 // of a log that refuses: until enough of it has left for the cost asked about
}

// Admits reports whether a request of cost n, at least 0, fits.
func (r Rule) Admits(k Kind, s State, n int64) bool {
	room := r.Limit - s.Count - n
	if room < 0 {
		return false
	}
	if k != Sliding {
		return true
	}
	// Unsigned, because a saturated count times a full window needs all 64 bits; the other side is below 1<<53.
	return uint64(s.Previous)*uint64(r.weight(s)) <= uint64(room)*uint64(r.Window)
}

// Remaining is the largest cost that would be admitted, or 0.
func (r Rule) Remaining(k Kind, s State) int64 {
	room := r.Limit - s.Count
	if room <= 0 {
		return 0
	}
	if k != Sliding {
		return room
	}
	used, whole := uint64(s.Previous)*uint64(r.weight(s)), uint64(room)*uint64(r.Window)
	if used >= whole {
		return 0
	}
	return int64((whole - used) / uint64(r.Window))
}

// RetryAfter is the time until a request of cost n is admitted if nothing else is charged: 0 if it is now, [Never] if
// n exceeds the limit.
func (r Rule) RetryAfter(k Kind, s State, n int64) int64 {
	switch {
	case n > r.Limit:
		return Never
	case r.Admits(k, s, n):
		return 0
	case k == Log:
		return s.Room
	case k == Fixed:
		return r.Window - s.Elapsed
	}
	left := r.Window - s.Elapsed
	if room := r.Limit - s.Count - n; room >= 0 {
		return left - r.Window*room/s.Previous // refused with room, so Previous is not 0
	}
	return left + r.Window - r.Window*(r.Limit-n)/s.Count // Count > Limit-n, so this is after the roll-over
}

// ResetAfter is the time until the whole limit is available if nothing else is charged.
func (r Rule) ResetAfter(k Kind, s State) int64 {
	switch {
	case s.Count > 0 && k == Sliding:
		return 2*r.Window - s.Elapsed
	case s.Count > 0:
		return r.Window - s.Elapsed
	case s.Previous > 0 && k == Sliding:
		return r.Window - s.Elapsed
	}
	return 0
}

// Charge is the state right after a charge of n at the time of s.
func (r Rule) Charge(k Kind, s State, n int64) State {
	if n == 0 {
		return s
	}
	s.Count = min(s.Count+n, MaxCount)
	if k == Log {
		s.Elapsed = min(s.Elapsed, 0) // the charge is the newest entry now, unless the clock has stepped back behind one
		s.Room = 0
	}
	return s
}

// weight is W-e, with e not below 0.
func (r Rule) weight(s State) int64 { return r.Window - max(s.Elapsed, 0) }
