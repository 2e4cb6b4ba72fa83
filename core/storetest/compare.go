package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// model is the plainest store there is: core.Counts in a map. It counts by Request.Now and never forgets.
type model struct {
	mu     sync.Mutex
	counts map[[2]string]*core.Counts // by scope and key
}

func newModel() *model { return &model{counts: map[[2]string]*core.Counts{}} }

func (m *model) Take(_ context.Context, req core.Request) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := [2]string{req.Scope, req.Key}
	if req.Op == core.OpReset {
		delete(m.counts, id)
		return req.Now, nil
	}
	if m.counts[id] == nil {
		m.counts[id] = new(core.Counts)
	}
	return req.Now, m.counts[id].Take(req)
}

// end is when the counts of key cease to matter; the model must have been asked with one scope alone.
func (m *model) end(key string, limits core.Limits) time.Time {
	for id, counts := range m.counts {
		if id[1] == key {
			return counts.End(limits)
		}
	}
	return time.Time{}
}

// difference says how two decisions differ; "" if they do not.
func difference(got, want core.Result) string {
	all := func(r core.Result) string {
		return fmt.Sprintf("%v allowed=%v at=%d retry=%v reset=%v quotas=%+v",
			r, r.Allowed, r.At.UnixMilli(), r.RetryAfter, r.ResetAfter, r.Quotas())
	}
	if g, w := all(got), all(want); g != w {
		return fmt.Sprintf("got  %s\nwant %s", g, w)
	}
	return ""
}

const (
	walks     = 100
	walkSteps = 60
)

// compare takes c and the model through the same random histories. Their seeds are fixed, so that a failure repeats.
func compare(t testing.TB, c *clock, alg core.Algorithm) {
	start := epoch
	for seed := range uint64(walks) {
		w := &walk{
			Rand: rand.New(rand.NewPCG(seed, uint64(alg))), alg: alg, name: fmt.Sprintf("walk%d", seed),
			store: c, model: &clock{Clocked: Clocked{Store: newModel()}}, keys: map[string]*walkedKey{},
		}
		w.begin(t, start)
		for range walkSteps {
			w.step(t)
		}
		start = w.latest.Add(w.limits[len(w.limits)-1].Window * 2)
	}
}

// walk is one random history: a limiter, a few keys, a clock that mostly goes forward.
type walk struct {
	*rand.Rand
	alg          core.Algorithm
	name         string
	store, model *clock
	limits       core.Limits
	stored       *core.Limiter // on store
	modelled     *core.Limiter // on model

	keys   map[string]*walkedKey
	latest time.Time // that the clock has been at
	retry  time.Time // when the request last refused is due
	trace  []string
}

// walkedKey is what must be known of a key to not ask a store for what it may have forgotten.
type walkedKey struct {
	ends time.Time // when the counts cease to matter
	gone bool      // whether the clock has been there since
}

// begin makes the limiters, at or soon after start.
func (w *walk) begin(t testing.TB, start time.Time) {
	for range 1 + w.IntN(3) {
		longest := []int{5, 100, 1000, 3_600_000}[w.IntN(4)]
		window := w.store.MinWindow.Truncate(time.Millisecond) + time.Duration(1+w.IntN(longest))*time.Millisecond
		if !slices.ContainsFunc(w.limits, func(l core.Limit) bool { return l.Window == window }) {
			w.limits = append(w.limits, core.Limit{Requests: w.requests(), Window: window})
		}
	}
	slices.SortFunc(w.limits, byWindow)
	var err error
	if w.stored, err = core.New(w.store, core.Name(w.name), w.alg, w.limits); err != nil {
		t.Fatal(err)
	}
	w.modelled = core.MustNew(w.model, core.Name(w.name), w.alg, w.limits)
	w.latest = start
	w.note("algorithm %v", w.alg)
	w.note("limits %v", w.limits)
	w.set(start.Add(time.Duration(w.IntN(5_000)) * time.Millisecond))
}

