package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// faulty is a core.Store made of a function and of the plain store that it gets wrong.
type faulty struct {
	*model
	take func(*model, core.Request) (time.Time, error)
}

func (f faulty) Take(ctx context.Context, req core.Request) (time.Time, error) {
	if f.take == nil {
		return req.Now, ctx.Err()
	}
	return f.take(f.model, req)
}

// ask is the plain store's answer.
func ask(m *model, req core.Request) (time.Time, error) { return m.Take(context.Background(), req) }

// lavish is req by limits that admit it whatever was charged.
func lavish(req core.Request) core.Request {
	req.Limits = slices.Clone(req.Limits)
	for i := range req.Limits {
		req.Limits[i].Requests = 1 << 31
	}
	req.States = make([]core.State, len(req.Limits))
	return req
}

func TestFaultyStoreFailsTheCheckOfItsFault(t *testing.T) {
	rekey := func(f func(req *core.Request)) func(*model, core.Request) (time.Time, error) {
		return func(m *model, req core.Request) (time.Time, error) { f(&req); return ask(m, req) }
	}
	var latest time.Time
	for _, tt := range []struct {
		name string
		want string // a check that must fail
		take func(*model, core.Request) (time.Time, error)
	}{
		{"takes an unknown operation for a take", "UnknownOpIsAnErrorAndChargesNothing", rekey(func(req *core.Request) {
			if req.Op > core.OpReset {
				req.Op = core.OpTake
			}
		})},
		{"charges for an unknown operation", "UnknownOpIsAnErrorAndChargesNothing",
			func(m *model, req core.Request) (time.Time, error) {
				if req.Op > core.OpReset {
					req.Op = core.OpTake
					ask(m, req)
					return req.Now, core.ErrUnknownOp
				}
				return ask(m, req)
			}},
		{"answers another clock", "AnswersItsClockInMilliseconds", func(m *model, req core.Request) (time.Time, error) {
			_, err := ask(m, req)
			return time.Now(), err
		}},
		{"rounds its clock up", "AnswersItsClockInMilliseconds", func(m *model, req core.Request) (time.Time, error) {
			now := req.Now
			req.Now = now.Add(time.Millisecond - 1).Truncate(time.Millisecond)
			_, err := ask(m, req)
			return now, err
		}},
		{"answers states from after the charge", "StatesAreFromBeforeTheCharge",
			func(m *model, req core.Request) (time.Time, error) {
				ask(m, req)
				if req.Op == core.OpTake {
					req.Op = core.OpPeek
				}
				return ask(m, req)
			}},
		{"leaves part of the states unwritten", "StatesAreWrittenWhole",
			func(m *model, req core.Request) (time.Time, error) {
				full := req
				full.States = make([]core.State, len(req.Limits))
				now, err := ask(m, full)
				for i, s := range full.States {
					req.States[i].Count, req.States[i].Elapsed = s.Count, s.Elapsed
				}
				return now, err
			}},
		{"charges refusals", "ARefusalChargesNothing", func(m *model, req core.Request) (time.Time, error) {
			now, err := ask(m, req)
			if req.Op == core.OpTake && !req.Admitted() {
				ask(m, lavish(req))
			}
			return now, err
		}},
		{"charges limit by limit", "AllLimitsAreChargedOrNone", func(m *model, req core.Request) (time.Time, error) {
			for i := range max(len(req.Limits), 1) {
				one := req
				one.Scope += fmt.Sprint("/", i)
				if len(req.Limits) > 0 {
					one.Limits, one.States = req.Limits[i:i+1], req.States[i:i+1]
				}
				if _, err := ask(m, one); err != nil {
					return req.Now, err
				}
			}
			return req.Now, nil
		}},
		{"keeps four limits", "EightLimits", func(m *model, req core.Request) (time.Time, error) {
			if len(req.Limits) > 4 {
				req.Limits, req.States = req.Limits[:4], req.States[:4]
			}
			return ask(m, req)
		}},
		{"charges 1 for a cost of 0", "CostZeroChargesNothing", rekey(func(req *core.Request) {
			if req.Op == core.OpTake {
				req.Cost = max(req.Cost, 1)
			}
		})},
		{"charges a peek", "PeekLeavesNoTrace", rekey(func(req *core.Request) {
			if req.Op == core.OpPeek {
				req.Op = core.OpTake
			}
		})},
		{"does not reset", "ResetForgetsOneKeyOfOneScope", func(m *model, req core.Request) (time.Time, error) {
			if req.Op == core.OpReset {
				return req.Now, nil
			}
			return ask(m, req)
		}},
		{"resets every key", "ResetForgetsOneKeyOfOneScope", func(m *model, req core.Request) (time.Time, error) {
			if req.Op == core.OpReset {
				clear(m.counts)
			}
			return ask(m, req)
		}},
		{"does without scopes", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) { req.Scope = "" })},
		{"joins scope and key", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) {
			req.Scope, req.Key = "", req.Scope+":"+req.Key
		})},
		{"cuts keys at 1024 bytes", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) {
			req.Key = req.Key[:min(len(req.Key), 1024)]
		})},
		{"ends keys at NUL", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) {
			req.Key, _, _ = strings.Cut(req.Key, "\x00")
		})},
		{"repairs UTF-8", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) {
			req.Key = strings.ToValidUTF8(req.Key, "\ufffd")
		})},
		{"trims keys", "ScopesAndKeysAreSeparate", rekey(func(req *core.Request) { req.Key = strings.TrimSpace(req.Key) })},
		{"keeps counts a limit", "CountsOutliveChangedLimits", rekey(func(req *core.Request) {
			if req.Op != core.OpReset {
				req.Scope += req.Limits.String()
			}
		})},
		{"fails for a cancelled context", "ACancelledContextIsCounted", nil},
		{"never steps back", "AgreesWithCountsOverRandomHistories", func(m *model, req core.Request) (time.Time, error) {
			now := req.Now
			if now.After(latest) {
				latest = now
			}
			req.Now = latest
			_, err := ask(m, req)
			return now, err
		}},
		{"is a millisecond late", "AgreesWithCountsOverRandomHistories",
			func(m *model, req core.Request) (time.Time, error) {
				now := req.Now
				req.Now = now.Add(-time.Millisecond)
				_, err := ask(m, req)
				return now, err
			}},
		{"counts all alike", "AgreesWithCountsOverRandomHistories", rekey(func(req *core.Request) {
			req.Algorithm = core.FixedWindow
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			latest = time.Time{}
			if !fails(t, tt.want, func() core.Store { return faulty{newModel(), tt.take} }) {
				t.Errorf("%s passes", tt.want)
			}
		})
	}
}

