package nethttp_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/nethttp"
)

// mark is a guard that proceeds, and sets a header to its own name: the guard that was charged.
type mark string

func (m mark) Check(h http.Header, _ *http.Request) error {
	h.Add("Charged", string(m))
	return nil
}

// reach is a handler that sets a header to its own name: the handler that served.
func reach(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Reached", name) })
}

// tableOf is a table whose guards are marked with their keys.
func tableOf(keys ...string) nethttp.Routes {
	t := nethttp.Routes{}
	for _, k := range keys {
		t[k] = mark(k)
	}
	return t
}

// muxOf is a mux whose handlers are named by their patterns.
func muxOf(patterns ...string) *http.ServeMux {
	mux := http.NewServeMux()
	for _, p := range patterns {
		mux.Handle(p, reach(p))
	}
	return mux
}

func TestRoutesChargeThePatternThatTheMuxServes(t *testing.T) {
	tests := []struct {
		name                   string
		table                  []string // beside "*"
		mux                    []string
		method, target         string
		wantReached, wantCharg string
	}{
		{"method and pattern", []string{"POST /login"}, []string{"POST /login"}, "POST", "/login", "POST /login", "POST /login"},
		{"pattern of all methods", []string{"/login"}, []string{"POST /login"}, "POST", "/login", "POST /login", "/login"},
		{"method in the table alone", []string{"POST /login"}, []string{"/login"}, "POST", "/login", "/login", "POST /login"},
		{"another method than the table's", []string{"POST /login"}, []string{"/login"}, "GET", "/login", "/login", "*"},
		{"method before pattern", []string{"GET /a", "/a"}, []string{"/a"}, "GET", "/a", "/a", "GET /a"},
		{"pattern for the other methods", []string{"GET /a", "/a"}, []string{"/a"}, "PUT", "/a", "/a", "/a"},
		{"wildcard", []string{"/items/{id}"}, []string{"GET /items/{id}"}, "GET", "/items/7", "GET /items/{id}", "/items/{id}"},
		{"the more specific one", []string{"/items/{id}", "/items/new"}, []string{"/items/{id}", "/items/new"}, "GET", "/items/new",
			"/items/new", "/items/new"},
		{"subtree", []string{"/files/"}, []string{"/files/"}, "GET", "/files/a/b", "/files/", "/files/"},
		{"host", []string{"example.com/a", "/a"}, []string{"example.com/a", "/a"}, "GET", "http://example.com/a", "example.com/a", "example.com/a"},
		{"host and method", []string{"GET example.com/a"}, []string{"GET example.com/a"}, "GET", "http://example.com/a",
			"GET example.com/a", "GET example.com/a"},
		{"another host", []string{"example.com/a", "/a"}, []string{"example.com/a", "/a"}, "GET", "http://example.org/a", "/a", "/a"},
		{"spaces in the mux", []string{"GET /a"}, []string{"GET \t /a"}, "GET", "/a", "GET \t /a", "GET /a"},
		{"long pattern", []string{"GET /" + strings.Repeat("a", 200)}, []string{"/" + strings.Repeat("a", 200)}, "GET", "/" + strings.Repeat("a", 200),
			"/" + strings.Repeat("a", 200), "GET /" + strings.Repeat("a", 200)},
		{"HEAD served by GET", []string{"GET /a"}, []string{"GET /a"}, "HEAD", "/a", "GET /a", "GET /a"},
		{"HEAD served by GET, with an entry", []string{"GET /a", "HEAD /a"}, []string{"GET /a"}, "HEAD", "/a", "GET /a", "HEAD /a"},
		{"HEAD served by a handler of all methods", []string{"GET /a", "/a"}, []string{"/a"}, "HEAD", "/a", "/a", "GET /a"},
		{"HEAD with a handler of its own", []string{"GET /a", "/a"}, []string{"GET /a", "HEAD /a"}, "HEAD", "/a", "HEAD /a", "/a"},
		{"HEAD without GET", []string{"/a"}, []string{"GET /a"}, "HEAD", "/a", "GET /a", "/a"},
		{"not found", []string{"/a"}, []string{"/a"}, "GET", "/b", "", "*"},
		{"method not allowed", []string{"GET /a", "/a"}, []string{"GET /a"}, "POST", "/a", "", "*"},
		{"path that is cleaned", []string{"/a"}, []string{"/a"}, "GET", "//a", "", "/a"},
		{"path that gets its slash", []string{"/a/"}, []string{"/a/"}, "GET", "/a", "", "/a/"},
		{"encoded slash is no slash", []string{"/a/{x}", "/a/b/c"}, []string{"/a/{x}", "/a/b/c"}, "GET", "/a/b%2fc", "/a/{x}", "/a/{x}"},
		{"encoded letter", []string{"/login"}, []string{"/login"}, "GET", "/%6cogin", "/login", "/login"},
		{"method in lower case is another", []string{"GET /a"}, []string{"/a"}, "get", "/a", "/a", "*"},
		{"CONNECT that is redirected", []string{"/a/{x}/", "/a/b/"}, []string{"/a/{x}/"}, "CONNECT", "/a/b", "", "*"},
		{"CONNECT that is served", []string{"/a/{x}"}, []string{"/a/{x}"}, "CONNECT", "/a/b", "/a/{x}", "/a/{x}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := tableOf(append(tt.table, "*")...).Handler(muxOf(tt.mux...))
			r := request("GET", tt.target)
			r.Method = tt.method
			res := do(h, r)
			if got := res.Header.Get("Reached"); got != tt.wantReached {
				t.Errorf("reached %q, want %q", got, tt.wantReached)
			}
			if got := strings.Join(res.Header["Charged"], " and "); got != tt.wantCharg {
				t.Errorf("charged %q, want %q", got, tt.wantCharg)
			}
		})
	}
}

