package core

import (
	"time"

	"github.com/slidegate/slidegate/internal/window"
)

// Counts is what was charged to one key of one scope, for stores that keep their counts as Go values: a map of scope
// and key to *Counts under a mutex is a [Store]. The zero Counts is empty. One is of one scope, so that its
// algorithm and windows stay the same. It is not safe for concurrent use.
type Counts struct{ record window.Record }

// Take does OpTake and OpPeek: it decides over req at req.Now, writes req.States, and charges what the operation says.
func (c *Counts) Take(req Request) error {
	switch req.Op {
	case OpTake, OpPeek:
	default:
		return ErrUnknownOp
	}
	var rules [MaxLimits]window.Rule
	var states [MaxLimits]window.State
	k := len(req.Limits)
	for i, l := range req.Limits {
		rules[i] = l.rule()
	}
	c.record.Take(req.Algorithm.kind(), rules[:k], req.Now.UnixMilli(), req.Cost, req.Op == OpTake, states[:k])
	for i := range req.States[:k] {
		req.States[i] = State(states[i])
	}
	return nil
}

// End is when the counts have ceased to matter, under limits of the windows that they were taken with: a store may
// forget them from then on.
func (c *Counts) End(limits Limits) time.Time {
	var rules [MaxLimits]window.Rule
	for i, l := range limits {
		rules[i] = l.rule()
	}
	return time.UnixMilli(c.record.End(rules[:len(limits)]))
}
