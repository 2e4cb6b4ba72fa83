package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func TestScenarioIsReadWhole(t *testing.T) {
	all, err := parseScenarios("two.txt", []byte(`
		# a comment
		scenario the first one   # and its comment
		algorithm SlidingLog
		limits 15/1h 10/1s
		at 0.1s take alice 10 -> deny retry never limit 10/1000ms remaining 00 reset 1.9s
		from 1s to 2s every 500ms take bob -> allow 3
		scenario the second
		limits 1/1s
		at -1s reset alice
	`))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d scenarios, error %v; want 2", len(all), err)
	}
	first := all[0]
	if first.name != "two/the first one" || first.alg != core.SlidingLog || first.limits.String() != "10/1s,15/1h" {
		t.Errorf("the first is %q, %v, %v", first.name, first.alg, first.limits)
	}
	take := first.steps[1]
	if take.where != "two.txt:6" || take.kind != "take" || take.at != 100*time.Millisecond || take.key != "alice" ||
		take.cost != 10 || take.allow {
		t.Errorf("its take is %+v", take)
	}
	for fact, want := range map[string]string{"retry": "never", "limit": "10/1s", "remaining": "0", "reset": "1.9s"} {
		if got := take.facts[fact]; got != want {
			t.Errorf("its take says %s %q, want %q", fact, got, want)
		}
	}
	loop := first.steps[2]
	if loop.at != time.Second || loop.to != 2*time.Second || loop.every != 500*time.Millisecond ||
		loop.count != 3 || loop.cost != 1 {
		t.Errorf("its loop is %+v", loop)
	}
	if reset := all[1].steps[1]; reset.kind != "reset" || reset.at != -time.Second {
		t.Errorf("the second's reset is %+v", reset)
	}
}

func TestFaultyScenarioIsNamedByFileAndLine(t *testing.T) {
	const head = "scenario x\nlimits 10/1s\n"
	for _, tt := range []struct{ name, text, want string }{
		{"no scenario", "limits 10/1s", `f.txt:1: "limits" comes before the first scenario line`},
		{"no steps", "scenario x\n", `f.txt: scenario "f/x" has no steps`},
		{"no limits", "scenario x\nat 0s take a -> allow", `"at 0s take a -> allow" comes before the scenario's limits`},
		{"limits of nothing", "scenario x\nlimits", `f.txt:2: limits: want at least one`},
		{"no limit", "scenario x\nlimits ten", `f.txt:2: core: limit "ten"`},
		{"algorithm", "scenario x\nalgorithm Leaky", `f.txt:2: algorithm "Leaky": want one of [SlidingWindow`},
		{"late algorithm", head + "algorithm SlidingLog", `f.txt:3: "algorithm SlidingLog": want one algorithm, before`},
		{"other windows", head + "limits 10/2s", `f.txt:3: limits 10/2s: a scenario keeps its windows`},
		{"word", head + "after 1s take a -> allow", `f.txt:3: "after": want scenario, algorithm`},
		{"time", head + "at 1 take a -> allow", `f.txt:3: time "1": want whole milliseconds`},
		{"part of a millisecond", head + "at 1us take a -> allow", `f.txt:3: time "1us": want whole milliseconds`},
		{"operation", head + "at 1s give a -> allow", `f.txt:3: operation "give"`},
		{"no key", head + "at 1s take -> allow", `want a time, an operation and a key`},
		{"cost", head + "at 1s take a b -> allow", `f.txt:3: cost "b": want a whole number`},
		{"cost of a peek", head + "at 1s peek a 2 -> allow", `"2" is too much`},
		{"too much", head + "at 1s take a 2 3 -> allow", `"3" is too much`},
		{"no answer", head + "at 1s take a", `take and peek want -> and an answer`},
		{"answer to a reset", head + "at 1s reset a -> allow", `reset has none`},
		{"other answer", head + "at 1s take a -> maybe", `want allow or deny after ->`},
		{"half a fact", head + "at 1s take a -> allow remaining", `want pairs`},
		{"fact", head + "at 1s take a -> allow left 3", `f.txt:3: left "3": no such fact`},
		{"value", head + "at 1s take a -> deny retry soon", `f.txt:3: retry "soon": time "soon"`},
		{"reset is never never", head + "at 1s take a -> deny reset never", `f.txt:3: reset "never"`},
		{"twice", head + "at 1s take a -> deny retry 1s retry 2s", `says retry twice`},
		{"loop without every", head + "from 1s to 2s each 1ms take a -> allow 3", `want "every", got "each"`},
		{"loop backwards", head + "from 2s to 1s every 1ms take a -> allow 3", `want times that go forward`},
		{"loop standing still", head + "from 1s to 2s every 0s take a -> allow 3", `want times that go forward`},
		{"loop of peeks", head + "from 1s to 2s every 1ms peek a -> allow 3", `after from only take`},
		{"loop that denies", head + "from 1s to 2s every 1ms take a -> deny 3", `want allow and how many`},
		{"loop without a count", head + "from 1s to 2s every 1ms take a -> allow all", `count "all"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseScenarios("f.txt", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f.txt:") {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
		})
	}
}

func TestScenarioStartsWithAWindowOfEachLimit(t *testing.T) {
	s := scenario{limits: core.Limits{core.Per(1, 7*time.Millisecond), core.Per(1, 101*time.Millisecond), core.PerHour(1)}}
	start := s.start()
	if start.Before(epoch) {
		t.Errorf("starts at %v, before %v", start, epoch)
	}
	for _, l := range s.limits {
		if into := start.UnixMilli() % l.Window.Milliseconds(); into != 0 {
			t.Errorf("starts %d ms into a window of %v", into, l.Window)
		}
	}
}
