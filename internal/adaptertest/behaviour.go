package adaptertest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/nethttp"
)

func (a Adapter) flushes(t *testing.T) {
	release := make(chan struct{})
	r := a.New()
	r.Use(env{newStore(), a.Pattern}.byKey(core.PerMinute(1), nethttp.ShareResult()))
	r.Handle("GET", "/flush", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-release
		_, _ = io.WriteString(w, "second\n")
	})
	srv := httptest.NewServer(r)
	defer srv.Close()
	req, err := http.NewRequest("GET", srv.URL+"/flush", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "alice")
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body := bufio.NewReader(res.Body)
	if line, err := body.ReadString('\n'); line != "first\n" {
		t.Errorf("read %q, %v before the handler has ended", line, err)
	}
	close(release)
	if line, err := body.ReadString('\n'); line != "second\n" {
		t.Errorf("read %q, %v after it", line, err)
	}
}

func (a Adapter) panics(t *testing.T) {
	cause := fmt.Errorf("the handler's own")
	r := a.New()
	r.Use(env{newStore(), a.Pattern}.byKey(core.PerMinute(1)))
	r.Handle("GET", "/panic", func(http.ResponseWriter, *http.Request) { panic(cause) })
	if got := recovered(r, "/panic"); got != any(cause) {
		t.Errorf("recovered %v, want %v", got, cause)
	}
}

// recovered is what r panics with when asked for path.
func recovered(r http.Handler, path string) (v any) {
	defer func() { v = recover() }()
	req := httptest.NewRequest("GET", path, nil)
	req.Header.Set("X-Api-Key", "alice")
	r.ServeHTTP(httptest.NewRecorder(), req)
	return nil
}

// settler lets everyone pass but "/login", and notes the statuses that it is told.
type settler struct{ statuses *[]int }

func (s settler) Check(h http.Header, r *http.Request) error {
	_, _, err := s.Begin(h, r)
	return err
}

func (s settler) Begin(_ http.Header, r *http.Request) (func(int), core.Result, error) {
	if r.URL.Path == "/login" {
		return nil, core.Result{}, &nethttp.Denial{}
	}
	return func(status int) { *s.statuses = append(*s.statuses, status) }, core.Result{}, nil
}

func (a Adapter) settles(t *testing.T) {
	var statuses []int
	r := a.New()
	build(r, []nethttp.Guard{settler{&statuses}}, nil)
	for _, p := range []string{"/hello", "/login", "/fail", "/none", "/api/items"} {
		r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", p, nil))
	}
	if want := []int{200, 418, 404, 200}; !slices.Equal(statuses, want) {
		t.Errorf("told %d, want %d", statuses, want)
	}
}

func (a Adapter) settlesPanic(t *testing.T) {
	var statuses []int
	r := a.New()
	build(r, []nethttp.Guard{settler{&statuses}}, nil)
	if got := recovered(r, "/panic"); got != any(http.ErrAbortHandler) {
		t.Errorf("recovered %v, want %v", got, http.ErrAbortHandler)
	}
	if want := []int{500}; !slices.Equal(statuses, want) {
		t.Errorf("told %d, want %d", statuses, want)
	}
}

func (a Adapter) faultyTable(t *testing.T) {
	defer func() {
		msg := fmt.Sprint(recover())
		for _, fault := range []string{`"get /hello"`, `no "*"`} {
			if !strings.Contains(msg, fault) {
				t.Errorf("panicked with %q, which does not name %s", msg, fault)
			}
		}
	}()
	a.New().Use(nethttp.Routes{"get /hello": nethttp.Unlimited})
}

// headerSlices has a handler change the slices of its response's header, of which neither its other values nor the next
// response must see anything.
func (a Adapter) headerSlices(t *testing.T) {
	names := []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}
	st := newStore()
	r := a.New()
	r.Use(env{st, a.Pattern}.byKey(core.PerMinute(100)))
	r.Handle("GET", "/", func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range names {
			values := w.Header()[name]
			_ = append(values, "appended")
			values[0] += "!"
		}
	})
	for _, want := range []string{"100! 99! 1800000120!", "100! 98! 1800000120!"} {
		w := httptest.NewRecorder()
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("X-Api-Key", "alice")
		r.ServeHTTP(w, req)
		var got []string
		for _, name := range names {
			got = append(got, w.Header()[name]...)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
