package core

import (
	"fmt"
	"slices"
	"time"
)

// Never is the RetryAfter of a request that costs more than a limit admits at all.
const Never time.Duration = -1

// Result is a decision, and what there is to know about it. With several limits, Limit and the fields after it speak of
// one: of those that refuse, the one with the longest wait; if all admit, the one with the least left.
type Result struct {
	// Allowed is the decision to act on, even beside a non-nil error: the failure mode is applied already.
	Allowed bool
	// Policy is the limiter's name.
	Policy string
	Limit  Limit
	// Remaining is the largest cost that would still be admitted under Limit, this request charged. Never negative.
	Remaining int64
	// RetryAfter is 0 if Allowed; else the exact time from At until this cost is admitted by every limit, if nobody else
	// spends the key, in whole milliseconds: one less and it is refused. It is [Never] if the cost exceeds a limit.
	RetryAfter time.Duration
	// ResetAfter is the time from At until Limit's quota is whole, if nothing more is charged.
	ResetAfter time.Duration
	// At is the store's clock at the decision, in whole milliseconds.
	At time.Time
	// Degraded says that the store did not answer. Remaining and ResetAfter are then 0 but mean unknown, At is the clock
	// of this process, and the RetryAfter of a refusal is a guess of one second.
	Degraded bool

	quotas []Quota // of a limiter with several limits, their names still empty
}

// unasked says that the decision was made without the store, so that only the limits themselves are known.
func (r Result) unasked() bool { return r.Degraded || r.RetryAfter == Never }

// Quota is what a decision means for one of a limiter's limits.
type Quota struct {
	// Name is the limiter's name; if it has several limits, followed by "-" and the window: "login-1m".
	Name       string
	Limit      Limit
	Remaining  int64
	RetryAfter time.Duration // 0 if this limit admits
	ResetAfter time.Duration
}

// Quotas is the decision for each of the limiter's limits, by window, shortest first. What Result knows of none, it
// knows of no single one: if Degraded, or if RetryAfter is [Never], all but Name and Limit are unknown and 0.
func (r Result) Quotas() []Quota {
	if r.quotas == nil {
		if r.Policy == "" {
			return nil
		}
		q := Quota{Name: r.Policy, Limit: r.Limit}
		if !r.unasked() {
			q.Remaining, q.RetryAfter, q.ResetAfter = r.Remaining, r.RetryAfter, r.ResetAfter
		}
		return []Quota{q}
	}
	quotas := slices.Clone(r.quotas)
	for i := range quotas {
		quotas[i].Name = r.Policy + "-" + formatWindow(quotas[i].Limit.Window)
	}
	return quotas
}

// String is the decision in a line: "default: refused, 0 of 5/1m left, retry after 12.5s".
func (r Result) String() string {
	verdict := "refused"
	if r.Allowed {
		verdict = "allowed"
	}
	switch {
	case r.Policy == "":
		return "no decision"
	case r.Degraded:
		return fmt.Sprintf("%s: %s without the store, limit %v", r.Policy, verdict, r.Limit)
	case r.Allowed:
		return fmt.Sprintf("%s: allowed, %d of %v left, reset after %v", r.Policy, r.Remaining, r.Limit, r.ResetAfter)
	case r.RetryAfter == Never:
		return fmt.Sprintf("%s: refused for ever, more than %v", r.Policy, r.Limit)
	}
	return fmt.Sprintf("%s: refused, %d of %v left, retry after %v", r.Policy, r.Remaining, r.Limit, r.RetryAfter)
}
