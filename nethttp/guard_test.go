package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func TestForgettingAGuardIsNotExempting(t *testing.T) {
	var middleware *nethttp.Middleware
	var choose nethttp.Choose
	var table nethttp.Routes
	for name, g := range map[string]nethttp.Guard{
		"nil":              nil,
		"nil Middleware":   middleware,
		"nil Choose":       choose,
		"Choose nil":       nethttp.Choose(func(*http.Request) nethttp.Guard { return nil }),
		"Choose nil table": nethttp.Choose(func(*http.Request) nethttp.Guard { return table }),
		"Choose nil entry": nethttp.Choose(func(*http.Request) nethttp.Guard { return nethttp.Routes{"*": nil} }),
	} {
		t.Run(name, func(t *testing.T) {
			res := ask(nethttp.Handler(g, ok), "GET", "/")
			status(t, res, http.StatusInternalServerError)
			if body, _ := io.ReadAll(res.Body); strings.Contains(string(body), "nil") {
				t.Errorf("the client reads %s", body)
			}
			if g == nil {
				return
			}
			if d, ok := errors.AsType[*nethttp.Denial](g.Check(http.Header{}, request("GET", "/"))); !ok || d.StatusCode() != 500 {
				t.Errorf("Check returns %v", d)
			}
		})
	}
}

func TestUnlimitedProceedsWithoutHeaders(t *testing.T) {
	res := ask(nethttp.Handler(nethttp.Unlimited, ok), "GET", "/")
	status(t, res, http.StatusOK)
	if len(res.Header) != 1 {
		t.Errorf("headers are %v", res.Header)
	}
}

// A handler that flushes, hijacks or sends files needs the writer of the server.
func TestTheWriterIsNotWrapped(t *testing.T) {
	var got http.ResponseWriter
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { got = w })
	m := newIP(t, newStore(), nethttp.ShareResult())
	mux := http.NewServeMux()
	mux.Handle("/", next)
	for name, h := range map[string]http.Handler{
		"Middleware": m.Handler(next),
		"Routes":     nethttp.Routes{"*": m}.Handler(mux),
		"Choose":     nethttp.Handler(nethttp.Choose(func(*http.Request) nethttp.Guard { return nethttp.Unlimited }), next),
	} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, request("GET", "/")); got != http.ResponseWriter(w) {
			t.Errorf("%s: the handler got a %T", name, got)
		}
	}
}

func TestSettlerLearnsTheStatus(t *testing.T) {
	tests := []struct {
		name string
		next http.HandlerFunc
		want int
	}{
		{"nothing written", func(http.ResponseWriter, *http.Request) {}, 200},
		{"body alone", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }, 200},
		{"status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 404},
		{"early hints before it", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(418) }, 418},
		{"flushed", func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() }, 200},
		{"panic", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 500},
		{"panic after the status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200); panic(http.ErrAbortHandler) }, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			g := nethttp.Choose(func(*http.Request) nethttp.Guard { return settler{statuses: &got} })
			func() {
				defer func() {
					if v := recover(); tt.want == 500 && v != http.ErrAbortHandler || tt.want != 500 && v != nil {
						t.Errorf("recovered %v", v)
					}
				}()
				ask(nethttp.Handler(g, tt.next), "GET", "/")
			}()
			if !slices.Equal(got, []int{tt.want}) {
				t.Errorf("done was called with %v, want %d once", got, tt.want)
			}
		})
	}
}

// Panics are for those outside, http.ErrAbortHandler above all; a limiter neither swallows nor renames them.
func TestPanicsPassThrough(t *testing.T) {
	boom := func() { panic(http.ErrAbortHandler) }
	l := core.MustNew(newStore(), core.PerMinute(100))
	for name, h := range map[string]http.Handler{
		"handler":      nethttp.New(l, keyfuncs.IP()).Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { boom() })),
		"key function": nethttp.New(l, func(*http.Request) (string, error) { boom(); return "", nil }).Handler(ok),
		"cost":         nethttp.New(l, keyfuncs.IP(), nethttp.Cost(func(*http.Request) int64 { boom(); return 1 })).Handler(ok),
		"choose":       nethttp.Handler(nethttp.Choose(func(*http.Request) nethttp.Guard { boom(); return nil }), ok),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("recovered %v", v)
				}
			}()
			ask(h, "GET", "/")
		})
	}
}

func TestResultIsSharedOnlyUnderItsOption(t *testing.T) {
	shared := func(opts ...nethttp.Option) nethttp.Guard {
		return nethttp.New(core.MustNew(newStore(), core.PerMinute(2)), keyfuncs.IP(), opts...)
	}
	under := shared(nethttp.ShareResult())
	foreign := settler{core.Result{Policy: "other", Remaining: 1}, new([]int)}
	tests := []struct {
		name  string
		guard nethttp.Guard
		want  bool
	}{
		{"without", shared(), false},
		{"with", under, true},
		{"in a table", nethttp.Routes{"*": shared(nethttp.ShareResult())}, true},
		{"by choice", nethttp.Choose(func(*http.Request) nethttp.Guard { return shared(nethttp.ShareResult()) }), true},
		{"chosen without", nethttp.Choose(func(*http.Request) nethttp.Guard { return shared() }), false},
		{"exempt", shared(nethttp.ShareResult(), nethttp.Skip(func(*http.Request) bool { return true })), false},
		{"no limit", nethttp.Unlimited, false},
		{"a guard of another package", foreign, true},
		{"a guard of another package that made no decision", settler{statuses: new([]int)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var res core.Result
			var found bool
			mux := http.NewServeMux()
			mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { res, found = nethttp.ResultFrom(r.Context()) })
			ask(nethttp.Handler(tt.guard, mux), "GET", "/")
			if found != tt.want || found && res.Remaining != 1 {
				t.Errorf("found %t: %v", found, res)
			}
		})
	}
}

// Begin of a guard returns the decision with or without the option, for those who call it themselves.
func TestBeginReturnsTheDecision(t *testing.T) {
	m := newIP(t, newStore())
	for i, g := range []nethttp.Settler{m, nethttp.Routes{"*": m}, nethttp.Choose(func(*http.Request) nethttp.Guard { return m })} {
		done, res, err := g.Begin(http.Header{}, request("GET", "/"))
		if done != nil || res.Policy == "" || (err == nil) != (i < 2) || res.Allowed != (i < 2) {
			t.Errorf("%T: %v, %v", g, res, err)
		}
	}
}

// tenant embeds a Middleware and changes what it decides: its own Begin is the one that counts.
type tenant struct{ *nethttp.Middleware }

func (tenant) Begin(http.Header, *http.Request) (func(int), core.Result, error) {
	return nil, core.Result{}, fmt.Errorf("not yours")
}

func TestEmbeddingAMiddlewareOverridesIt(t *testing.T) {
	status(t, ask(nethttp.Handler(tenant{newIP(t, newStore())}, ok), "GET", "/"), http.StatusInternalServerError)
}
