package keyfuncs_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// request is a GET of the target, changed by the options.
func request(target string, options ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest("GET", target, nil)
	for _, o := range options {
		o(r)
	}
	return r
}

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
}

func from(remoteAddr string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = remoteAddr }
}

// check fails unless f finds want in r; "" is ErrNoKey.
func check(t *testing.T, f keyfuncs.Func, r *http.Request, want string) {
	t.Helper()
	got, err := f(r)
	if got != want {
		t.Errorf("key is %q, want %q", got, want)
	}
	if want != "" && err != nil || want == "" && !errors.Is(err, keyfuncs.ErrNoKey) {
		t.Errorf("error is %v", err)
	}
}

func keyOf(t testing.TB, f keyfuncs.Func, r *http.Request) string {
	t.Helper()
	key, err := f(r)
	if err != nil || key == "" {
		t.Fatalf("key is %q, %v", key, err)
	}
	return key
}

func user(name string, ok bool) func(*http.Request) (string, bool) {
	return func(*http.Request) (string, bool) { return name, ok }
}

func TestUser(t *testing.T) {
	check(t, keyfuncs.User(user("alice", true)), request("/"), "user:alice")
	check(t, keyfuncs.User(user("alice", false)), request("/"), "")
	check(t, keyfuncs.User(user("", true)), request("/"), "")
}

func TestConst(t *testing.T) {
	check(t, keyfuncs.Const("exports"), request("/"), "exports")
	check(t, keyfuncs.Const(""), request("/"), "")
}

func TestNilArgumentsPanic(t *testing.T) {
	for name, test := range map[string]struct {
		call func()
		want string
	}{
		"User":    {func() { keyfuncs.User(nil) }, "keyfuncs: User: the function is nil"},
		"First":   {func() { keyfuncs.First(keyfuncs.IP(), nil) }, "keyfuncs: First: function 2 is nil"},
		"Compose": {func() { keyfuncs.Compose(nil) }, "keyfuncs: Compose: function 1 is nil"},
		"of none": {func() { keyfuncs.Compose() }, "keyfuncs: Compose: no function is given"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic %v, want %q", got, test.want)
				}
			}()
			test.call()
		})
	}
}

// One text as every kind of thing that a client can send: no two of them are counted together.
func TestKindsAreDisjoint(t *testing.T) {
	const text = "203.0.113.9"
	r := request("/?a="+text+"&b="+text, from(text+":1"), header("X-A", text), header("X-B", text))
	r.AddCookie(&http.Cookie{Name: "a", Value: text})
	r.AddCookie(&http.Cookie{Name: "b", Value: text})
	bearer := request("/", header("Authorization", "Bearer "+text))
	basic := request("/")
	basic.SetBasicAuth(text, text)
	routed := request("/")
	routed.Pattern = "/" + text

	seen := map[string]string{}
	for _, test := range []struct {
		name string
		f    keyfuncs.Func
		r    *http.Request
	}{
		{"IP", keyfuncs.IP(), r},
		{"APIKey X-A", keyfuncs.APIKey("X-A"), r},
		{"APIKey X-B", keyfuncs.APIKey("X-B"), r},
		{"Query a", keyfuncs.Query("a"), r},
		{"Query b", keyfuncs.Query("b"), r},
		{"Cookie a", keyfuncs.Cookie("a"), r},
		{"Cookie b", keyfuncs.Cookie("b"), r},
		{"Bearer", keyfuncs.Bearer(), bearer},
		{"BasicUser", keyfuncs.BasicUser(), basic},
		{"User", keyfuncs.User(user(text, true)), r},
		{"Route", keyfuncs.Route(), routed},
		{"Compose", keyfuncs.Compose(keyfuncs.IP()), r},
		{"Compose of Compose", keyfuncs.Compose(keyfuncs.Compose(keyfuncs.IP())), r},
	} {
		key := keyOf(t, test.f, test.r)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s are both %q", test.name, other, key)
		}
		seen[key] = test.name
	}
}

func TestUserNamedLikeAnAddressIsNotCountedWithIt(t *testing.T) {
	userID := func(r *http.Request) (string, bool) { return r.Header.Get("User"), true }
	f := keyfuncs.First(keyfuncs.User(userID), keyfuncs.IP())
	address := keyOf(t, f, request("/", from("203.0.113.9:1")))
	if named := keyOf(t, f, request("/", from("192.0.2.1:1"), header("User", "203.0.113.9"))); named == address {
		t.Errorf("both are %q", named)
	}
}

