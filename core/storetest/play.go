package storetest

import (
	"strconv"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// play runs the scenario through a limiter on c and stops at the first answer that is wrong.
func (s scenario) play(t testing.TB, c *clock) {
	base := s.start()
	limiter, err := core.New(c, core.Name("scenario"), s.alg, s.limits)
	if err != nil {
		t.Fatalf("%s: %v", s.steps[0].where, err)
	}
	for _, st := range s.steps {
		if st.kind == "limits" {
			if limiter, err = limiter.With(st.limits...); err != nil {
				t.Fatalf("%s: %s: %v", st.where, st.text, err)
			}
			continue
		}
		c.set(base.Add(st.at))
		switch {
		case st.every > 0:
			admitted := 0
			for at := st.at; at <= st.to; at += st.every {
				c.set(base.Add(at))
				if st.ask(t, limiter).Allowed {
					admitted++
				}
			}
			if admitted != st.count {
				t.Fatalf("%s: %s\nadmitted %d", st.where, st.text, admitted)
			}
		case st.kind == "reset":
			if err := limiter.Reset(t.Context(), st.key); err != nil {
				t.Fatalf("%s: %s: %v", st.where, st.text, err)
			}
		default:
			st.check(t, st.ask(t, limiter), c.now)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// start is the scenario's time 0: the first common multiple of its windows that is not before epoch.
func (s scenario) start() time.Time {
	multiple := int64(1)
	for _, l := range s.limits {
		w := l.Window.Milliseconds()
		multiple *= w / gcd(multiple, w)
	}
	after := epoch.UnixMilli() + multiple - 1
	return time.UnixMilli(after - after%multiple).UTC()
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (st step) ask(t testing.TB, limiter *core.Limiter) core.Result {
	t.Helper()
	var res core.Result
	var err error
	if st.kind == "peek" {
		res, err = limiter.Peek(t.Context(), st.key)
	} else {
		res, err = limiter.AllowN(t.Context(), st.key, st.cost)
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", st.where, st.text, err)
	}
	return res
}

// check compares the answer with what the scenario says of it; what it does not say is not checked.
func (st step) check(t testing.TB, res core.Result, now time.Time) {
	t.Helper()
	if res.Allowed != st.allow || res.Allowed && res.RetryAfter != 0 {
		t.Errorf("%s: %s\ngot %v", st.where, st.text, res)
	}
	retry := res.RetryAfter.String()
	if res.RetryAfter == core.Never {
		retry = "never"
	} else if !res.At.Equal(now) {
		t.Errorf("%s: %s\nanswered at %v, the clock is at %v", st.where, st.text, res.At, now)
	}
	got := map[string]string{
		"remaining": strconv.FormatInt(res.Remaining, 10),
		"retry":     retry,
		"reset":     res.ResetAfter.String(),
		"limit":     res.Limit.String(),
	}
	for fact, want := range st.facts {
		if got[fact] != want {
			t.Errorf("%s: %s\n%s is %s", st.where, st.text, fact, got[fact])
		}
	}
}