// TestStoreThatChecksThenChargesFails is about a race, which a single run may happen to win.
func TestStoreThatChecksThenChargesFails(t *testing.T) {
	store := func() core.Store {
		return faulty{newModel(), func(m *model, req core.Request) (time.Time, error) {
			peek := req
			peek.Op = core.OpPeek
			now, err := ask(m, peek)
			if err == nil && req.Admitted() {
				runtime.Gosched()
				ask(m, lavish(req))
			}
			return now, err
		}}
	}
	for range 1000 {
		r := &recorder{TB: t}
		r.watch(func() { concurrent(r, &clock{Clocked: Clocked{Store: store()}}, core.SlidingWindow) })
		if r.failed {
			return
		}
	}
	t.Error("ConcurrentTakesAdmitExactlyTheLimit passes 1000 times")
}

func TestHistoryFindsAWrongRetryAfter(t *testing.T) {
	late := faulty{newModel(), func(m *model, req core.Request) (time.Time, error) {
		req.Now = time.Now().Truncate(time.Millisecond)
		_, err := ask(m, req)
		return req.Now.Add(2 * time.Millisecond), err
	}}
	r := &recorder{TB: t}
	h := &history{Rand: rand.New(rand.NewPCG(1, 2)), TB: r, name: "late"}
	h.live(late)
	if !r.failed {
		t.Error("a store that answers 2 ms ahead of the clock that it counts by passes")
	}
}

// fails reports whether the stores that open returns fail the check of that name, by any algorithm.
func fails(t *testing.T, name string, open func() core.Store) bool {
	r := &recorder{TB: t}
	run := compare
	for _, check := range contract {
		if check.name == name {
			run = check.run
		}
	}
	for _, alg := range algorithms {
		r.watch(func() { run(r, &clock{Clocked: Clocked{Store: open()}}, alg) })
	}
	return r.failed
}

// recorder is a testing.TB that takes note of failures instead of failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatal(...any)          { r.FailNow() }
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }
func (r *recorder) FailNow()              { r.failed = true; runtime.Goexit() }
func (r *recorder) Failed() bool          { return r.failed }

// watch runs check until it ends, fails for good or panics, as core.Counts does of a store that mixes up scopes.
func (r *recorder) watch(check func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { r.failed = recover() != nil || r.failed }()
		check()
	}()
	<-done
}
