package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// Mistakes that other limiters have made, and that this one must not repeat.

// httprate answers a full window; its client is refused again after a burst at the window's start.
func TestWaitingForRetryAfterIsEnough(t *testing.T) {
	s := newStore()
	h := newIP(t, s).Handler(ok)
	ask(h, "GET", "/")
	ask(h, "GET", "/")
	refused := ask(h, "GET", "/")
	status(t, refused, http.StatusTooManyRequests)
	wait, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if err != nil {
		t.Fatal(err)
	}
	s.at = s.at.Add(time.Duration(wait)*time.Second - time.Millisecond)
	status(t, ask(h, "GET", "/"), http.StatusTooManyRequests)
	s.at = s.at.Add(time.Millisecond)
	status(t, ask(h, "GET", "/"), http.StatusOK)
}

// httprate answers 428 with the text of the error.
func TestOutageIsNeither428NorALeak(t *testing.T) {
	s := newStore()
	s.err = errDown
	h := nethttp.New(core.MustNew(s, core.PerMinute(1), core.FailClosed), keyfuncs.IP()).Handler(ok)
	res := ask(h, "GET", "/")
	status(t, res, http.StatusServiceUnavailable)
	if body, _ := io.ReadAll(res.Body); strings.Contains(string(body), "10.0.0.5") || strings.Contains(string(body), "refused") {
		t.Errorf("the client reads %s", body)
	}
}

// tollbooth does not limit a request without an address.
func TestRequestWithoutAnAddressIsNotExempt(t *testing.T) {
	r := request("GET", "/")
	r.RemoteAddr = "@"
	status(t, do(newIP(t, newStore()).Handler(ok), r), http.StatusBadRequest)
}

// skipper lets clients pass that hang up early.
func TestClientThatHangsUpIsCounted(t *testing.T) {
	h := newIP(t, newStore()).Handler(ok)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got []int
	for range 3 {
		got = append(got, do(h, request("GET", "/").WithContext(ctx)).StatusCode)
	}
	if want := []int{200, 200, 429}; !slices.Equal(got, want) {
		t.Errorf("statuses are %v, want %v", got, want)
	}
}

// httprate counts by the raw path, so that each spelling has a bucket of its own (Cure53 CDM-02-003).
func TestSpellingsOfAPathShareABucket(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /items/{id}", ok)
	h := nethttp.New(core.MustNew(newStore(), core.PerMinute(3)), keyfuncs.Compose(keyfuncs.Route(), keyfuncs.IP())).Handler(mux)
	for _, target := range []string{"/items/1", "/items/%32", "/items//3"} {
		ask(h, "GET", target)
	}
	status(t, ask(h, "GET", "/items/4"), http.StatusTooManyRequests)
}

// caddy-ratelimit takes from the first limit what the second refuses.
func TestRefusedRequestIsChargedToNoLimit(t *testing.T) {
	s := newStore()
	l := core.MustNew(s, core.PerMinute(1), core.PerHour(100))
	h := nethttp.New(l, keyfuncs.Const("all")).Handler(ok)
	for range 5 {
		ask(h, "GET", "/")
	}
	res, err := l.Peek(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	if q := res.Quotas(); q[1].Remaining != 99 {
		t.Errorf("of 100 an hour %d are left, want 99", q[1].Remaining)
	}
}

// Whatever bytes clients choose, they end up in no header and in no body.
func TestBytesOfClientsStayOutOfResponses(t *testing.T) {
	for i, key := range []string{"evil\r\nSet-Cookie: a=b", "evil\x00", "evil\xff\xfe", `evil","x":"`, strings.Repeat("evil", 1<<16)} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h := nethttp.New(core.MustNew(newStore(), core.PerMinute(1)), func(*http.Request) (string, error) { return key, nil }).Handler(ok)
			ask(h, "GET", "/")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request("GET", "/"))
			if w.Code != http.StatusTooManyRequests {
				t.Errorf("status is %d", w.Code)
			}
			if all := fmt.Sprint(w.Header(), w.Body); strings.Contains(all, "evil") || strings.Contains(all, "Set-Cookie") {
				t.Errorf("the client reads %s", all)
			}
		})
	}
}
