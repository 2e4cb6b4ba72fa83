package keyfuncs_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

const token = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"

// ways are requests that carry a secret, each with the Func that finds it.
func ways(secret string) map[string]struct {
	f keyfuncs.Func
	r *http.Request
} {
	cookie, basic := request("/"), request("/")
	cookie.AddCookie(&http.Cookie{Name: "session", Value: secret})
	basic.SetBasicAuth(secret, "password")
	return map[string]struct {
		f keyfuncs.Func
		r *http.Request
	}{
		"key":    {keyfuncs.APIKey("X-API-Key"), request("/", header("X-API-Key", secret))},
		"bearer": {keyfuncs.Bearer(), request("/", header("Authorization", "Bearer "+secret))},
		"query":  {keyfuncs.Query("key"), request("/?key=" + url.QueryEscape(secret))},
		"cookie": {keyfuncs.Cookie("session"), cookie},
		"basic":  {keyfuncs.BasicUser(), basic},
	}
}

func TestSecretsAreHashed(t *testing.T) {
	for kind, way := range ways(token) {
		t.Run(kind, func(t *testing.T) {
			key := keyOf(t, way.f, way.r)
			sum, ok := strings.CutPrefix(key, kind+":")
			raw, err := base64.RawURLEncoding.DecodeString(sum)
			if !ok || err != nil || len(raw) < 16 {
				t.Errorf("key is %q, want %s: and at least 128 bits in base64url", key, kind)
			}
			for i := 0; i+6 <= len(token); i++ {
				if strings.Contains(key, token[i:i+6]) {
					t.Errorf("key %q shows %q of the secret", key, token[i:i+6])
				}
			}
			if again := keyOf(t, ways(token)[kind].f, way.r); again != key {
				t.Errorf("the same secret is %q and %q", key, again)
			}
			if other := keyOf(t, way.f, ways(token + "x")[kind].r); other == key {
				t.Error("another secret has the same key")
			}
		})
	}
}

// The keys of a version are those of the next: else its roll-out would forget all counts, and processes of both
// versions would count apart.
func TestKeysStayTheSame(t *testing.T) {
	want := map[string]string{
		"key":    "key:qaXV3tItyMgytLgJVJ4O7A",
		"bearer": "bearer:kO0eDbzPaZDIqX_R5QxTKQ",
		"query":  "query:Mw5U7J5DoMAVzkhFH7DsWg",
		"cookie": "cookie:h2Cvsd4C0r-hXjZUp0oeEA",
		"basic":  "basic:XlMkGquYXprvVYtrkBE1Ag",
	}
	for kind, way := range ways("a") {
		if got := keyOf(t, way.f, way.r); got != want[kind] {
			t.Errorf("%s is %q, want %q", kind, got, want[kind])
		}
	}
}

func TestLongSecretsAreWhole(t *testing.T) {
	long := strings.Repeat("a", 5000)
	f := keyfuncs.APIKey("X-API-Key")
	a := keyOf(t, f, request("/", header("X-API-Key", long+"1")))
	b := keyOf(t, f, request("/", header("X-API-Key", long+"2")))
	if a == b || len(a) > 64 {
		t.Errorf("keys are %q and %q, want two short ones", a, b)
	}
}

func TestAPIKey(t *testing.T) {
	f := keyfuncs.APIKey("x-api-KEY")
	want := keyOf(t, f, request("/", header("X-API-Key", token)))
	check(t, f, request("/", header("X-API-Key", token, token)), want)
	for name, values := range map[string][]string{
		"absent": nil, "empty": {""}, "two that differ": {token, "other"}, "empty, then one": {"", token},
	} {
		t.Run(name, func(t *testing.T) { check(t, f, request("/", header("X-API-Key", values...)), "") })
	}
}

func TestBearer(t *testing.T) {
	f := keyfuncs.Bearer()
	want := keyOf(t, f, request("/", header("Authorization", "Bearer "+token)))
	for _, test := range []struct {
		name  string
		lines []string
		found bool
	}{
		{"in lower case", []string{"bearer " + token}, true},
		{"in capitals", []string{"BEARER " + token}, true},
		{"more spaces", []string{"Bearer   " + token + " \t"}, true},
		{"twice the same", []string{"Bearer " + token, "Bearer " + token}, true},
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"the scheme alone", []string{"Bearer"}, false},
		{"no token", []string{"Bearer  "}, false},
		{"another scheme", []string{"Basic " + token}, false},
		{"no scheme", []string{token}, false},
		{"a scheme that begins alike", []string{"Bearers " + token}, false},
		{"no space", []string{"Bearer" + token}, false},
		{"two that differ", []string{"Bearer " + token, "Bearer other"}, false},
		{"something behind the token", []string{"Bearer " + token + " 1"}, false},
		{"something in front of it", []string{"Bearer 1\t" + token}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			key := want
			if !test.found {
				key = ""
			}
			check(t, f, request("/", header("Authorization", test.lines...)), key)
		})
	}
}

