package core_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func TestParseLimitReadsWhatStringWrites(t *testing.T) {
	for _, tt := range []struct {
		text      string
		want      core.Limit
		canonical string
	}{
		{"100/1m", core.PerMinute(100), "100/1m"},
		{"5/s", core.PerSecond(5), "5/1s"},
		{"1000/24h", core.PerDay(1000), "1000/24h"},
		{"1000/d", core.PerDay(1000), "1000/24h"},
		{"7/2d", core.Per(7, 48*time.Hour), "7/48h"},
		{"20/h", core.PerHour(20), "20/1h"},
		{"3/1h30m", core.Per(3, 90*time.Minute), "3/90m"},
		{"3/90s", core.Per(3, 90*time.Second), "3/90s"},
		{"3/1.5s", core.Per(3, 1500*time.Millisecond), "3/1500ms"},
		{"1/ms", core.Per(1, time.Millisecond), "1/1ms"},
		{"4294967295/1s", core.PerSecond(4294967295), "4294967295/1s"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := core.ParseLimit(tt.text)
			if err != nil || got != tt.want {
				t.Fatalf("ParseLimit = %v, %v; want %v", got, err, tt.want)
			}
			if got.String() != tt.canonical {
				t.Errorf("String = %q, want %q", got, tt.canonical)
			}
			if again, err := core.ParseLimit(got.String()); err != nil || again != got {
				t.Errorf("ParseLimit(String()) = %v, %v; want %v", again, err, got)
			}
		})
	}
}

func TestParseLimitNamesWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `core: limit "": want requests, a slash and a window, as in "100/1m"`},
		{"100", `core: limit "100": want requests, a slash and a window, as in "100/1m"`},
		{"x/1m", `core: limit "x/1m": "x" is not a number of requests`},
		{"1.5/1m", `core: limit "1.5/1m": "1.5" is not a number of requests`},
		{"99999999999999999999/1m", `core: limit "99999999999999999999/1m": "99999999999999999999" is not a number of requests`},
		{"100/", `core: limit "100/": "" is not a duration`},
		{"100/1", `core: limit "100/1": "1" is not a duration`},
		{"100/1y", `core: limit "100/1y": "1y" is not a duration`},
		{"100/99999d", `core: limit "100/99999d": "99999d" is not a duration`},
		{"100/1m/2", `core: limit "100/1m/2": "1m/2" is not a duration`},
		{"0/1m", `core: limit "0/1m": requests must be positive, got 0`},
		{"-1/1m", `core: limit "-1/1m": requests must be positive, got -1`},
		{"4294967296/1s", `core: limit "4294967296/1s": requests must be below 4294967296, got 4294967296`},
		{"1/0s", `core: limit "1/0s": window must be positive, got 0s`},
		{"1/-1s", `core: limit "1/-1s": "-1s" is not a duration`},
		{"1/500us", `core: limit "1/500us": window must be whole milliseconds, got 500µs`},
		{"1/1200h", `core: limit "1/1200h": window must be below 1193h (4294967296ms), got 1200h0m0s`},
		{"1/4294967296ms", `core: limit "1/4294967296ms": window must be below 1193h (4294967296ms), got 1193h2m47.296s`},
		{"4194304/2147483648ms", `core: limit "4194304/2147483648ms": requests times window in milliseconds must be below 9007199254740992, got 4194304/2147483648ms`},
		{"4294967295/4294967295ms", `core: limit "4294967295/4294967295ms": requests times window in milliseconds must be below 9007199254740992, got 4294967295/4294967295ms`},
		{"4294967295/24h", `core: limit "4294967295/24h": requests times window in milliseconds must be below 9007199254740992, got 4294967295/24h`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := core.ParseLimit(tt.text)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v\nwant    %s", err, tt.want)
			}
			if got != (core.Limit{}) {
				t.Errorf("limit = %v beside an error", got)
			}
		})
	}
}

func TestLimitsAreTextInJSON(t *testing.T) {
	type plan struct {
		Limits core.Limits `json:"limits"`
	}
	const text = `{"limits":["100/1m","5000/24h"]}`
	var p plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Limits) != 2 || p.Limits[0] != core.PerMinute(100) || p.Limits[1] != core.PerDay(5000) {
		t.Fatalf("limits = %v", p.Limits)
	}
	out, err := json.Marshal(p)
	if err != nil || string(out) != text {
		t.Errorf("Marshal = %s, %v; want %s", out, err, text)
	}
	if err := json.Unmarshal([]byte(`{"limits":["often"]}`), &p); err == nil || !strings.Contains(err.Error(), `"often"`) {
		t.Errorf("error = %v; want one that quotes the limit", err)
	}
}

func TestUnmarshalTextLeavesTheLimitAloneOnError(t *testing.T) {
	l := core.PerMinute(3)
	if err := l.UnmarshalText([]byte("bad")); err == nil || l != core.PerMinute(3) {
		t.Errorf("limit = %v, error = %v", l, err)
	}
}

func TestMustParseLimitPanicsWithTheError(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), `"bad"`) {
			t.Errorf("panic = %v; want an error that quotes the limit", err)
		}
	}()
	core.MustParseLimit("bad")
}

func FuzzParseLimit(f *testing.F) {
	for _, seed := range []string{"100/1m", "5/s", "1000/24h", "1/d", "", "/", "-1/-1s", "1/1h1ns", "9/99999d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := core.ParseLimit(s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "core: limit ") {
				t.Errorf("error %q does not say whose it is", err)
			}
			return
		}
		if again, err := core.ParseLimit(l.String()); err != nil || again != l {
			t.Errorf("%q: ParseLimit(%q) = %v, %v", s, l, again, err)
		}
		if _, err := core.New(newStore(), l); err != nil {
			t.Errorf("%q was parsed, but New says %v", s, err)
		}
	})
}
