package storetest

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/window"
)

// TestScenariosByTheArithmeticAlone plays the scenarios without a store or a limiter in between, so that a failure here
// is one of the formulas.
func TestScenariosByTheArithmeticAlone(t *testing.T) {
	all, err := readScenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			a := arithmetic{kind: window.Kind(s.alg), records: map[string]*window.Record{}}
			for _, st := range s.steps {
				switch {
				case st.kind == "limits":
					a.limits = st.limits
				case st.kind == "reset":
					delete(a.records, st.key)
				case st.every > 0:
					admitted := 0
					for at := st.at; at <= st.to; at += st.every {
						if a.ask(st, s.start().Add(at)).Allowed {
							admitted++
						}
					}
					if admitted != st.count {
						t.Fatalf("%s: %s\nadmitted %d", st.where, st.text, admitted)
					}
				default:
					at := s.start().Add(st.at)
					st.check(t, a.ask(st, at), at)
				}
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}

type arithmetic struct {
	kind    window.Kind
	limits  core.Limits
	records map[string]*window.Record
}

func (a arithmetic) ask(st step, at time.Time) core.Result {
	rules := make([]window.Rule, len(a.limits))
	for i, l := range a.limits {
		rules[i] = window.Rule{Limit: l.Requests, Window: l.Window.Milliseconds()}
		if st.cost > l.Requests {
			return core.Result{Limit: l, RetryAfter: core.Never}
		}
	}
	if a.records[st.key] == nil {
		a.records[st.key] = new(window.Record)
	}
	states := make([]window.State, len(rules))
	charge := st.kind == "take"
	res := core.Result{At: at}
	res.Allowed = a.records[st.key].Take(a.kind, rules, at.UnixMilli(), st.cost, charge, states)
	for i, r := range rules {
		retry := ms(r.RetryAfter(a.kind, states[i], st.cost))
		if res.Allowed && charge {
			states[i] = r.Charge(a.kind, states[i], st.cost)
		}
		remaining := r.Remaining(a.kind, states[i])
		if i == 0 || retry > res.RetryAfter || res.Allowed && remaining < res.Remaining {
			res.Limit, res.Remaining, res.RetryAfter = a.limits[i], remaining, retry
			res.ResetAfter = ms(r.ResetAfter(a.kind, states[i]))
		}
	}
	return res
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
