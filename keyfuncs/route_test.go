package keyfuncs_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

func TestRoute(t *testing.T) {
	for _, test := range []struct{ name, method, pattern, want string }{
		{"a pattern with its method", "GET", "GET /users/{id}", "GET /users/{id}"},
		{"HEAD, by the handler of GET", "HEAD", "GET /users/{id}", "GET /users/{id}"},
		{"a pattern without one", "POST", "/users/{id}", "POST /users/{id}"},
		{"HEAD, without one", "HEAD", "/users/{id}", "GET /users/{id}"},
		{"a request without a method", "", "/users/{id}", "GET /users/{id}"},
		{"a host", "GET", "example.com/x", "GET example.com/x"},
		{"a host and a method", "GET", "GET example.com/x", "GET example.com/x"},
		{"a space in the path", "GET", "/a b/:id", "GET /a b/:id"},
		{"a tab behind the method", "GET", "GET\t/x", "GET\t/x"},
		{"everything else", "PUT", "/", "PUT /"},
		{"no route", "GET", "", "unmatched"},
		{"no route, another method", "POST", "", "unmatched"},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, keyfuncs.Route(), &http.Request{Method: test.method, Pattern: test.pattern}, test.want)
		})
	}
}

// A handler for all methods serves any word as one, and each would be a fresh limit.
func TestMethodsThatClientsMakeUpAreOneKey(t *testing.T) {
	want := keyOf(t, keyfuncs.Route(), &http.Request{Method: "BREW", Pattern: "/login"})
	for _, method := range []string{"AAAA", "AAAB", "post", "GET2", "PROPFIND"} {
		check(t, keyfuncs.Route(), &http.Request{Method: method, Pattern: "/login"}, want)
	}
}

// Cure53 CDM-02-003, against httprate's KeyByEndpoint: spellings of a path are one route, and the values in it too.
func TestPathsOfARouteAreOneKey(t *testing.T) {
	var keys []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(_ http.ResponseWriter, r *http.Request) {
		keys = append(keys, keyOf(t, keyfuncs.Route(), r))
	})
	for _, target := range []string{"/users/1", "/users/2", "/%75sers/1", "/users/%31?x=y"} {
		mux.ServeHTTP(httptest.NewRecorder(), request(target))
	}
	if len(keys) != 4 {
		t.Fatalf("%d requests arrived, want 4", len(keys))
	}
	for _, key := range keys {
		if key != "GET /users/{id}" {
			t.Errorf("key is %q", key)
		}
	}
}
