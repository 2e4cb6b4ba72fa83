package nethttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func TestDenialMadeByHandFindsItsStatus(t *testing.T) {
	tests := []struct {
		name   string
		denial nethttp.Denial
		want   int
	}{
		{"zero", nethttp.Denial{}, 429},
		{"refused", nethttp.Denial{Result: core.Result{Policy: "login", RetryAfter: time.Second}}, 429},
		{"degraded", nethttp.Denial{Result: core.Result{Degraded: true}}, 503},
		{"store", nethttp.Denial{Err: fmt.Errorf("redis: %w", core.ErrStore)}, 503},
		{"no key", nethttp.Denial{Err: fmt.Errorf("tenant: %w", keyfuncs.ErrNoKey)}, 400},
		{"else", nethttp.Denial{Err: io.EOF}, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.denial.StatusCode(); got != tt.want {
				t.Errorf("StatusCode is %d, want %d", got, tt.want)
			}
			res := do(&tt.denial, request("GET", "/"))
			status(t, res, tt.want)
			var problem struct{ Status int }
			if err := json.NewDecoder(res.Body).Decode(&problem); err != nil || problem.Status != tt.want {
				t.Errorf("the body says %d, %v", problem.Status, err)
			}
		})
	}
}

func TestDenialIsAnErrorForLogs(t *testing.T) {
	for _, tt := range []struct {
		denial nethttp.Denial
		want   string
	}{
		{nethttp.Denial{}, "nethttp: refused"},
		{nethttp.Denial{Err: keyfuncs.ErrNoKey}, "nethttp: refused: " + keyfuncs.ErrNoKey.Error()},
		{nethttp.Denial{Result: core.Result{Policy: "login", Limit: core.PerMinute(5), RetryAfter: 1500 * time.Millisecond}},
			"nethttp: login: refused, 0 of 5/1m left, retry after 1.5s"},
	} {
		if got := tt.denial.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		if err := error(&tt.denial); tt.denial.Err != nil && !errors.Is(err, keyfuncs.ErrNoKey) {
			t.Errorf("%v does not wrap its cause", err)
		}
	}
}

func TestProblemSaysTheExactWait(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Millisecond:         "0.001 s.",
		10 * time.Millisecond:    "0.01 s.",
		1500 * time.Millisecond:  "1.5 s.",
		time.Minute:              "60 s.",
		61234 * time.Millisecond: "61.234 s.",
	} {
		res := do(&nethttp.Denial{Result: core.Result{Policy: "a", RetryAfter: wait}}, request("GET", "/"))
		var problem struct {
			Detail string
			MS     int64 `json:"retry_after_ms"`
		}
		if err := json.NewDecoder(res.Body).Decode(&problem); err != nil {
			t.Fatal(err)
		}
		if problem.MS != wait.Milliseconds() || !strings.HasSuffix(problem.Detail, " in "+want) {
			t.Errorf("%v: %+v", wait, problem)
		}
	}
}

func TestRefuseTellsTheClientNothingOfErrors(t *testing.T) {
	for name, err := range map[string]error{
		"nil":        nil,
		"nil denial": (*nethttp.Denial)(nil),
		"any":        errors.New("hunter2"),
		"key":        &nethttp.Denial{Err: errors.New("hunter2")},
		"store":      &nethttp.Denial{Err: fmt.Errorf("%w: hunter2", core.ErrStore)},
		"no key":     &nethttp.Denial{Err: fmt.Errorf("%w: hunter2", keyfuncs.ErrNoKey)},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			nethttp.Refuse(w, request("GET", "/"), err)
			if w.Code < 400 || w.Code == 429 {
				t.Errorf("status is %d", w.Code)
			}
			if all := w.Body.String() + fmt.Sprint(w.Header()); strings.Contains(all, "hunter2") {
				t.Errorf("the client reads %s", all)
			}
		})
	}
}

func TestRefuseFindsAWrappedDenial(t *testing.T) {
	w := httptest.NewRecorder()
	nethttp.Refuse(w, request("GET", "/"), fmt.Errorf("my guard: %w", &nethttp.Denial{}))
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("status is %d", w.Code)
	}
}

func TestDenyWritesTheResponse(t *testing.T) {
	s := newStore()
	var got *nethttp.Denial
	m := nethttp.New(core.MustNew(s, core.PerMinute(1)), keyfuncs.IP(), nethttp.Deny(
		func(w http.ResponseWriter, _ *http.Request, d *nethttp.Denial) {
			got = d
			w.WriteHeader(d.StatusCode())
			io.WriteString(w, "slow down\n")
		}))
	for name, h := range map[string]http.Handler{
		"Handler": m.Handler(ok),
		"Routes":  nethttp.Handler(nethttp.Choose(func(*http.Request) nethttp.Guard { return nethttp.Routes{"*": m} }), ok),
	} {
		ask(h, "GET", "/")
		got = nil
		res := ask(h, "GET", "/")
		status(t, res, http.StatusTooManyRequests)
		if body, _ := io.ReadAll(res.Body); string(body) != "slow down\n" {
			t.Errorf("%s: body is %q", name, body)
		}
		if res.Header.Get("Retry-After") == "" || got == nil || got.Result.Allowed {
			t.Errorf("%s: %v, %v", name, res.Header, got)
		}
	}
}

// The way to another challenge than Bearer.
func TestDenyMayChangeTheHeaderAlone(t *testing.T) {
	m := newIP(t, newStore(), nethttp.NoKey(401), nethttp.Deny(func(w http.ResponseWriter, r *http.Request, d *nethttp.Denial) {
		if d.StatusCode() == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="api"`)
		}
		d.ServeHTTP(w, r)
	}))
	r := request("GET", "/")
	r.RemoteAddr = ""
	res := do(m.Handler(ok), r)
	status(t, res, http.StatusUnauthorized)
	if got := res.Header["Www-Authenticate"]; len(got) != 1 || got[0] != `Basic realm="api"` {
		t.Errorf("challenge is %q", got)
	}
}

// Whatever outer middleware prepared for a page is not left on the refusal.
func TestRefusalReplacesHeadersOfThePage(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("Content-Length", "5")
	(&nethttp.Denial{}).ServeHTTP(w, request("GET", "/"))
	want := http.Header{"Content-Type": {"application/problem+json"}, "Cache-Control": {"no-store"}}
	if got := w.Header(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("headers are %v, want %v", got, want)
	}
}

// A handler that appends to a header of one response must not change another's.
func TestResponsesShareNoSlices(t *testing.T) {
	first, second := httptest.NewRecorder(), httptest.NewRecorder()
	(&nethttp.Denial{}).ServeHTTP(first, request("GET", "/"))
	for k := range first.Header() {
		first.Header()[k] = append(first.Header()[k], "spoilt")
		first.Header()[k][0] = "spoilt"
	}
	(&nethttp.Denial{}).ServeHTTP(second, request("GET", "/"))
	if got := fmt.Sprint(second.Header(), first.Header()); strings.Count(got, "spoilt") != 2*len(first.Header()) {
		t.Errorf("headers are %s", got)
	}
}

func TestNamesOfPoliciesAreAlwaysValidJSON(t *testing.T) {
	for _, name := range []string{`a"b`, `a\x`, "a\nb", "\x00\x1f\x7f", "ü", "\xff"} {
		res := do(&nethttp.Denial{Result: core.Result{Policy: name, RetryAfter: time.Second}}, request("GET", "/"))
		body, _ := io.ReadAll(res.Body)
		if !json.Valid(body) {
			t.Errorf("%q: %s", name, body)
		}
	}
}
