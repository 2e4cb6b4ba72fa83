package storetest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
)

// separate has every pair of a scope and a key spend a limit of 1: nobody may find it spent.
func separate(t testing.TB, c *clock, alg core.Algorithm) {
	c.set(epoch)
	for _, admitted := range []bool{true, false} {
		for _, scope := range []string{"s", "s:", "s:a", "s:a:b", "S", "s:h"} {
			for _, key := range awkwardKeys() {
				req := request(alg, core.Limits{core.Per(1, long)}, key)
				req.Scope = scope
				if _, ok := c.ask(t, req); ok != admitted {
					if len(key) > 200 {
						key = key[:200] + "..."
					}
					t.Fatalf("scope %q, key %q: admitted %v, want %v", scope, key, ok, admitted)
				}
			}
		}
	}
}

// awkwardKeys are different keys that some way of writing them down takes for one another, or chokes on.
func awkwardKeys() []string {
	huge := strings.Repeat("k", 64<<10)
	keys := []string{
		"a", "A", "b", ":a", "a:", "a:b", "b:c", "a:b:c", ":", "::", "a,b", "a/b", "1h:a", "h:a", // like a scope and a key
		" ", "a ", " a", "a\n", "\n", "a\r\nb", "a\tb", "\x00", "\x00a", "a\x00", "a\x00b", "\x7f", // white space, NUL
		"{a}", "{a}b", "{", "}", "}{", "{}", "{}a", "a{b}c", // hash tags of a cluster
		"\xff", "\xfe", "\xff\xfe", "\xc3", "\ufffd", "é", "e\u0301", "日本語", // invalid, and not normal, UTF-8
		"%s", "%00", "*", "?", "[a]", "\\", "\\x00", "\"", "'", "$1", "-1", "0", "00", "nil", "#a", "a#",
		huge, huge + "k", "j" + huge[1:], huge[1:] + "j", huge[:32<<10] + "j" + huge[32<<10+1:],
	}
	for _, n := range []int{2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025} {
		keys = append(keys, huge[:n])
	}
	// A store that hashes some keys must not take a key that is a hash for what it is the hash of.
	for _, s := range []string{huge, "a\x00b"} {
		sum := sha256.Sum256([]byte(s))
		for _, h := range []string{
			hex.EncodeToString(sum[:]), hex.EncodeToString(sum[:16]), string(sum[:]), string(sum[:16]),
			base64.StdEncoding.EncodeToString(sum[:]), base64.RawURLEncoding.EncodeToString(sum[:]),
			base64.RawURLEncoding.EncodeToString(sum[:16]),
		} {
			keys = append(keys, h, "#"+h, "h:"+h, "sha256:"+h, "~"+h, "="+h)
		}
	}
	return keys
}
