package redisstore

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// formatVersion is part of every key, so that a version of this package with other records cannot misread these.
const formatVersion = "1"

const (
	defaultPrefix = "slidegate"
	maxPrefix     = 64
	maxPlain      = 64 // the longest client key that is stored as it is, in bytes
	hashed        = 18 // of the 32 bytes of a SHA-256, how many are stored: 144 bits
)

// keyName is the key under which the counts of a client's key are stored: prefix, ":", version, ":", scope, "|", key.
//
// No two clients of any two scopes have the same: neither a scope nor what appendClient makes of a client's key can
// contain "|". It contains no brace, so that on a Cluster all of it says where it lives.
func (s *Store) keyName(scope, key string) string {
	b := make([]byte, 0, len(s.prefix)+len(formatVersion)+len(scope)+3+maxPlain)
	b = append(b, s.prefix...)
	b = append(b, ':')
	b = append(b, formatVersion...)
	b = append(b, ':')
	b = append(b, scope...)
	b = append(b, '|')
	return string(appendClient(b, key))
}

// appendClient appends key if it is short and plain, else "~" and a hash of it. Plain keys have no "~".
func appendClient(b []byte, key string) []byte {
	if plain(key) {
		return append(b, key...)
	}
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.AppendEncode(append(b, '~'), sum[:hashed])
}

func plain(key string) bool {
	if len(key) > maxPlain {
		return false
	}
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("._:/@+=-", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// checkPrefix returns why p cannot begin a key. A brace would make it a hash tag, which puts all keys into one slot.
func checkPrefix(p string) error {
	if p == "" || len(p) > maxPrefix {
		return fmt.Errorf("redisstore: prefix must have 1 to %d bytes, got %q", maxPrefix, p)
	}
	for i := range len(p) {
		if c := p[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("{}|", c) >= 0 {
			return fmt.Errorf(`redisstore: prefix must be of printable ASCII without spaces, "{", "}" and "|", got %q`, p)
		}
	}
	return nil
}
