package keyfuncs

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// APIKey is the value of a header, hashed: APIKey("X-API-Key"). It does not check it, so read the package's comment
// about keys that clients choose.
func APIKey(header string) Func {
	header = textproto.CanonicalMIMEHeaderKey(header)
	h := newHash("key", header)
	return func(r *http.Request) (string, error) {
		return h.key(only(r.Header[header]))
	}
}

// Bearer is the token of "Authorization: Bearer TOKEN", hashed. It does not check it, as [APIKey] does not.
func Bearer() Func {
	h := newHash("bearer", "")
	return func(r *http.Request) (string, error) {
		scheme, token, _ := strings.Cut(only(r.Header[authorization]), " ")
		token = strings.Trim(token, " \t")
		// A token has no spaces. Who finds it in "Bearer TOKEN anything" must not be counted by the anything.
		if !strings.EqualFold(scheme, "Bearer") || strings.ContainsAny(token, " \t") {
			return "", ErrNoKey
		}
		return h.key(token)
	}
}

// Query is the value of a parameter in the URL, hashed; the body is not read. It does not check it, as [APIKey] does
// not. A secret in a URL ends up in the logs of others: prefer a header.
func Query(name string) Func {
	h := newHash("query", name)
	return func(r *http.Request) (string, error) {
		if r.URL == nil {
			return "", ErrNoKey
		}
		return h.key(only(queryValues(r.URL.RawQuery, name)))
	}
}

// Cookie is the value of a cookie, hashed. It does not check it, as [APIKey] does not. Of several cookies of the
// name, which browsers send if they were set for different paths, it is the first, the one that [http.Request.Cookie]
// returns.
func Cookie(name string) Func {
	h := newHash("cookie", name)
	return func(r *http.Request) (string, error) {
		c, err := r.Cookie(name)
		if err != nil {
			return "", ErrNoKey
		}
		return h.key(c.Value)
	}
}

// BasicUser is the user name of an Authorization header of the scheme Basic, hashed. The password has no part in it,
// so that guesses at one user's password are counted together, and it is not checked. Names are easily guessed from
// their hashes, and anyone can spend the limit of any name: beside it have a limit by [IP].
func BasicUser() Func {
	h := newHash("basic", "")
	return func(r *http.Request) (string, error) {
		if only(r.Header[authorization]) == "" {
			return "", ErrNoKey
		}
		user, _, _ := r.BasicAuth()
		return h.key(user)
	}
}

const authorization = "Authorization"

// only is the one value that values have, perhaps repeated, or "" if they have none or several.
func only(values []string) string {
	if len(values) == 0 {
		return ""
	}
	for _, v := range values[1:] {
		if v != values[0] {
			return ""
		}
	}
	return values[0]
}

// queryValues is url.ParseQuery(query)[name], without decoding and keeping what else a client may have sent.
func queryValues(query, name string) (values []string) {
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" || strings.Contains(pair, ";") {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != name {
			continue
		}
		if value, err := url.QueryUnescape(value); err == nil {
			values = append(values, value)
		}
	}
	return values
}

// hash makes keys of secrets. Its domain, a hash of what the secrets are, makes the keys of an API key and of a
// cookie differ where their values do not.
type hash struct {
	kind   string
	domain [sha256.Size]byte
}

func newHash(kind, name string) *hash {
	return &hash{kind: kind, domain: sha256.Sum256([]byte("slidegate " + kind + " " + name))}
}

// keySize is 128 bits: to find another value of the same key takes 2^128 tries, and there is no table that helps.
const keySize = 16

// key is the kind, a colon, and the hash of value in the base64 for URLs. It makes one allocation if value is short.
func (h *hash) key(value string) (string, error) {
	if value == "" {
		return "", ErrNoKey
	}
	var buf [256]byte
	sum := sha256.Sum256(append(append(buf[:0], h.domain[:]...), value...))
	text := append(append(buf[:0], h.kind...), ':')
	return string(base64.RawURLEncoding.AppendEncode(text, sum[:keySize])), nil
}