// Nothing that a client sends makes a Func panic, answer "" without an error, or show a secret.
func FuzzRequest(f *testing.F) {
	f.Add("203.0.113.9:1", "secret", "Bearer secret", "a=secret", "a=secret", "GET", "GET /x")
	f.Add("[::ffff:1.2.3.4%eth0]:1", "\xff", "basic Og==", "a=%zz&a", "a=\"x", "", " ")
	f.Add("@", "", "Bearer", ";", "", "\x00", "\t")
	f.Fuzz(func(t *testing.T, addr, key, auth, query, cookie, method, pattern string) {
		r := &http.Request{
			Method: method, URL: &url.URL{RawQuery: query}, RemoteAddr: addr, Pattern: pattern,
			Header: http.Header{"X-Api-Key": {key}, "Authorization": {auth}, "Cookie": {cookie}},
		}
		funcs := map[string]keyfuncs.Func{
			"IP": keyfuncs.IP(), "APIKey": keyfuncs.APIKey("X-API-Key"), "Bearer": keyfuncs.Bearer(),
			"Query": keyfuncs.Query("a"), "Cookie": keyfuncs.Cookie("a"), "BasicUser": keyfuncs.BasicUser(),
			"Route": keyfuncs.Route(),
		}
		for name, fn := range funcs {
			got, err := fn(r)
			if (got == "") != (err != nil) {
				t.Errorf("%s: key %q, error %v", name, got, err)
			}
			if err != nil && !errors.Is(err, keyfuncs.ErrNoKey) {
				t.Errorf("%s: what a client sent is an error of ours: %v", name, err)
			}
			if secret := strings.TrimSpace(key); name == "APIKey" && len(secret) > 8 && strings.Contains(got, secret) {
				t.Errorf("%s: key %q holds the secret", name, got)
			}
		}
	})
}

// A request made by hand, with nothing in it, has no key of any kind.
func TestEmptyRequestHasNoKey(t *testing.T) {
	for name, f := range map[string]keyfuncs.Func{
		"IP": keyfuncs.IP(), "APIKey": keyfuncs.APIKey("X-API-Key"), "Bearer": keyfuncs.Bearer(),
		"Query": keyfuncs.Query("a"), "Cookie": keyfuncs.Cookie("a"), "BasicUser": keyfuncs.BasicUser(),
	} {
		t.Run(name, func(t *testing.T) { check(t, f, &http.Request{}, "") })
	}
}

func TestAllocations(t *testing.T) {
	r := request("/?a=12345678901234567890123456789012&b=1", from("203.0.113.9:1234"),
		header("X-API-Key", "12345678901234567890123456789012"),
		header("Authorization", "Bearer 12345678901234567890123456789012"))
	r.Pattern = "GET /users/{id}"
	for _, test := range []struct {
		name string
		f    keyfuncs.Func
		r    *http.Request
		most float64
	}{
		{"IP, IPv4", keyfuncs.IP(), r, 0},
		{"IP, IPv6", keyfuncs.IP(), request("/", from("[2001:db8:1:2::7]:1234")), 1},
		{"IP, mapped", keyfuncs.IP(), request("/", from("[::ffff:203.0.113.9]:1234")), 1},
		{"APIKey", keyfuncs.APIKey("X-API-Key"), r, 1},
		{"Bearer", keyfuncs.Bearer(), r, 1},
		{"Query", keyfuncs.Query("a"), r, 2},
		{"User", keyfuncs.User(user("alice", true)), r, 1},
		{"Route", keyfuncs.Route(), r, 0},
		{"Const", keyfuncs.Const("a"), r, 0},
		{"First", keyfuncs.First(keyfuncs.APIKey("X-Other"), keyfuncs.IP()), r, 0},
		{"Compose", keyfuncs.Compose(keyfuncs.IP(), keyfuncs.Route()), r, 1},
	} {
		if n := testing.AllocsPerRun(100, func() { test.f(test.r) }); n > test.most {
			t.Errorf("%s: %v allocations, want at most %v", test.name, n, test.most)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	r := request("/?a=secret", from("203.0.113.9:1234"), header("X-API-Key", "secret"))
	r.Pattern = "GET /users/{id}"
	v6 := request("/", from("[2001:db8:1:2::7]:1234"))
	for _, bench := range []struct {
		name string
		f    keyfuncs.Func
		r    *http.Request
	}{
		{"IP/v4", keyfuncs.IP(), r},
		{"IP/v6", keyfuncs.IP(), v6},
		{"APIKey", keyfuncs.APIKey("X-API-Key"), r},
		{"Query", keyfuncs.Query("a"), r},
		{"Compose", keyfuncs.Compose(keyfuncs.IP(), keyfuncs.Route()), r},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.f(bench.r)
			}
		})
	}
}
