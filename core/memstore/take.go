package memstore

import (
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/window"
)

// take decides over req and charges it. If that needs room which another shard must make, it has done nothing and
// returns that shard, with the bound for its evict.
func (sh *shard) take(req *core.Request, now int64, hash uint32) (from *shard, bound int64) {
	sh.mu.Lock()
	if len(req.Limits) == 1 && req.Algorithm != core.SlidingLog {
		from, bound = sh.takeOne(req, now, hash)
	} else {
		from, bound = sh.takeMany(req, now, hash)
	}
	sh.mu.Unlock() // not deferred: that is a twentieth of a decision
	return from, bound
}

// takeOne is takeMany for one limit that is counted: what [window.Record.Take] does, in place, and without a second
// look at what did not change. Requires sh.mu.
func (sh *shard) takeOne(req *core.Request, now int64, hash uint32) (from *shard, bound int64) {
	id, e := sh.find(hash, req.Scope, req.Key)
	kind, r := window.Kind(req.Algorithm), rule(req.Limits[0])
	var counter window.Counter
	if e != nil && e.many == nil {
		counter = e.counter
	}
	counter = counter.At(now, r.Window)
	state := counter.State(now)
	req.States[0] = core.State(state)
	switch {
	case req.Op != core.OpTake:
		return nil, 0
	case !r.Admits(kind, state, req.Cost):
		if e != nil {
			wait := r.RetryAfter(kind, state, req.Cost)
			sh.refused(id, e, now, now+r.ResetAfter(kind, state), wait, r.Window)
		}
		return nil, 0
	case req.Cost == 0:
		return nil, 0
	}
	if e == nil {
		if id, e, from, bound = sh.insert(req, now, hash); e == nil {
			return from, bound
		}
	}
	moved := e.place == nowhere || e.many != nil || e.counter.Start != counter.Start
	e.counter, e.many = counter.Charged(req.Cost), nil
	state = r.Charge(kind, state, req.Cost)
	wait := int64(0)
	if !r.Admits(kind, state, 1) {
		wait = r.RetryAfter(kind, state, 1)
	}
	if moved || wait > 0 {
		sh.settle(id, e, now, now+r.ResetAfter(kind, state), now+wait, r.Window)
	}
	return nil, 0
}

// takeMany decides over any number of limits by any algorithm. Requires sh.mu.
func (sh *shard) takeMany(req *core.Request, now int64, hash uint32) (from *shard, bound int64) {
	id, e := sh.find(hash, req.Scope, req.Key)
	var ruleArray [core.MaxLimits]window.Rule
	var stateArray [core.MaxLimits]window.State
	rules, states := ruleArray[:len(req.Limits)], stateArray[:len(req.Limits)]
	for i, l := range req.Limits {
		rules[i] = rule(l)
	}
	kind, longest := window.Kind(req.Algorithm), rules[len(rules)-1].Window

	var empty window.Record
	record := &empty
	known := e != nil && e.many != nil && e.many.limits == len(rules) // else one of another shape: start afresh
	if known {
		record = &e.many.record
	}
	admitted := record.Take(kind, rules, now, req.Cost, known && req.Op == core.OpTake, states)
	for i, s := range states {
		req.States[i] = core.State(s)
	}
	switch {
	case req.Op != core.OpTake || admitted && req.Cost == 0:
		return nil, 0
	case !admitted:
		if known {
			sh.refused(id, e, now, e.many.end, longestWait(kind, rules, states, req.Cost), longest)
		}
		return nil, 0
	}
	if e == nil {
		if id, e, from, bound = sh.insert(req, now, hash); e == nil {
			return from, bound
		}
	}
	if !known {
		e.many = &many{limits: len(rules)}
		e.many.record.Take(kind, rules, now, req.Cost, true, states)
	}
	e.many.record.Take(kind, rules, now, 1, false, states) // what is left
	wait := longestWait(kind, rules, states, 1)
	end := now
	for i, r := range rules {
		end = max(end, now+r.ResetAfter(kind, states[i]))
	}
	if end != e.many.end || wait > 0 {
		e.many.end = end
		sh.settle(id, e, now, end, now+wait, longest)
	}
	return nil, 0
}

// refused notes that a known key was told to wait. A wait of Never is for a cost that nobody should ask.
func (sh *shard) refused(id uint32, e *entry, now, end, wait, longest int64) {
	if wait > 0 {
		sh.settle(id, e, now, end, now+wait, longest)
	}
}

func longestWait(kind window.Kind, rules []window.Rule, states []window.State, n int64) int64 {
	var wait int64
	for i, r := range rules {
		wait = max(wait, r.RetryAfter(kind, states[i], n))
	}
	return wait
}