func TestQuery(t *testing.T) {
	f := keyfuncs.Query("key")
	want := keyOf(t, f, request("/?key=a+b"))
	for _, test := range []struct {
		name, query string
		found       bool
	}{
		{"among others", "x=1&key=a+b&y=2", true},
		{"escaped", "key=a%20b", true},
		{"its name escaped", "%6bey=a+b", true},
		{"twice the same", "key=a+b&key=a%20b", true},
		{"absent", "", false},
		{"empty", "key=", false},
		{"without a value", "key", false},
		{"another name", "keys=a+b", false},
		{"another case", "Key=a+b", false},
		{"malformed", "key=%zz", false},
		{"behind a semicolon, which handlers do not see", "x=1;key=a+b", false},
		{"in front of one", "key=a+b;x", false},
		{"two that differ", "key=a+b&key=c", false},
		{"empty, then one", "key=&key=a+b", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request("/")
			r.URL.RawQuery = test.query
			key := want
			if !test.found {
				key = ""
			}
			check(t, f, r, key)
		})
	}
}

// What is counted is what a handler reads by r.URL.Query().
func FuzzQuery(f *testing.F) {
	f.Add("key=a&key=b", "key")
	f.Add("a%zz=1&;key=2&key=%41&&=x&key", "key")
	f.Add("=x", "")
	f.Fuzz(func(t *testing.T, query, name string) {
		u := &url.URL{RawQuery: query}
		key, err := keyfuncs.Query(name)(&http.Request{URL: u})
		values := u.Query()[name]
		var want string
		for i, v := range values {
			if i > 0 && v != values[0] {
				want = ""
				break
			}
			want = v
		}
		if want == "" {
			if err == nil {
				t.Fatalf("key %q, want none of %q", key, values)
			}
			return
		}
		clean, cleanErr := keyfuncs.Query(name)(&http.Request{URL: &url.URL{RawQuery: url.Values{name: {want}}.Encode()}})
		if err != nil || cleanErr != nil || key != clean {
			t.Fatalf("key %q, %v, want that of %q: %q, %v", key, err, want, clean, cleanErr)
		}
	})
}

func FuzzBearer(f *testing.F) {
	f.Add("a", "b")
	f.Add("", " ")
	f.Add("a b", "a\tb")
	f.Fuzz(func(t *testing.T, a, b string) {
		ka, errA := keyfuncs.Bearer()(request("/", header("Authorization", "Bearer "+a)))
		kb, errB := keyfuncs.Bearer()(request("/", header("Authorization", "bEARER  "+b)))
		if bad := strings.Trim(a, " \t"); (errA != nil) != (bad == "" || strings.ContainsAny(bad, " \t")) {
			t.Fatalf("%q: %q, %v", a, ka, errA)
		}
		if same := strings.Trim(a, " \t") == strings.Trim(b, " \t"); errA == nil && errB == nil && (ka == kb) != same {
			t.Fatalf("%q and %q are %q and %q", a, b, ka, kb)
		}
	})
}

func TestCookie(t *testing.T) {
	f := keyfuncs.Cookie("session")
	want := keyOf(t, f, request("/", header("Cookie", "session="+token)))
	check(t, f, request("/", header("Cookie", "a=b; session="+token+"; c=d")), want)
	check(t, f, request("/", header("Cookie", `session="`+token+`"`)), want)
	check(t, f, request("/", header("Cookie", "session="+token+"; session=of-another-path")), want)
	check(t, f, request("/"), "")
	check(t, f, request("/", header("Cookie", "session=")), "")
	check(t, f, request("/", header("Cookie", "Session="+token)), "")
}

func TestBasicUser(t *testing.T) {
	f := keyfuncs.BasicUser()
	auth := func(credentials string) func(*http.Request) {
		return header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credentials)))
	}
	want := keyOf(t, f, request("/", auth("alice:one")))
	check(t, f, request("/", auth("alice:two")), want)
	check(t, f, request("/", auth("alice:")), want)
	if bob := keyOf(t, f, request("/", auth("bob:one"))); bob == want {
		t.Error("alice and bob are counted together")
	}
	check(t, f, request("/", auth(":one")), "")
	check(t, f, request("/", auth("alice")), "")
	check(t, f, request("/", header("Authorization", "Basic !")), "")
	check(t, f, request("/", header("Authorization", "Bearer "+token)), "")
	two := request("/", auth("alice:one"))
	two.Header.Add("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("bob:one")))
	check(t, f, two, "")
}
