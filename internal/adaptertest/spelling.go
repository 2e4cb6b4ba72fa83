package adaptertest

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// spellings sends every route in many spellings. Whatever the router makes of them, a response that a handler wrote must
// carry the policy of that handler's guard, and one that none wrote that of "*".
func (a Adapter) spellings(t *testing.T) {
	st := newStore()
	table := nethttp.Routes{}
	policy := func(method, pattern string) string {
		return strings.Trim(strings.NewReplacer("/", "_", "{", "-", "}", "-").Replace(method+pattern), "_")
	}
	guard := func(name string) nethttp.Guard {
		limiter := core.MustNew(st, core.Name(name), core.PerMinute(1_000_000))
		return nethttp.New(limiter, keyfuncs.Const("all"), nethttp.Headers(headers.Draft11))
	}
	handled := map[string]string{} // the policy of each handler
	var paths []string
	add := func(method, pattern string) {
		handled[method+" "+pattern] = policy(method, pattern)
		table[a.Pattern(method+" "+pattern)] = guard(policy(method, pattern))
		plain := strings.NewReplacer("{id}", "7", "{path...}", "a/b").Replace(pattern)
		paths = append(paths, spell(plain)...)
	}
	for _, rt := range routes {
		add(rt.method, rt.pattern)
	}
	for _, rt := range mounted {
		add(rt.method, mountPoint+rt.pattern)
	}
	table["*"] = guard("rest")
	slices.Sort(paths)
	paths = slices.Compact(paths)

	r := a.New()
	build(r, []nethttp.Guard{table}, nil)
	reached := map[string]bool{}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "OPTIONS", "BREW"} {
		for _, p := range paths {
			req := httptest.NewRequest(method, "http://example.com/", nil)
			if !setTarget(req, p) {
				continue
			}
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			charged, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("RateLimit-Policy"), `"`), `"`)
			handler := w.Header().Get("Reached")
			reached[handler] = true
			switch {
			case handler != "" && charged != handled[handler]:
				t.Errorf("%s %s reached the handler of %s and was charged to %q", method, p, handler, charged)
			case handler == "" && charged != "rest" && charged != "" && method != http.MethodHead && w.Code < 300:
				t.Errorf("%s %s reached no handler, answered %d and was charged to %q", method, p, w.Code, charged)
			}
		}
	}
	for route := range handled {
		if !reached[route] {
			t.Errorf("no request reached the handler of %s", route)
		}
	}
}

// spell is a path in the spellings by which limiters have been passed by.
func spell(p string) []string {
	last := p[strings.LastIndex(p, "/")+1:]
	dir := strings.TrimSuffix(p, last)
	spelled := []string{
		p, p + "/", "/" + p, p + "//", "/." + p, "/x/.." + p, dir + "/" + last, strings.ToUpper(p), p + "%00", p + "%20", p + ";x=1",
		p + "?x=/healthz", p + "%2f", p + "%2F..", p + "/.", p + "/..", "/healthz/.." + p, "/files/.." + p, "/%2e" + p, "\\" + p[1:],
		strings.ReplaceAll(p, "/", "%2f"), strings.ReplaceAll(p, "/", "%5c"),
	}
	if last != "" {
		spelled = append(spelled, dir+fmt.Sprintf("%%%02x", last[0])+last[1:], dir+fmt.Sprintf("%%25%02x", last[0])+last[1:])
	}
	return spelled
}

// setTarget gives r the path and query of target as a server reads them off the wire. It reports false for what a server
// refuses to read.
func setTarget(r *http.Request, target string) bool {
	read, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: example.com\r\n\r\n")))
	if err != nil {
		return false
	}
	r.URL, r.RequestURI = read.URL, read.RequestURI
	return true
}
