package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slidegate/slidegate/internal/window"
)

// ErrStore is wrapped by the error of a decision for which the store could not be asked, or could not answer in time.
// The Result beside it is still the decision to act on.
var ErrStore = errors.New("core: the store did not answer")

// degradedRetry is what a client is told who is refused because the store did not answer.
const degradedRetry = time.Second

// Limiter decides whether a key may spend. Most callers want [Limiter.Allow].
//
// It holds no counts itself, only a reference to its store, and is safe for concurrent use.
type Limiter struct {
	*policy
	limits Limits // sorted by window
	scope  string
}

// policy is what a Limiter shares with those that With made of it.
type policy struct {
	config
	store   Store
	failing atomic.Bool // whether the store failed when last asked
}

// New makes a limiter of the options, at least one of them a limit. Its error names every mistake in them. New asks
// nothing of the store, so that a program starts while its store is down.
func New(store Store, opts ...Option) (*Limiter, error) {
	var errs []error
	if isNil(store) {
		errs = append(errs, errors.New("core: store is nil"))
	} else if v, ok := store.(interface{ Validate() error }); ok {
		errs = append(errs, v.Validate())
	}
	c, err := newConfig(opts)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	p := &policy{config: c, store: store}
	return &Limiter{policy: p, limits: c.limits, scope: p.scope(c.limits)}, nil
}

// MustNew is [New] for limiters that are written in the program: it panics where New returns an error.
func MustNew(store Store, opts ...Option) *Limiter {
	l, err := New(store, opts...)
	if err != nil {
		panic(err)
	}
	return l
}

// scope tells the counts of limiters apart: by name, algorithm and windows, and an unnamed limiter's also by the
// numbers that it was made with.
func (p *policy) scope(limits Limits) string {
	s := p.name + ":" + string(p.alg.letter())
	if p.named {
		return s + limits.windows()
	}
	s += p.config.limits.String()
	if !limits.sameWindows(p.config.limits) {
		s += ":" + limits.windows()
	}
	return s
}

// With is a limiter of the same name, store and counts with other limits, for limits that come from a customer's
// record. Counts carry over as long as the windows stay the same; limits may rise and fall. It is cheap enough to be
// made for each request.
func (l *Limiter) With(limits ...Limit) (*Limiter, error) {
	checked, err := Limits(limits).check(l.alg)
	if err != nil {
		return nil, err
	}
	with := &Limiter{policy: l.policy, limits: checked, scope: l.scope}
	if !checked.sameWindows(l.limits) {
		with.scope = l.policy.scope(checked)
	}
	return with, nil
}

// Name is the limiter's name.
func (l *Limiter) Name() string { return l.name }

// Limits are the limiter's limits, by window. The caller must not change them.
func (l *Limiter) Limits() Limits { return l.limits }

// Allow is [Limiter.AllowN] with a cost of 1.
func (l *Limiter) Allow(ctx context.Context, key string) (Result, error) {
	return l.AllowN(ctx, key, 1)
}

// AllowN decides whether key may spend n now, and charges n if so; a refused request is charged nothing. Act on
// Result.Allowed, whatever the error:
//
//   - An error that wraps [ErrStore] says that the store did not decide, so that the failure mode did.
//   - Any other error is the caller's mistake, an empty key or a negative n; nothing is allowed or charged.
//
// With n 0 nothing is charged, and key is allowed while it is within its limits. With n above a limit key is refused
// with a wait of [Never], and the store is not asked.
//
// The decision takes at most the limiter's [Timeout]. That ctx is cancelled does not stop it: a client that hangs up
// has been counted.
func (l *Limiter) AllowN(ctx context.Context, key string, n int64) (Result, error) {
	start := now()
	res, err := l.decide(ctx, OpTake, key, n, start)
	if l.observer != nil {
		e := Event{Kind: Decided, Limiter: l.name, Code: CodeRefused, Result: res, Err: err}
		switch {
		case res.Degraded:
			e.Code = CodeFailed
		case err != nil:
			e.Code = CodeInvalid
		case res.Allowed:
			e.Code = CodeAllowed
		}
		e.Took = now().Sub(start)
		l.observer(ctx, e)
	}
	return res, err
}

// Peek is what Allow would say, but charges nothing.
func (l *Limiter) Peek(ctx context.Context, key string) (Result, error) {
	return l.decide(ctx, OpPeek, key, 1, now())
}