func byWindow(a, b core.Limit) int { return cmp.Compare(a.Window, b.Window) }

func (w *walk) requests() int64 { return 1 + w.Int64N([]int64{1, 3, 12, 1000}[w.IntN(4)]) }

func (w *walk) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

func (w *walk) set(now time.Time) {
	if now.After(w.latest) {
		w.latest = now
	}
	for _, k := range w.keys {
		k.gone = k.gone || !now.Before(k.ends)
	}
	w.store.set(now)
	w.model.set(now)
}

// step moves the clock, changes the limits, or asks.
func (w *walk) step(t testing.TB) {
	window := w.limits[w.IntN(len(w.limits))].Window
	now := w.model.now
	switch w.IntN(12) {
	case 0:
		w.set(now.Add(time.Millisecond))
	case 1:
		w.set(now.Add(time.Duration(w.Int64N(int64(2*window/time.Millisecond)+1)) * time.Millisecond))
	case 2: // to a window's end, or just before it
		end := now.UnixMilli() - now.UnixMilli()%window.Milliseconds() + window.Milliseconds() - w.Int64N(2)
		w.set(time.UnixMilli(end).UTC())
	case 3: // to when the refused request is due, or just before it
		if due := w.retry.Add(-time.Duration(w.IntN(2)) * time.Millisecond); due.After(now) {
			w.set(due)
		}
	case 4: // back, by up to three windows
		back := now.Add(-time.Duration(w.Int64N(int64(3*window/time.Millisecond)+1)) * time.Millisecond)
		for _, k := range w.keys {
			if k.gone && back.Before(k.ends) {
				back = k.ends
			}
		}
		if back.Before(now) {
			w.set(back)
		}
	case 5:
		w.limits = slices.Clone(w.limits)
		w.limits[w.IntN(len(w.limits))].Requests = w.requests()
		var err error
		if w.stored, err = w.stored.With(w.limits...); err != nil {
			t.Fatal(err)
		}
		w.modelled, _ = w.modelled.With(w.limits...)
		w.note("limits %v", w.limits)
	default:
		w.ask(t)
	}
}

// ask puts one question to both limiters, mostly about the same key.
func (w *walk) ask(t testing.TB) {
	key := [...]string{"a", "b"}[w.IntN(8)/7]
	least := w.limits[0].Requests
	for _, l := range w.limits {
		least = min(least, l.Requests)
	}
	var want, got core.Result
	var errs [2]error
	at := w.model.now.Sub(epoch)
	switch w.IntN(20) {
	case 0:
		w.note("at %v reset %s", at, key)
		errs[0], errs[1] = w.modelled.Reset(t.Context(), key), w.stored.Reset(t.Context(), key)
		delete(w.keys, key)
	case 1, 2, 3:
		w.note("at %v peek %s", at, key)
		want, errs[0] = w.modelled.Peek(t.Context(), key)
		got, errs[1] = w.stored.Peek(t.Context(), key)
	default:
		cost := min(w.Int64N(4), least)
		if w.IntN(4) == 0 {
			cost = w.Int64N(least + 1)
		}
		w.note("at %v take %s %d", at, key, cost)
		want, errs[0] = w.modelled.AllowN(t.Context(), key, cost)
		got, errs[1] = w.stored.AllowN(t.Context(), key, cost)
		if want.Allowed && cost > 0 {
			w.keys[key] = &walkedKey{ends: w.model.Store.(*model).end(key, w.limits)}
		} else if !want.Allowed {
			w.retry = want.At.Add(want.RetryAfter)
		}
	}
	for _, err := range errs {
		if err != nil {
			t.Fatalf("%v; after\n%s", err, strings.Join(w.trace, "\n"))
		}
	}
	if diff := difference(got, want); diff != "" {
		t.Fatalf("%s, with times from %v:\n%s\n%s", w.name, epoch, strings.Join(w.trace, "\n"), diff)
	}
}
