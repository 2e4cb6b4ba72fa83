package window

// Record is what a store in this process keeps of one client: a counter or a log for each limit. The zero Record is
// empty. One record must always be asked with the same kind and the same windows; limits may change.
type Record struct {
	counters []Counter
	logs     []Charges
}

// Take decides whether a request of cost n is admitted by all rules at now, and writes what it found into states, as it
// was before any charge. If all admit, n is not 0 and charge is set, it charges all of them. Else it changes nothing, so
// that a question leaves no trace, not even of the time at which it was asked.
//
// There is one exception. Behind a clock that has stepped back, one limit may refuse while what another holds is of a
// time more than a window ahead, and so counts for nothing. By the end of the wait the clock may have come to that time:
// so that the wait stays true, a refusal with charge set forgets what is ahead.
func (rec *Record) Take(k Kind, rules []Rule, now, n int64, charge bool, states []State) (admitted bool) {
	admitted = true
	for i, r := range rules {
		states[i] = rec.state(i, k, r, now, n)
		admitted = admitted && r.Admits(k, states[i], n)
	}
	switch {
	case !charge || n == 0:
	case admitted:
		rec.charge(k, rules, now, n)
	default:
		rec.forgetAhead(rules, now)
	}
	return admitted
}

func (rec *Record) forgetAhead(rules []Rule, now int64) {
	for i, r := range rules {
		if rec.logs != nil && rec.logs[i].ahead(now, r.Window) {
			rec.logs[i] = Charges{}
		} else if rec.counters != nil && rec.counters[i].ahead(now, r.Window) {
			rec.counters[i] = Counter{}
		}
	}
}

func (rec *Record) state(i int, k Kind, r Rule, now, n int64) State {
	if k == Log {
		if rec.logs == nil {
			return State{}
		}
		return rec.logs[i].At(now, r.Window).State(r, now, n)
	}
	var c Counter
	if rec.counters != nil {
		c = rec.counters[i]
	}
	return c.At(now, r.Window).State(now)
}

func (rec *Record) charge(k Kind, rules []Rule, now, n int64) {
	if k == Log && rec.logs == nil {
		rec.logs = make([]Charges, len(rules))
	} else if k != Log && rec.counters == nil {
		rec.counters = make([]Counter, len(rules))
	}
	for i, r := range rules {
		if k == Log {
			rec.logs[i] = rec.logs[i].At(now, r.Window).Charged(now, n)
		} else {
			rec.counters[i] = rec.counters[i].At(now, r.Window).Charged(n)
		}
	}
}

// End is the time from which the record holds nothing that counts, in ms since the epoch.
func (rec *Record) End(rules []Rule) int64 {
	var end int64
	for i, r := range rules {
		if rec.logs != nil {
			end = max(end, rec.logs[i].End(r.Window))
		} else if rec.counters != nil {
			end = max(end, rec.counters[i].End(r.Window))
		}
	}
	return end
}