// Adapters put the patterns of their routers into r.Pattern; a table takes them as they are.
func TestRoutesTakePatternsOfOtherRouters(t *testing.T) {
	tests := []struct {
		name, key, method, pattern, want string
	}{
		{"gin", "GET /users/:id", "GET", "/users/:id", "GET /users/:id"},
		{"gin's catch-all", "/files/*path", "PUT", "/files/*path", "/files/*path"},
		{"chi's regular expression with a space", "GET /x/{name:[a-z ]+}", "GET", "/x/{name:[a-z ]+}", "GET /x/{name:[a-z ]+}"},
		{"chi's regular expression, all methods", "/x/{name:[a-z /]+}", "GET", "/x/{name:[a-z /]+}", "/x/{name:[a-z /]+}"},
		{"HEAD", "GET /users/:id", "HEAD", "/users/:id", "GET /users/:id"},
		{"none matched", "/users/:id", "GET", "", "*"},
		{"none matched, and the method is the key", "/users/:id", "/users/:id", "", "*"},
		{"the method is not the pattern", "/users/:id", "GET /users/:id", "/x", "*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := tableOf(tt.key, "*")
			if err := table.Validate(); err != nil {
				t.Fatal(err)
			}
			r := request("GET", "/")
			r.Method, r.Pattern = tt.method, tt.pattern
			h := http.Header{}
			if err := table.Check(h, r); err != nil {
				t.Fatal(err)
			}
			if got := h.Get("Charged"); got != tt.want {
				t.Errorf("charged %q, want %q", got, tt.want)
			}
		})
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	var choose nethttp.Choose
	var middleware *nethttp.Middleware
	u := nethttp.Unlimited
	table := nethttp.Routes{
		"":             u,
		" /space":      u,
		"/space ":      u,
		"GET  /two":    u,
		"GET\t/tab":    u,
		"login":        u,
		"GET login":    u,
		"GET *":        u,
		"get /lower":   u,
		"PSOT /login":  u,
		"GET,POST /a":  u,
		"/nil":         nil,
		"/nil/choose":  choose,
		"/nil/pointer": middleware,
		"/table":       nethttp.Routes{"*": u},
		"GET /good":    u,
		"h.org/good":   u,
		"/a b/{x...}":  u,
	}
	want := `nethttp: Routes: "": a key is "METHOD /pattern", "/pattern" or "*"
nethttp: Routes: " /space": write one space between method and pattern, and none around them
nethttp: Routes: "/nil": the guard is nil; for no limit, it is nethttp.Unlimited
nethttp: Routes: "/nil/choose": the guard is nil; for no limit, it is nethttp.Unlimited
nethttp: Routes: "/nil/pointer": the guard is nil; for no limit, it is nethttp.Unlimited
nethttp: Routes: "/space ": write one space between method and pattern, and none around them
nethttp: Routes: "/table": the guard is another table; put its entries into this one
nethttp: Routes: "GET\t/tab": write one space between method and pattern, and none around them
nethttp: Routes: "GET  /two": write one space between method and pattern, and none around them
nethttp: Routes: "GET *": the pattern has no "/"
nethttp: Routes: "GET login": the pattern has no "/"
nethttp: Routes: "GET,POST /a": unknown method "GET,POST"; for all methods, write "/a"
nethttp: Routes: "PSOT /login": unknown method "PSOT"; for all methods, write "/login"
nethttp: Routes: "get /lower": methods are in upper case: "GET /lower"
nethttp: Routes: "login": the pattern has no "/"
nethttp: Routes: there is no "*", to say what all other requests get`
	err := table.Validate()
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := tableOf("GET /a", "/a", "example.com/a", "*").Validate(); err != nil {
		t.Errorf("a good table: %v", err)
	}
}

