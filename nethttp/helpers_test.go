package nethttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// epoch begins a minute and an hour, so that all windows in these tests begin with it.
var epoch = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

// store counts in a map, at a time that tests set.
type store struct {
	mu     sync.Mutex
	at     time.Time
	err    error
	counts map[string]*core.Counts
	takes  int
}

func newStore() *store { return &store{at: epoch, counts: map[string]*core.Counts{}} }

func (s *store) Take(_ context.Context, req core.Request) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes++
	if s.err != nil {
		return time.Time{}, s.err
	}
	c := s.counts[req.Scope+"\x00"+req.Key]
	if c == nil {
		c = new(core.Counts)
		s.counts[req.Scope+"\x00"+req.Key] = c
	}
	req.Now = s.at
	return s.at, c.Take(req)
}

var errDown = errors.New("dial tcp 10.0.0.5:6379: connection refused")

// ok is a handler that says so.
var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })

func request(method, target string) *http.Request {
	return httptest.NewRequest(method, target, nil)
}

// ask has h answer a request of 192.0.2.1.
func ask(h http.Handler, method, target string) *http.Response {
	return do(h, request(method, target))
}

func do(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// named is a limiter that tests tell from others by the header X-Ratelimit-Limit.
func named(t testing.TB, s core.Store, name string, opts ...core.Option) *core.Limiter {
	t.Helper()
	l, err := core.New(s, append([]core.Option{core.Name(name)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// refuser is a guard that refuses everything with status 500, and notes that it was asked.
type refuser struct{ asked *int }

func (g refuser) Check(http.Header, *http.Request) error {
	*g.asked++
	return errors.New("no")
}

// settler is a guard of another package: it proceeds, and notes how requests ended.
type settler struct {
	res      core.Result
	statuses *[]int
}

func (g settler) Check(h http.Header, r *http.Request) error { _, _, err := g.Begin(h, r); return err }

func (g settler) Begin(http.Header, *http.Request) (func(int), core.Result, error) {
	return func(status int) { *g.statuses = append(*g.statuses, status) }, g.res, nil
}

func status(t testing.TB, res *http.Response, want int) {
	t.Helper()
	if res.StatusCode != want {
		t.Errorf("status is %d, want %d", res.StatusCode, want)
	}
}

func newIP(t testing.TB, s core.Store, opts ...nethttp.Option) *nethttp.Middleware {
	t.Helper()
	return nethttp.New(core.MustNew(s, core.PerMinute(2)), keyfuncs.IP(), opts...)
}
