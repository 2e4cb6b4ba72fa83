package keyfuncs_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
	"pgregory.net/rapid"
)

// gives is a Func that returns key and err.
func gives(key string, err error) keyfuncs.Func {
	return func(*http.Request) (string, error) { return key, err }
}

func composed(t interface{ Fatal(...any) }, parts ...string) string {
	var funcs []keyfuncs.Func
	for _, p := range parts {
		funcs = append(funcs, keyfuncs.Const(p))
	}
	key, err := keyfuncs.Compose(funcs...)(&http.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// httprate's JoinKeys puts colons between parts as they are: ("a:b", "c") is ("a", "b:c"), and IPv6 is full of
// colons.
func TestComposeOfAllSplitsDiffers(t *testing.T) {
	const text = "a:b:c:d"
	seen := map[string]string{}
	for i := 1; i < len(text); i++ {
		for j := i; j < len(text); j++ {
			parts := []string{text[:i], text[i:j], text[j:]}
			parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
			key := composed(t, parts...)
			if other, ok := seen[key]; ok && other != fmt.Sprintf("%q", parts) {
				t.Errorf("%q and %s are both %q", parts, other, key)
			}
			seen[key] = fmt.Sprintf("%q", parts)
		}
	}
}

func TestComposeIsInjective(t *testing.T) {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[0-9:,a]{1,12}`), rapid.StringN(1, -1, -1)), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if (composed(t, a...) == composed(t, b...)) != slices.Equal(a, b) {
			t.Fatalf("%q and %q are %q and %q", a, b, composed(t, a...), composed(t, b...))
		}
	})
}

func FuzzCompose(f *testing.F) {
	f.Add("a", "bc", "ab", "c")
	f.Add("1:a,", "1:b", "1:a,1:b", "x")
	f.Add("\x00", "\xff", "0", ":")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		if a == "" || b == "" || c == "" || d == "" {
			return
		}
		if (composed(t, a, b) == composed(t, c, d)) != (a == c && b == d) {
			t.Errorf("(%q, %q) and (%q, %q) are %q and %q", a, b, c, d, composed(t, a, b), composed(t, c, d))
		}
		if one, two := composed(t, a), composed(t, c, d); one == two {
			t.Errorf("(%q) and (%q, %q) are both %q", a, c, d, one)
		}
	})
}

func TestComposeForm(t *testing.T) {
	check(t, keyfuncs.Compose(keyfuncs.IP(), keyfuncs.User(user("alice", true))), request("/", from("203.0.113.9:1")),
		"11:203.0.113.9,10:user:alice,")
}

func TestComposeNeedsAllParts(t *testing.T) {
	fault := errors.New("the directory is down")
	for _, test := range []struct {
		name  string
		funcs []keyfuncs.Func
		want  error
	}{
		{"the first has none", []keyfuncs.Func{gives("", keyfuncs.ErrNoKey), keyfuncs.Const("a")}, keyfuncs.ErrNoKey},
		{"the last has none", []keyfuncs.Func{keyfuncs.Const("a"), gives("", keyfuncs.ErrNoKey)}, keyfuncs.ErrNoKey},
		{"one is empty", []keyfuncs.Func{keyfuncs.Const("a"), gives("", nil)}, keyfuncs.ErrNoKey},
		{"one is exempt", []keyfuncs.Func{keyfuncs.Const("a"), gives("b", keyfuncs.ErrSkip)}, keyfuncs.ErrSkip},
		{"one fails", []keyfuncs.Func{gives("a", fault), gives("", keyfuncs.ErrSkip)}, fault},
	} {
		t.Run(test.name, func(t *testing.T) {
			if key, err := keyfuncs.Compose(test.funcs...)(request("/")); key != "" || !errors.Is(err, test.want) {
				t.Errorf("key %q, error %v, want %v", key, err, test.want)
			}
		})
	}
}

func TestFirst(t *testing.T) {
	fault := errors.New("the directory is down")
	none := fmt.Errorf("no session: %w", keyfuncs.ErrNoKey)
	for _, test := range []struct {
		name  string
		funcs []keyfuncs.Func
		key   string
		err   error
	}{
		{"the first", []keyfuncs.Func{gives("a", nil), gives("b", nil)}, "a", nil},
		{"the next, as the first has none", []keyfuncs.Func{gives("", keyfuncs.ErrNoKey), gives("b", nil)}, "b", nil},
		{"the next, as the first is empty", []keyfuncs.Func{gives("", nil), gives("b", nil)}, "b", nil},
		{"the next, as the first has none and says why", []keyfuncs.Func{gives("", none), gives("b", nil)}, "b", nil},
		{"a key beside an error is none", []keyfuncs.Func{gives("a", none), gives("b", nil)}, "b", nil},
		{"exempt", []keyfuncs.Func{gives("", keyfuncs.ErrSkip), gives("b", nil)}, "", keyfuncs.ErrSkip},
		{"failed", []keyfuncs.Func{gives("", fault), gives("b", nil)}, "", fault},
		{"none of them", []keyfuncs.Func{gives("", nil), gives("", none)}, "", keyfuncs.ErrNoKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			if key, err := keyfuncs.First(test.funcs...)(request("/")); key != test.key || !errors.Is(err, test.err) {
				t.Errorf("key %q, error %v, want %q, %v", key, err, test.key, test.err)
			}
		})
	}
}

func TestCombinedKeepTheirOwnList(t *testing.T) {
	funcs := []keyfuncs.Func{gives("a", nil)}
	first, compose := keyfuncs.First(funcs...), keyfuncs.Compose(funcs...)
	funcs[0] = gives("b", nil)
	check(t, first, request("/"), "a")
	check(t, compose, request("/"), "1:a,")
}
