// Package examples starts each example and asks it, as its reader would.
package examples

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/internal/gocmd"
	"github.com/slidegate/slidegate/internal/redistest"
)

// examples are requests to each example, and how many of them in a row it admits.
var examples = []struct {
	name, method, path string
	header             http.Header
	admitted, status   int
}{
	{name: "quickstart", method: "GET", path: "/", admitted: 10, status: 200},
	{name: "nethttp", method: "GET", path: "/hello/alice", admitted: 10, status: 200},
	{name: "chi", method: "GET", path: "/hello/alice", admitted: 10, status: 200},
	{name: "gin", method: "GET", path: "/hello/alice", admitted: 10, status: 200},
	{name: "echo", method: "GET", path: "/hello/alice", admitted: 10, status: 200},
	{name: "echov5", method: "GET", path: "/hello/alice", admitted: 10, status: 200},
	{name: "tiers", method: "GET", path: "/", header: http.Header{"X-Api-Key": {"alice"}}, admitted: 30, status: 200},
	{name: "tiers", method: "GET", path: "/", header: http.Header{"X-Api-Key": {"made-up"}}, admitted: 10, status: 200},
	{name: "login", method: "POST", path: "/login", admitted: 5, status: 401},
	{name: "weighted", method: "GET", path: "/export", admitted: 2, status: 200},
}

func TestExamples(t *testing.T) {
	bin := t.TempDir()
	gocmd.Run(t, gocmd.Root(t), "build", "-o", bin+string(filepath.Separator), "./examples/...")

	t.Run("each is asked", func(t *testing.T) {
		built, err := os.ReadDir(bin)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range built {
			if !slices.Contains(names(), f.Name()) {
				t.Errorf("nothing asks %s", f.Name())
			}
		}
	})
	for _, name := range names() {
		t.Run(name+" answers, and then refuses", func(t *testing.T) {
			spend(t, "GET", start(t, bin, name)+"/", nil, 10, http.StatusOK)
		})
		t.Run(name+" explains a bad Redis URL", func(t *testing.T) {
			out, err := command(t, bin, name, "-redis=mailto:alice").CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), `got "mailto"`) {
				t.Errorf("got %v and %q, want exit status 1 and what is wrong", err, out)
			}
		})
	}
	for _, e := range examples {
		t.Run(fmt.Sprintf("%s limits what it is about: %s %s %v", e.name, e.method, e.path, e.header), func(t *testing.T) {
			spend(t, e.method, start(t, bin, e.name)+e.path, e.header, e.admitted, e.status)
		})
	}
	t.Run("on one Redis", func(t *testing.T) {
		redis := redistest.Server(t)
		for db, name := range names() { // a database each: limiters without a name share counts where limits are equal
			t.Run("two processes of "+name+" count together", func(t *testing.T) {
				flag := fmt.Sprintf("-redis=redis://%s/%d", redis.Addr, db)
				one, two := start(t, bin, name, flag)+"/", start(t, bin, name, flag)+"/"
				spent := false
				for range 200 {
					if spent = counted(t, one).StatusCode == http.StatusTooManyRequests; spent {
						break
					}
				}
				if !spent {
					t.Fatal("the first has admitted 200")
				}
				if resp := counted(t, two); resp.StatusCode != http.StatusTooManyRequests {
					t.Errorf("the second answers %s to who has spent all at the first", resp.Status)
				}
			})
		}
	})
}

func names() (all []string) {
	for _, e := range examples {
		all = append(all, e.name)
	}
	return slices.Compact(all)
}

func command(t *testing.T, bin, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(t.Context(), filepath.Join(bin, name), append(args, "-addr=127.0.0.1:0")...)
}

// start runs an example until t ends, and returns its URL.
func start(t *testing.T, bin, name string, args ...string) string {
	t.Helper()
	cmd := command(t, bin, name, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // it was killed
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s said nothing: %v", name, err)
	}
	_, port, ok := strings.Cut(line, "http://localhost:")
	port, _, end := strings.Cut(port, ". ")
	if !ok || !end {
		t.Fatalf("got %q, want it to say where it listens", line)
	}
	return "http://127.0.0.1:" + port
}

// spend asks as often as is to be admitted, and twice more, and wants to be refused then.
func spend(t *testing.T, method, url string, header http.Header, admitted, status int) {
	t.Helper()
	for i := range admitted + 2 {
		resp := ask(t, method, url, header)
		want := status
		if i >= admitted {
			want = http.StatusTooManyRequests
			if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || after < 1 {
				t.Errorf("request %d: got Retry-After %q, want seconds", i+1, resp.Header.Get("Retry-After"))
			}
		}
		if resp.StatusCode != want {
			t.Fatalf("request %d: got %s, want status %d", i+1, resp.Status, want)
		}
	}
}

// counted asks until Redis has decided. On a busy machine it may be late, and then the example admits without counts.
func counted(t *testing.T, url string) *http.Response {
	t.Helper()
	for range 200 {
		if resp := ask(t, "GET", url, nil); resp.Header.Get("X-RateLimit-Remaining") != "" {
			return resp
		}
	}
	t.Fatal("no answer says what remains")
	return nil
}

// ask returns the response, its body read and closed.
func ask(t *testing.T, method, url string, header http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp
}
