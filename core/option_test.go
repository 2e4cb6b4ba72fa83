package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func reflectText(v any) string { return fmt.Sprintf("%+v %#v", v, v) }

func TestNewReportsEveryMistakeAtOnce(t *testing.T) {
	_, err := core.New(nil,
		core.Name("a b"), core.Timeout(-time.Second), core.Algorithm(9), core.FailureMode(7), nil,
		core.Limit{Requests: -5, Window: -time.Second}, core.PerMinute(3), core.PerMinute(4),
	)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`core: store is nil`,
		`core: option 5 is nil`,
		`core: name must be 1 to 64 letters, digits, "-", "_" and ".", got "a b"`,
		`core: unknown algorithm 9`,
		`core: unknown failure mode 7`,
		`core: timeout must be from 1ms to 1m0s, got -1s`,
		`core: limit 1: requests must be positive, got -5`,
		`core: limit 1: window must be positive, got -1s`,
		`core: limit 3: 4/1m has the window of limit 2, 3/1m`,
	} {
		if !strings.Contains(err.Error()+"\n", want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("the error:\n%v", err)
	}
}

func TestNewRejects(t *testing.T) {
	nine := core.Limits{}
	for i := range 9 {
		nine = append(nine, core.Per(1, time.Duration(i+1)*time.Second))
	}
	for _, tt := range []struct {
		name string
		opts []core.Option
		want string
	}{
		{"no limit", nil, "core: no limit: give at least one, such as core.PerMinute(100)"},
		{"empty limits", []core.Option{core.Limits{}}, "core: no limit: give at least one, such as core.PerMinute(100)"},
		{"nine limits", []core.Option{nine}, "core: 9 limits: at most 8"},
		{"a large log", []core.Option{core.SlidingLog, core.PerDay(10_001)}, "core: limit 1: SlidingLog takes at most 10000 requests, got 10001"},
		{"an empty name", []core.Option{core.Name(""), core.PerDay(1)}, `core: name must be 1 to 64 letters, digits, "-", "_" and ".", got ""`},
		{"a long name", []core.Option{core.Name(strings.Repeat("n", 65)), core.PerDay(1)},
			`core: name must be 1 to 64 letters, digits, "-", "_" and ".", got "` + strings.Repeat("n", 65) + `"`},
		{"a name with a brace", []core.Option{core.Name("{x}"), core.PerDay(1)}, `core: name must be 1 to 64 letters, digits, "-", "_" and ".", got "{x}"`},
		{"no time", []core.Option{core.Timeout(0), core.PerDay(1)}, "core: timeout must be from 1ms to 1m0s, got 0s"},
		{"too much time", []core.Option{core.Timeout(time.Hour), core.PerDay(1)}, "core: timeout must be from 1ms to 1m0s, got 1h0m0s"},
		{"a nil pointer for an option", []core.Option{(*core.Limit)(nil), core.PerDay(1)}, "core: option 1 is nil"},
		{"FailLocal", []core.Option{core.FailLocal, core.PerDay(1)}, "core: FailLocal is not in this version; use FailOpen or FailClosed"},
		{"no observer", []core.Option{core.Observe(nil), core.PerDay(1)}, "core: Observe needs a function, got nil"},
		{"windows too far apart", []core.Option{core.Per(1, time.Millisecond), core.Per(1, 1<<31*time.Millisecond)},
			"core: limits 1/1ms and 1/2147483648ms: one window is more than 2147483648 times the other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := core.New(newStore(), tt.opts...)
			if err == nil || err.Error() != tt.want || l != nil {
				t.Errorf("got %v, %v\nwant %s", l, err, tt.want)
			}
		})
	}
}

func TestNewTakesTheExtremes(t *testing.T) {
	for _, opt := range []core.Option{
		core.Per(1<<32-1, time.Millisecond),
		core.Per(1, (1<<32-1)*time.Millisecond),
		core.Per(1<<21-1, (1<<32-1)*time.Millisecond), // just below 1<<53
		core.Limits{core.Per(1, time.Millisecond), core.Per(1, (1<<31-1)*time.Millisecond)},
		core.Limits{core.PerDay(9), core.PerHour(3)},
	} {
		l, err := core.New(newStore(), opt)
		if err != nil {
			t.Errorf("%v: %v", opt, err)
			continue
		}
		allow(t, l, "a", 1)
	}
}

func TestNewLeavesTheCallersLimitsAlone(t *testing.T) {
	l := core.MustNew(newStore(), core.PerDay(1))
	limits := core.Limits{core.PerDay(100), core.PerHour(3)}
	if _, err := core.New(newStore(), limits); err != nil {
		t.Fatal(err)
	}
	if _, err := l.With(limits...); err != nil {
		t.Fatal(err)
	}
	if got := limits.String(); got != "100/24h,3/1h" {
		t.Errorf("the caller's limits are now %s", got)
	}
	sorted := core.Limits{core.PerMinute(5)}
	with, err := l.With(sorted...)
	if err != nil {
		t.Fatal(err)
	}
	sorted[0] = core.Limit{}
	if got := with.Limits().String(); got != "5/1m" {
		t.Errorf("the caller changes the limiter: %s", got)
	}
}

// badStore is one that was set up wrongly.
type badStore struct{ store }

func (*badStore) Validate() error { return errors.New("memstore: MaxKeys must be positive, got -1") }

func TestNewReportsTheStoresMistakes(t *testing.T) {
	_, err := core.New(new(badStore))
	if err == nil || !strings.Contains(err.Error(), "MaxKeys must be positive, got -1") || !strings.Contains(err.Error(), "no limit") {
		t.Errorf("error = %v", err)
	}
}

func TestNewSaysOfANilPointerThatItIsNoStore(t *testing.T) {
	if _, err := core.New((*store)(nil), core.PerDay(1)); err == nil || err.Error() != "core: store is nil" {
		t.Errorf("error = %v", err)
	}
}

func TestMustNewPanicsWithTheError(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "core: no limit") {
			t.Errorf("panic = %v", err)
		}
	}()
	core.MustNew(newStore())
}
