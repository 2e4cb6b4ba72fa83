package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// dump is a response as it goes over the wire, with headers sorted.
func dump(t *testing.T, res *http.Response) string {
	t.Helper()
	res.ContentLength = -1
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, res.StatusCode)
	for _, k := range slices.Sorted(maps.Keys(res.Header)) {
		for _, v := range res.Header[k] {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
		}
	}
	fmt.Fprintf(&b, "\n%s", body)
	return b.String()
}

func TestResponsesAreExact(t *testing.T) {
	errKey := errors.New("secret-table: no row for hunter2")
	fails := func(err error) keyfuncs.Func { return func(*http.Request) (string, error) { return "", err } }
	const limits = `X-Ratelimit-Limit: 2
X-Ratelimit-Remaining: 0
X-Ratelimit-Reset: 1779278520
`
	const internal = `500
Cache-Control: no-store
Content-Type: application/problem+json

{"type":"about:blank","title":"Internal Server Error","status":500}
`
	const noKey = `400
Cache-Control: no-store
Content-Type: application/problem+json

{"type":"about:blank","title":"Bad Request","status":400,"detail":"The request lacks what its limit is counted by, such as an API key."}
`
	const allowed = `200
Content-Type: text/plain; charset=utf-8
` + limits + `
ok
`
	const exempt = `200
Content-Type: text/plain; charset=utf-8

ok
`
	tests := []struct {
		name   string
		spent  int64 // of 2 a minute
		down   bool
		limits core.Option
		mode   core.FailureMode
		key    keyfuncs.Func
		opts   []nethttp.Option
		want   string
	}{
		{name: "allowed", spent: 1, want: allowed},
		{name: "refused", spent: 2, want: `429
Cache-Control: no-store
Content-Type: application/problem+json
Retry-After: 90
` + limits + `
{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,` +
			`"detail":"Too many requests. Try again in 90 s.","retry_after_ms":90000,"violated-policies":["default"]}
`},
		{name: "refused by one of two limits", spent: 2, limits: core.PerHour(1000),
			opts: []nethttp.Option{nethttp.Headers(headers.None)}, want: `429
Cache-Control: no-store
Content-Type: application/problem+json
Retry-After: 90

{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,` +
				`"detail":"Too many requests. Try again in 90 s.","retry_after_ms":90000,"violated-policies":["default-1m"]}
`},
		{name: "refused by both limits", spent: 2, limits: core.PerHour(2),
			opts: []nethttp.Option{nethttp.Headers(headers.None)}, want: `429
Cache-Control: no-store
Content-Type: application/problem+json
Retry-After: 5400

{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,` +
				`"detail":"Too many requests. Try again in 5400 s.","retry_after_ms":5400000,"violated-policies":["default-1m","default-1h"]}
`},
		{name: "refused for ever",
			opts: []nethttp.Option{nethttp.Cost(func(*http.Request) int64 { return 3 })}, want: `429
Cache-Control: no-store
Content-Type: application/problem+json
X-Ratelimit-Limit: 2

{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,` +
				`"detail":"This request costs more than the quota ever admits: it will never be admitted, however long you wait.",` +
				`"retry_after_ms":null,"violated-policies":["default"]}
`},
		{name: "refused for ever by one of two limits", limits: core.PerHour(1000),
			opts: []nethttp.Option{nethttp.Cost(func(*http.Request) int64 { return 3 }), nethttp.Headers(headers.None)}, want: `429
Cache-Control: no-store
Content-Type: application/problem+json

{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,` +
				`"detail":"This request costs more than the quota ever admits: it will never be admitted, however long you wait.",` +
				`"retry_after_ms":null,"violated-policies":["default-1m"]}
`},
		{name: "store down, fail closed", down: true, mode: core.FailClosed, want: `503
Cache-Control: no-store
Content-Type: application/problem+json
Retry-After: 1
X-Ratelimit-Limit: 2

{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity",` +
			`"status":503,"detail":"The service cannot check limits at the moment and does not answer without. Please try again soon."}
`},
		{name: "store down, fail open", down: true, mode: core.FailOpen, want: `200
Content-Type: text/plain; charset=utf-8
X-Ratelimit-Limit: 2

ok
`},
		{name: "no key", key: fails(keyfuncs.ErrNoKey), want: noKey},
		{name: "no key, wrapped", key: fails(fmt.Errorf("tenant: %w", keyfuncs.ErrNoKey)), want: noKey},
		{name: "empty key", key: fails(nil), want: noKey},
		{name: "no key, by another status", key: fails(keyfuncs.ErrNoKey), opts: []nethttp.Option{nethttp.NoKey(403)}, want: `403
Cache-Control: no-store
Content-Type: application/problem+json

{"type":"about:blank","title":"Forbidden","status":403,"detail":"The request lacks what its limit is counted by, such as an API key."}
`},
		{name: "no key, 401 has a challenge", key: fails(keyfuncs.ErrNoKey), opts: []nethttp.Option{nethttp.NoKey(401)}, want: `401
Cache-Control: no-store
Content-Type: application/problem+json
Www-Authenticate: Bearer

{"type":"about:blank","title":"Unauthorized","status":401,"detail":"The request lacks what its limit is counted by, such as an API key."}
`},
		{name: "key function fails", key: fails(errKey), want: internal},
		{name: "negative cost", opts: []nethttp.Option{nethttp.Cost(func(*http.Request) int64 { return -1 })}, want: internal},
		{name: "limits that are none", want: internal,
			opts: []nethttp.Option{nethttp.Limits(func(*http.Request) core.Limits { return core.Limits{{Requests: -5}} })}},
		{name: "exempt by key", spent: 2, key: fails(keyfuncs.ErrSkip), want: exempt},
		{name: "exempt by option", spent: 2, want: exempt,
			opts: []nethttp.Option{nethttp.Skip(func(*http.Request) bool { return true })}},
		{name: "not exempt by option", spent: 1, want: allowed,
			opts: []nethttp.Option{nethttp.Skip(func(*http.Request) bool { return false })}},
		{name: "cost 0 within the limit", spent: 2, opts: []nethttp.Option{nethttp.Cost(func(*http.Request) int64 { return 0 })},
			want: allowed},
		{name: "no limits of the customer's own", spent: 1, want: allowed,
			opts: []nethttp.Option{nethttp.Limits(func(*http.Request) core.Limits { return nil })}},
		{name: "limits of the customer's own", spent: 2, want: `200
Content-Type: text/plain; charset=utf-8
X-Ratelimit-Limit: 3
X-Ratelimit-Remaining: 0
X-Ratelimit-Reset: 1779278520

ok
`, opts: []nethttp.Option{nethttp.Limits(func(*http.Request) core.Limits { return core.Limits{core.PerMinute(3)} })}},
		{name: "a style of one's own", spent: 1, opts: []nethttp.Option{nethttp.Headers(left{})}, want: `200
Content-Type: text/plain; charset=utf-8
X-Left: 0

ok
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore()
			opts := []core.Option{core.PerMinute(2), tt.mode, core.Name("default")}
			if tt.limits != nil {
				opts = append(opts, tt.limits)
			}
			l := core.MustNew(s, opts...)
			if _, err := l.AllowN(t.Context(), "192.0.2.1", tt.spent); err != nil {
				t.Fatal(err)
			}
			if tt.down {
				s.err = errDown
			}
			key := tt.key
			if key == nil {
				key = keyfuncs.IP()
			}
			h := nethttp.New(l, key, tt.opts...).Handler(ok)
			if got := dump(t, ask(h, "GET", "/")); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

type left struct{}

func (left) Write(h http.Header, res core.Result) {
	h.Set("X-Left", strconv.FormatInt(res.Remaining, 10))
}

// A refusal over a real connection: net/http itself works out the length, and drops the body of a HEAD.
func TestHeadIsGetWithoutTheBody(t *testing.T) {
	s := newStore()
	srv := httptest.NewServer(nethttp.New(core.MustNew(s, core.PerMinute(1)), keyfuncs.Const("all")).Handler(ok))
	defer srv.Close()
	answer := func(method string) (head, body string) {
		req, _ := http.NewRequestWithContext(t.Context(), method, srv.URL, nil)
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		res.Header.Del("Date")
		b, err := httputil.DumpResponse(res, true)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ = strings.Cut(string(b), "\r\n\r\n")
		return head, body
	}
	answer("GET")
	getHead, getBody := answer("GET")
	headHead, headBody := answer("HEAD")
	if !strings.Contains(getHead, fmt.Sprintf("\r\nContent-Length: %d", len(getBody))) || getBody == "" {
		t.Errorf("GET has no length:\n%s\n\n%s", getHead, getBody)
	}
	if headHead != getHead {
		t.Errorf("HEAD says\n%s\nwhere GET says\n%s", headHead, getHead)
	}
	if headBody != "" {
		t.Errorf("HEAD has a body: %q", headBody)
	}
}

func TestStackedLimitersTellTheStricter(t *testing.T) {
	tests := []struct {
		name         string
		outer, inner int64
		want         []string // remaining, request by request
	}{
		{"outer stricter", 3, 10, []string{"2", "1", "0"}},
		{"inner stricter", 10, 3, []string{"2", "1", "0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore()
			outer := nethttp.New(named(t, s, "outer", core.PerMinute(tt.outer)), keyfuncs.IP())
			inner := nethttp.New(named(t, s, "inner", core.PerMinute(tt.inner)), keyfuncs.IP())
			h := outer.Handler(inner.Handler(ok))
			for i, want := range tt.want {
				res := ask(h, "GET", "/")
				if got := res.Header["X-Ratelimit-Remaining"]; !slices.Equal(got, []string{want}) {
					t.Errorf("request %d: remaining is %q, want %q once", i+1, got, want)
				}
			}
			res := ask(h, "GET", "/")
			status(t, res, http.StatusTooManyRequests)
			if got := res.Header["Retry-After"]; len(got) != 1 {
				t.Errorf("Retry-After is %q", got)
			}
		})
	}
}

// A refused request does not reach the handler, and is charged to nobody behind the guard that refused it.
func TestRefusedRequestGoesNoFurther(t *testing.T) {
	s := newStore()
	inner := 0
	h := nethttp.New(core.MustNew(s, core.PerMinute(1)), keyfuncs.IP()).Handler(nethttp.Handler(refuser{&inner}, ok))
	ask(h, "GET", "/")
	status(t, ask(h, "GET", "/"), http.StatusTooManyRequests)
	if inner != 1 {
		t.Errorf("the inner guard was asked %d times, want once", inner)
	}
}

func TestNewPanicsOnMistakesInTheProgram(t *testing.T) {
	l := core.MustNew(newStore(), core.PerMinute(1))
	for name, f := range map[string]func(){
		"nil limiter":          func() { nethttp.New(nil, keyfuncs.IP()) },
		"nil key":              func() { nethttp.New(l, nil) },
		"nil option":           func() { nethttp.New(l, keyfuncs.IP(), nil) },
		"nil cost":             func() { nethttp.Cost(nil) },
		"nil limits":           func() { nethttp.Limits(nil) },
		"nil deny":             func() { nethttp.Deny(nil) },
		"nil skip":             func() { nethttp.Skip(nil) },
		"nil style":            func() { nethttp.Headers(nil) },
		"no key is no error":   func() { nethttp.NoKey(200) },
		"no key is our fault":  func() { nethttp.NoKey(500) },
		"no key has no status": func() { nethttp.NoKey(499) },
		"nil handler":          func() { nethttp.Handler(nethttp.Unlimited, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if msg, _ := recover().(string); !strings.HasPrefix(msg, "nethttp: ") {
					t.Errorf("panicked with %q", msg)
				}
			}()
			f()
		})
	}
}

// What the client is not told, the operator is; but neither is told a key.
func TestFaultsAreReported(t *testing.T) {
	errKey := errors.New("no connection to the user table")
	tests := []struct {
		name string
		key  keyfuncs.Func
		opt  nethttp.Option
		kind core.Kind
		code string
		err  error
	}{
		{"key function", func(*http.Request) (string, error) { return "", errKey }, nethttp.ShareResult(), core.Misconfigured, nethttp.CodeKey, errKey},
		{"limits", keyfuncs.Const("alice"), nethttp.Limits(func(*http.Request) core.Limits { return core.Limits{{Requests: 1}} }),
			core.Misconfigured, nethttp.CodeLimits, nil},
		{"cost", keyfuncs.Const("alice"), nethttp.Cost(func(*http.Request) int64 { return -1 }), core.Decided, core.CodeInvalid, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var events []core.Event
			l := named(t, newStore(), "login", core.PerMinute(1), core.Observe(func(_ context.Context, e core.Event) { events = append(events, e) }))
			status(t, ask(nethttp.New(l, tt.key, tt.opt).Handler(ok), "GET", "/"), http.StatusInternalServerError)
			if len(events) != 1 {
				t.Fatalf("events are %+v, want one", events)
			}
			e := events[0]
			if e.Kind != tt.kind || e.Code != tt.code || e.Limiter != "login" || e.Err == nil || tt.err != nil && e.Err != tt.err {
				t.Errorf("event is %+v", e)
			}
			if strings.Contains(fmt.Sprintf("%+v", e), "alice") {
				t.Errorf("event has the key: %+v", e)
			}
		})
	}
}

// A client release that forgets the key would be all 400; whoever counts decisions must see it.
func TestRequestsWithoutAKeyAreReported(t *testing.T) {
	for name, key := range map[string]keyfuncs.Func{
		"no header": keyfuncs.APIKey("X-API-Key"),
		"empty":     func(*http.Request) (string, error) { return "", nil },
	} {
		t.Run(name, func(t *testing.T) {
			var events []core.Event
			l := named(t, newStore(), "api", core.PerMinute(1), core.Observe(func(_ context.Context, e core.Event) { events = append(events, e) }))
			status(t, ask(nethttp.New(l, key).Handler(ok), "GET", "/"), http.StatusBadRequest)
			if len(events) != 1 || events[0].Kind != core.Decided || events[0].Code != nethttp.CodeNoKey || events[0].Limiter != "api" {
				t.Errorf("events are %+v, want one of %q", events, nethttp.CodeNoKey)
			}
		})
	}
}

func TestConcurrentRequestsAreAllCounted(t *testing.T) {
	s := newStore()
	m := nethttp.New(core.MustNew(s, core.PerMinute(50)), keyfuncs.IP(), nethttp.ShareResult())
	mux := http.NewServeMux()
	mux.Handle("GET /items/{id}", ok)
	h := nethttp.Routes{"GET /items/{id}": m, "*": m}.Handler(mux)
	var allowed, refused atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 25 {
				switch code := ask(h, "GET", fmt.Sprintf("/items/%d", i)).StatusCode; code {
				case http.StatusOK:
					allowed.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					t.Errorf("status is %d", code)
				}
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 50 || refused.Load() != 150 {
		t.Errorf("allowed %d and refused %d, want 50 and 150", allowed.Load(), refused.Load())
	}
}
