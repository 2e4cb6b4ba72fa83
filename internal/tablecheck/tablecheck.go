// Package tablecheck is what the adapters do about a table of guards before they serve: [Must] finds what is wrong with
// the table itself, and [Router.Verify] the entries that no route of a router can reach, such as one with a misspelt
// pattern, which would be a limit that is not there.
package tablecheck

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/slidegate/slidegate/nethttp"
)

// Must panics if g is a table that is not valid, naming all its faults: what Wrap does at set-up.
func Must(g nethttp.Guard) {
	if table, ok := g.(nethttp.Routes); ok {
		if err := table.Validate(); err != nil {
			panic(err)
		}
	}
}

// Router is what a router serves: methods by pattern. AnyMethod among them stands for all.
type Router map[string][]string

// AnyMethod is the method of a route that serves every method.
const AnyMethod = ""

// Add adds a route.
func (r Router) Add(method, pattern string) { r[pattern] = append(r[pattern], method) }

// Verify returns all that is wrong with the table: what its Validate says, and each entry that matches no route.
func (r Router) Verify(adapter string, table nethttp.Routes) error {
	errs := []error{table.Validate()}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if key != "*" && !r.reaches(Split(key)) {
			errs = append(errs, fmt.Errorf("%s: Verify: %q matches no route%s", adapter, key, r.hint(key)))
		}
	}
	return errors.Join(errs...)
}

// Split is the method and the pattern of a table's key; AnyMethod if it names none.
func Split(key string) (method, pattern string) {
	if method, pattern, ok := strings.Cut(key, " "); ok && !strings.Contains(method, "/") {
		return method, pattern
	}
	return AnyMethod, key
}

// reaches reports whether a request can get the guard of method and pattern.
func (r Router) reaches(method, pattern string) bool {
	served, ok := r[pattern]
	switch {
	case !ok || method == AnyMethod || slices.Contains(served, AnyMethod) || slices.Contains(served, method):
		return ok
	case method == http.MethodGet:
		return slices.Contains(served, http.MethodHead) // a HEAD without an entry of its own gets GET's
	}
	return false
}

// hint says more where the pattern is there, but not for the method.
func (r Router) hint(key string) string {
	_, pattern := Split(key)
	if served, ok := r[pattern]; ok {
		return ": the pattern is there for " + strings.Join(slices.Compact(slices.Sorted(slices.Values(served))), ", ")
	}
	return ""
}
