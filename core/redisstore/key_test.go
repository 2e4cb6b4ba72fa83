package redisstore

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestKeyNames(t *testing.T) {
	s := &Store{prefix: defaultPrefix}
	long := strings.Repeat("a", maxPlain)
	for _, c := range []struct{ name, scope, key, want string }{
		{"an address", "default:w100/1m", "203.113.100.200", "slidegate:1:default:w100/1m|203.113.100.200"},
		{"an IPv6 network", "login:w1m,1h", "2001:db8::/64", "slidegate:1:login:w1m,1h|2001:db8::/64"},
		{"as long as may be", "x:f24h", long, "slidegate:1:x:f24h|" + long},
		{"longer", "x:f24h", long + "a", "slidegate:1:x:f24h|~"},
		{"a space", "x:f24h", "a b", "slidegate:1:x:f24h|~"},
		{"a hash tag", "x:f24h", "{a}", "slidegate:1:x:f24h|~"},
		{"the mark of a hash", "x:f24h", "~a", "slidegate:1:x:f24h|~"},
		{"the separator", "x:f24h", "a|b", "slidegate:1:x:f24h|~"},
		{"not UTF-8", "x:f24h", "\xff", "slidegate:1:x:f24h|~"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.keyName(c.scope, c.key)
			if !strings.HasSuffix(c.want, "~") {
				if got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				return
			}
			if hash, ok := strings.CutPrefix(got, c.want); !ok || len(hash) != 24 {
				t.Errorf("got %q, want %q and 24 characters", got, c.want)
			}
		})
	}
}

// TestDefaultKeysAreShort keeps a common key within the 44 bytes that Redis stores most tightly.
func TestDefaultKeysAreShort(t *testing.T) {
	s := &Store{prefix: defaultPrefix}
	if name := s.keyName("default:w100/1m", "203.113.100.200"); len(name) > 44 {
		t.Errorf("%q has %d bytes, want at most 44", name, len(name))
	}
}

// TestHashedKeyIsPinned has a change of the hash noticed, which would lose the counts of all such keys.
func TestHashedKeyIsPinned(t *testing.T) {
	const want = "~mEylFiIAc0xZIUjxggtxBX8J"
	if got := string(appendClient(nil, "a secret")); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzKeyNames checks that no two pairs of a scope and a key have one name, and that no name has a hash tag.
func FuzzKeyNames(f *testing.F) {
	f.Add("default:w100/1m:1h", "x", "default:w100/1m", "1h:x")
	f.Add("a:w1m", "~x", "a:w1m", "x")
	f.Add("a:w1m", "{x}", "a:w1m", "\x00")
	f.Fuzz(func(t *testing.T, scope1, key1, scope2, key2 string) {
		checkNames(t, scopeOf(scope1), key1, scopeOf(scope2), key2)
	})
}

func TestNoTwoKeysHaveOneName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.StringMatching(`[a-c]{1,2}:[wlf](1m|1h)(,1h)?(:1m)?`)
		key := rapid.OneOf(rapid.StringMatching(`[a-c:/.~|]{1,6}`), rapid.String())
		checkNames(t, scope.Draw(t, "scope1"), key.Draw(t, "key1"), scope.Draw(t, "scope2"), key.Draw(t, "key2"))
	})
}

func checkNames(t interface{ Errorf(string, ...any) }, scope1, key1, scope2, key2 string) {
	s := &Store{prefix: defaultPrefix}
	name1, name2 := s.keyName(scope1, key1), s.keyName(scope2, key2)
	if same := scope1 == scope2 && key1 == key2; (name1 == name2) != same {
		t.Errorf("%q of %q is %q, and %q of %q is %q", key1, scope1, name1, key2, scope2, name2)
	}
	for _, name := range []string{name1, name2} {
		if strings.ContainsAny(name, "{} \r\n\x00") || !utf8.ValidString(name) {
			t.Errorf("the name %q is not plain", name)
		}
	}
}

// scopeOf is s with what no scope contains left out.
func scopeOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (strings.ContainsRune("-_.:,/", r) || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9') {
			return r
		}
		return -1
	}, s)
}

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		ok           bool
	}{
		{"a word", "shop", true},
		{"words", "shop:rate-limit", true},
		{"as long as may be", strings.Repeat("p", 64), true},
		{"empty", "", false},
		{"too long", strings.Repeat("p", 65), false},
		{"a hash tag", "{shop}", false},
		{"a space", "my shop", false},
		{"a line break", "shop\n", false},
		{"the separator", "a|b", false},
		{"not ASCII", "läden", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Store{}
			Prefix(c.prefix)(s)
			err := s.Validate()
			if (err == nil) != c.ok {
				t.Errorf("got error %v", err)
			}
		})
	}
}
