package nethttp

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/slidegate/slidegate/core"
)

// Routes is a table of guards by the router's own patterns. Its keys are
//
//   - "METHOD pattern", such as "POST /login";
//   - "pattern", for all methods that have no entry of their own;
//   - "*", for all else, which every table must have: what the rest gets is a decision, not an accident.
//
// They are looked up in this order. A pattern is spelled as the router has it: "/users/{id}" for net/http and chi,
// "/users/:id" for gin and echo, and with its host if it has one there, "example.com/users/{id}". Whether the
// router's pattern names a method does not matter: "GET /x" in a table guards what a mux has as "/x", when it is
// asked to GET it, and "/x" in a table guards what a mux has as "GET /x".
//
// A HEAD gets the guard of GET, by whose handler routers serve it, unless the table has an entry for HEAD, or the
// router's pattern is one of HEAD alone. Requests that match no route, 404 and 405, get "*".
//
// A table finds the pattern in r.Pattern. [Routes.Handler] and the adapters put it there; in a handler behind a mux
// it is there. Do not change a table that is in use.
type Routes map[string]Guard

// rest is the key of the guard for requests that have no other.
const rest = "*"

// Check implements [Guard].
func (t Routes) Check(h http.Header, r *http.Request) error {
	_, _, err := t.Begin(h, r)
	return err
}

// Begin implements [Settler].
func (t Routes) Begin(h http.Header, r *http.Request) (done func(status int), res core.Result, err error) {
	done, res, _, err = begin(t, h, r)
	return done, res, err
}

// guard is the guard of r, nil if there is none.
func (t Routes) guard(r *http.Request) Guard {
	method, pattern := splitMethod(r.Pattern)
	if g, ok := t.entry(r.Method, pattern); ok {
		return g
	}
	// A pattern of HEAD has a handler of its own, to which what is said of GET does not apply.
	if r.Method == http.MethodHead && method != http.MethodHead {
		if g, ok := t.entry(http.MethodGet, pattern); ok {
			return g
		}
	}
	if g, ok := t[pattern]; ok {
		return g
	}
	return t[rest]
}

// entry looks up "METHOD pattern", and keeps the string off the heap.
func (t Routes) entry(method, pattern string) (Guard, bool) {
	var buf [96]byte
	key := append(append(append(buf[:0], method...), ' '), pattern...)
	g, ok := t[string(key)]
	return g, ok
}

// splitMethod parts a router's pattern. A method stands before the first slash; what is behind it may hold spaces,
// such as a regular expression of chi.
func splitMethod(s string) (method, pattern string) {
	if i := strings.IndexAny(s, " \t/"); i >= 0 && s[i] != '/' {
		return s[:i], strings.TrimLeft(s[i:], " \t")
	}
	return "", s
}

// router is a handler that can tell which of its patterns a request will match, without serving it; "" if none. An
// [*http.ServeMux] is one.
type router interface {
	Handler(*http.Request) (h http.Handler, pattern string)
}

// redirect is the type of the handler of a mux's own redirects.
var redirect = reflect.TypeOf(http.RedirectHandler("/", http.StatusTemporaryRedirect))

// patternOf is the pattern of router that r will match.
func patternOf(router router, r *http.Request) string {
	h, pattern := router.Handler(r)
	// Where a ServeMux redirects a CONNECT from /tree to /tree/, it gives not its pattern but the path that the
	// client sent, and clients are not to choose what is counted as a route.
	if r.Method == http.MethodConnect && reflect.TypeOf(h) == redirect {
		return ""
	}
	return pattern
}

// Handler is next behind the table. It panics, naming every fault, if the table is not valid, and if next cannot tell
// its patterns without serving, as an [*http.ServeMux] can: a mux that is wrapped in another middleware must be
// handed to Handler first, and the result be wrapped.
//
// What counts is the pattern of next itself. Where that is "/api/", behind which another mux stands, all of /api/ has
// one entry; the inner mux can have a table of its own, by its own patterns.
func (t Routes) Handler(next http.Handler) http.Handler { return Handler(t, next) }

// mustFit panics if the table cannot guard next.
func (t Routes) mustFit(next http.Handler, isRouter bool) {
	if err := t.Validate(); err != nil {
		panic(err)
	}
	if !isRouter {
		panic(fmt.Sprintf("nethttp: Routes: %T cannot tell its patterns: "+
			"put the table around the *http.ServeMux itself, and other middleware around the table", next))
	}
}

// Validate returns all that is wrong with the table itself: no "*", nil guards, keys that are no key. What a router
// has, it does not know: the Verify of an adapter names entries that match no route.
func (t Routes) Validate() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(t)) {
		if fault := keyFault(key); fault != "" {
			errs = append(errs, fmt.Errorf("nethttp: Routes: %q: %s", key, fault))
		}
		if isNil(t[key]) {
			errs = append(errs, fmt.Errorf("nethttp: Routes: %q: the guard is nil; for no limit, it is nethttp.Unlimited", key))
		}
		if _, ok := t[key].(Routes); ok {
			errs = append(errs, fmt.Errorf("nethttp: Routes: %q: the guard is another table; put its entries into this one", key))
		}
	}
	if _, ok := t[rest]; !ok {
		errs = append(errs, fmt.Errorf(`nethttp: Routes: there is no %q, to say what all other requests get`, rest))
	}
	return errors.Join(errs...)
}

// keyFault is what is wrong with a key, or "".
func keyFault(key string) string {
	if key == rest {
		return ""
	}
	method, pattern := splitMethod(key)
	switch {
	case key == "":
		return `a key is "METHOD /pattern", "/pattern" or "*"`
	case key != strings.TrimSpace(key) || method != "" && key != method+" "+pattern:
		return `write one space between method and pattern, and none around them`
	case !strings.Contains(pattern, "/"):
		return `the pattern has no "/"`
	case method != "" && !slices.Contains(methods, method):
		if upper := strings.ToUpper(method); slices.Contains(methods, upper) {
			return fmt.Sprintf("methods are in upper case: %q", upper+" "+pattern)
		}
		return fmt.Sprintf("unknown method %q; for all methods, write %q", method, pattern)
	}
	return ""
}

// methods are those that a key may name. A misspelt one would be an entry that never matches, and a limit that is not
// there.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodConnect, http.MethodOptions, http.MethodTrace,
}

// isNil reports whether g is nil, or a nil pointer, function or map in a Guard.
func isNil(g Guard) bool {
	switch v := reflect.ValueOf(g); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map:
		return v.IsNil()
	}
	return false
}