func TestHandlerPanicsOnATableThatCannotWork(t *testing.T) {
	mux := http.NewServeMux()
	wrapped := http.StripPrefix("/api", mux)
	for name, tt := range map[string]struct {
		table nethttp.Routes
		next  http.Handler
		want  string
	}{
		"nil table":            {nil, mux, `there is no "*"`},
		"no rest":              {tableOf("/a"), mux, `there is no "*"`},
		"no patterns":          {tableOf("*"), wrapped, "http.HandlerFunc cannot tell its patterns"},
		"no patterns, guarded": {tableOf("*"), nethttp.Handler(nethttp.Unlimited, wrapped), "cannot tell its patterns"},
	} {
		for via, handler := range map[string]func(nethttp.Routes, http.Handler) http.Handler{
			"method":   nethttp.Routes.Handler,
			"function": func(t nethttp.Routes, next http.Handler) http.Handler { return nethttp.Handler(t, next) },
		} {
			t.Run(name+"/"+via, func(t *testing.T) {
				defer func() {
					v := recover()
					msg, _ := v.(string)
					if err, ok := v.(error); ok {
						msg = err.Error()
					}
					if !strings.HasPrefix(msg, "nethttp: Routes: ") || !strings.Contains(msg, tt.want) {
						t.Errorf("panicked with %v, want %q in it", v, tt.want)
					}
				}()
				handler(tt.table, tt.next)
			})
		}
	}
}

// Handlers of this package tell the patterns of the mux behind them, so that tables can be stacked.
func TestTablesStack(t *testing.T) {
	mux := muxOf("GET /a")
	h := tableOf("/a", "*").Handler(nethttp.Handler(mark("between"), tableOf("GET /a", "*").Handler(mux)))
	res := ask(h, "GET", "/a")
	if got := strings.Join(res.Header["Charged"], ", "); got != "/a, between, GET /a" {
		t.Errorf("charged %s", got)
	}
}

// A guard in front of a mux, which has not matched yet, sees the pattern that the mux will match; and path values are
// the mux's own.
func TestGuardsInFrontOfAMuxSeeThePattern(t *testing.T) {
	var before, after, value string
	guard := nethttp.Choose(func(r *http.Request) nethttp.Guard { before = r.Pattern; return nethttp.Unlimited })
	inner := http.NewServeMux()
	inner.HandleFunc("GET /api/items/{id}", func(_ http.ResponseWriter, r *http.Request) { after, value = r.Pattern, r.PathValue("id") })
	outer := http.NewServeMux()
	outer.Handle("/api/", nethttp.Handler(guard, inner))
	ask(outer, "GET", "/api/items/7")
	if before != "GET /api/items/{id}" || after != before || value != "7" {
		t.Errorf("pattern is %q before and %q after, id %q", before, after, value)
	}
}

// FuzzRoutes: no spelling of a path, a method or a host has a request reach a handler that is charged to another one's
// guard.
func FuzzRoutes(f *testing.F) {
	patterns := []string{"/{$}", "GET /items/{id}", "POST /items/{id}", "/items/{id}/", "/tree/", "/static/{path...}", "/login", "POST /only",
		"example.com/login", "GET example.com/x/{y}", "HEAD /items/head", "/a/b", "/{any}", "CONNECT /tunnel/../x"}
	full := tableOf(append(patterns, "*")...).Handler(muxOf(patterns...))
	withoutMethod := func(pattern string) string { return pattern[strings.IndexByte(pattern, ' ')+1:] }
	methodless := tableOf("*")
	for _, p := range patterns {
		methodless[withoutMethod(p)] = mark(withoutMethod(p))
	}
	bare := methodless.Handler(muxOf(patterns...))

	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "CONNECT", "get", "X"} {
		for _, target := range []string{"/", "//", "*", "/login", "//login", "/login/", "/./login", "/x/../login", "/%6cogin", "/login%2f", "/login?x=//",
			"/items/1", "/items//1", "/items/%2f", "/items/head", "/items/1/", "/tree", "/tree/..", "/tree/../login", "/tree/a/..", "/static/..%2flogin",
			"/static", "http://example.com/login", "http://example.com:80/x/y", "/a%2fb", "/a/b/c", "/tunnel/../x", "example.com:443", "/\xff"} {
			f.Add(method, target, "example.com")
			f.Add(method, target, "EXAMPLE.com:8080")
		}
	}
	f.Fuzz(func(t *testing.T, method, target, host string) {
		text := method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
		for _, h := range []http.Handler{full, bare} {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
			if err != nil {
				return
			}
			res := do(h, r)
			charged := res.Header["Charged"]
			if len(charged) != 1 {
				t.Fatalf("%q: charged %q", text, charged)
			}
			reached := res.Header.Get("Reached")
			if h == bare {
				reached = withoutMethod(reached)
			}
			if reached != "" && charged[0] != reached {
				t.Fatalf("%q: reached %q and charged %q", text, reached, charged[0])
			}
		}
	})
}
