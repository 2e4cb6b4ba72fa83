// Package adaptertest is what net/http's own middleware and every adapter must pass: the same request gets the same
// answer, byte for byte, whatever the router. The requests and answers are text files in testdata/http.
//
// A new adapter writes its [Router], some thirty lines, and calls [Run].
package adaptertest

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/nethttp"
	exchanges "github.com/slidegate/slidegate/testdata/http"
)

// Router is a router under test, without middleware of its own. Patterns are in the notation of net/http, and hold
// "{id}" and "{path...}" at most.
type Router interface {
	http.Handler
	// Use puts the adapter's Wrap(g) before the routes that are added after it.
	Use(g nethttp.Guard)
	// Handle adds a route.
	Handle(method, pattern string, h http.HandlerFunc)
	// Mount adds a sub-router, or a group, below prefix, with what build puts on it.
	Mount(prefix string, build func(Router))
}

// Adapter is a router with its adapter.
type Adapter struct {
	// New makes an empty router.
	New func() Router
	// Pattern turns a pattern of net/http's notation, or a key of a table, into the router's own.
	Pattern func(string) string
}

// Run runs the suite.
func Run(t *testing.T, a Adapter) {
	t.Run("exchanges", func(t *testing.T) {
		for _, name := range names(t) {
			t.Run(strings.TrimSuffix(name, ".txt"), func(t *testing.T) { a.play(t, name) })
		}
	})
	t.Run("what reaches a handler was charged to its guard, however the path is spelled", a.spellings)
	t.Run("what is flushed is sent at once", a.flushes)
	t.Run("a panic passes through", a.panics)
	t.Run("a settler learns how requests end", a.settles)
	t.Run("a settler that is panicked through is told 500", a.settlesPanic)
	t.Run("a faulty table is a panic at set-up", a.faultyTable)
	t.Run("responses share no header slices", a.headerSlices)
}

func names(t *testing.T) []string {
	t.Helper()
	entries, err := exchanges.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if path.Ext(e.Name()) == ".txt" {
			names = append(names, e.Name())
		}
	}
	return names
}

// serve starts a server of the application behind guards.
func (a Adapter) serve(t *testing.T, root, mount []nethttp.Guard) *httptest.Server {
	t.Helper()
	r := a.New()
	build(r, root, mount)
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	return srv
}

// play plays a scenario against one server.
func (a Adapter) play(t *testing.T, name string) {
	text, err := exchanges.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(string(text))
	if err != nil {
		t.Fatalf("testdata/http/%s: %v", name, err)
	}
	setup, ok := setups[s.setup]
	if !ok {
		t.Fatalf("testdata/http/%s: no setup %q", name, s.setup)
	}
	st := newStore()
	root, mount := setup(env{st, a.Pattern})
	addr := a.serve(t, root, mount).Listener.Addr().String()
	for _, x := range s.exchanges {
		st.set(epoch.Add(x.at), x.broken)
		got, err := send(addr, x.request)
		if err != nil {
			t.Fatalf("testdata/http/%s:%d: %v", name, x.line, err)
		}
		if !same(x.response, got) {
			t.Errorf("testdata/http/%s:%d: %s\n got %s\nwant %s", name, x.line,
				x.request[0], strings.Join(got, "\n   < "), strings.Join(x.response, "\n   < "))
		}
	}
}