// Reset forgets what key has spent.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	if key == "" {
		return l.errKey()
	}
	start := now()
	_, err := l.store.Take(ctx, Request{
		Op: OpReset, Algorithm: l.alg, Scope: l.scope, Key: key, Now: start, Deadline: start.Add(l.timeout),
	})
	return l.asked(ctx, err)
}

// Report has the limiter's observers see e, as an event of the limiter. It is how the packages around core emit.
func (l *Limiter) Report(ctx context.Context, e Event) {
	if l.observer != nil {
		e.Limiter = l.name
		l.observer(ctx, e)
	}
}

// states is the memory that stores write into; a pool of it keeps decisions off the heap.
var states = sync.Pool{New: func() any { return new([MaxLimits]State) }}

func (l *Limiter) decide(ctx context.Context, op Op, key string, n int64, start time.Time) (Result, error) {
	if key == "" {
		return Result{Policy: l.name, Limit: l.limits[0]}, l.errKey()
	}
	if n < 0 {
		err := fmt.Errorf("core: limiter %q: cost must not be negative, got %d", l.name, n)
		return Result{Policy: l.name, Limit: l.limits[0]}, err
	}
	for _, limit := range l.limits {
		if n > limit.Requests {
			return l.unasked(Result{Limit: limit, RetryAfter: Never, At: start.Truncate(time.Millisecond)}), nil
		}
	}
	mem := states.Get().(*[MaxLimits]State)
	defer states.Put(mem)
	req := Request{
		Op: op, Algorithm: l.alg, Scope: l.scope, Key: key, Limits: l.limits, Cost: n,
		Now: start, Deadline: start.Add(l.timeout), States: mem[:len(l.limits)],
	}
	at, err := l.store.Take(ctx, req)
	if err := l.asked(ctx, err); err != nil {
		res := Result{Limit: l.limits[0], At: start.Truncate(time.Millisecond), Degraded: true, Allowed: l.mode == FailOpen}
		if !res.Allowed {
			res.RetryAfter = degradedRetry
		}
		return l.unasked(res), err
	}
	return l.result(&req, at), nil
}

// result renders what the store found. It works out the decision again, by the same integers as the store.
func (l *Limiter) result(req *Request, at time.Time) Result {
	res := Result{Allowed: req.Admitted(), Policy: l.name, At: time.UnixMilli(at.UnixMilli())}
	if len(l.limits) > 1 {
		res.quotas = make([]Quota, len(l.limits))
	}
	kind := l.alg.kind()
	for i, limit := range l.limits {
		rule, state := limit.rule(), window.State(req.States[i])
		q := Quota{Limit: limit, RetryAfter: ms(rule.RetryAfter(kind, state, req.Cost))}
		if res.Allowed && req.Op == OpTake {
			state = rule.Charge(kind, state, req.Cost)
		}
		q.Remaining, q.ResetAfter = rule.Remaining(kind, state), ms(rule.ResetAfter(kind, state))
		if res.quotas != nil {
			res.quotas[i] = q
		}
		if i == 0 || q.RetryAfter > res.RetryAfter || res.Allowed && q.Remaining < res.Remaining {
			res.Limit, res.Remaining, res.RetryAfter, res.ResetAfter = q.Limit, q.Remaining, q.RetryAfter, q.ResetAfter
		}
	}
	return res
}

// unasked completes a Result that was made without the store.
func (l *Limiter) unasked(res Result) Result {
	res.Policy = l.name
	if len(l.limits) > 1 {
		res.quotas = make([]Quota, len(l.limits))
		for i, limit := range l.limits {
			res.quotas[i].Limit = limit
		}
	}
	return res
}

// asked takes note of the outcome of a call to the store, and makes its error one of ours.
func (l *Limiter) asked(ctx context.Context, err error) error {
	if err == nil {
		if l.failing.Load() && l.failing.CompareAndSwap(true, false) {
			l.Report(ctx, Event{Kind: Recovered, Code: CodeStore, Message: "the store answers again"})
		}
		return nil
	}
	err = fmt.Errorf("%w: %w", ErrStore, err)
	if !l.failing.Swap(true) {
		l.Report(ctx, Event{
			Kind: Degraded, Code: CodeStore, Message: "the store does not answer; the mode is " + l.mode.String(), Err: err,
		})
	}
	return err
}

func (l *Limiter) errKey() error { return fmt.Errorf("core: limiter %q: key is empty", l.name) }

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
