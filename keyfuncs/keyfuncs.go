package keyfuncs

import (
	"errors"
	"net/http"
)

// Func finds the key by which a request is counted: any non-empty string, of any length and bytes.
//
// It returns [ErrNoKey], or "" without an error, if the request has none, and [ErrSkip] if the request is exempt. Any
// other error is the server's fault; clients see a 500 and none of the error's text.
type Func func(*http.Request) (string, error)

var (
	// ErrNoKey says that a request has no key. It may be wrapped.
	ErrNoKey = errors.New("keyfuncs: the request has no key")

	// ErrSkip says that a request is exempt: it is not counted. It may be wrapped.
	ErrSkip = errors.New("keyfuncs: the request is exempt")
)

// User is the user that id returns: "user:alice". It must be one that was verified, as by the middleware that
// authenticates, in front of the limiter; else see the package's comment. The name is not hashed.
//
// A request for which id returns false or "" has no key.
func User(id func(*http.Request) (string, bool)) Func {
	if id == nil {
		panic("keyfuncs: User: the function is nil")
	}
	return func(r *http.Request) (string, error) {
		name, ok := id(r)
		if !ok || name == "" {
			return "", ErrNoKey
		}
		return "user:" + name, nil
	}
}

// Const is the same key for all requests, so that they share one limit. With "" no request has a key.
func Const(key string) Func {
	return func(*http.Request) (string, error) {
		if key == "" {
			return "", ErrNoKey
		}
		return key, nil
	}
}
