package keyfuncs_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/slidegate/slidegate/keyfuncs"
)

// Users are counted by name wherever they are, and everyone else by address.
func Example() {
	key := keyfuncs.First(keyfuncs.User(userID), keyfuncs.IP())

	r := httptest.NewRequest("GET", "/search", nil)
	r.RemoteAddr = "203.0.113.9:1234"
	fmt.Println(key(r))
	fmt.Println(key(r.WithContext(context.WithValue(r.Context(), userKey{}, "alice"))))
	// Output:
	// 203.0.113.9 <nil>
	// user:alice <nil>
}

type userKey struct{}

// userID is the user that authentication, which has run before, has put into the context.
func userID(r *http.Request) (string, bool) {
	id, ok := r.Context().Value(userKey{}).(string)
	return id, ok
}

func ExampleIP() {
	key := keyfuncs.IP()
	r := httptest.NewRequest("GET", "/", nil)
	for _, peer := range []string{"203.0.113.9:1234", "[::ffff:203.0.113.9]:1234", "[2001:db8:1:2:3:4:5:6]:1234", "@"} {
		r.RemoteAddr = peer
		fmt.Println(key(r))
	}
	// Output:
	// 203.0.113.9 <nil>
	// 203.0.113.9 <nil>
	// 2001:db8:1:2::/64 <nil>
	//  keyfuncs: the request has no key
}

func ExampleAPIKey() {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-API-Key", "a")
	fmt.Println(keyfuncs.APIKey("X-API-Key")(r))
	// Output: key:qaXV3tItyMgytLgJVJ4O7A <nil>
}

// Each client has a limit of its own on each route: here the route has been found already.
func ExampleCompose() {
	key := keyfuncs.Compose(keyfuncs.IP(), keyfuncs.Route())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(_ http.ResponseWriter, r *http.Request) { fmt.Println(key(r)) })

	r := httptest.NewRequest("GET", "/users/17", nil)
	r.RemoteAddr = "203.0.113.9:1234"
	mux.ServeHTTP(nil, r)
	// Output: 11:203.0.113.9,15:GET /users/{id}, <nil>
}

// A Func of your own: customers by their subdomain, with the monitoring exempt.
func ExampleFunc() {
	key := keyfuncs.Func(func(r *http.Request) (string, error) {
		customer, _, ok := strings.Cut(r.Host, ".")
		switch {
		case !ok:
			return "", keyfuncs.ErrNoKey
		case customer == "status":
			return "", keyfuncs.ErrSkip
		}
		return "customer:" + strings.ToLower(customer), nil
	})
	fmt.Println(key(httptest.NewRequest("GET", "http://Acme.example.com/", nil)))
	_, err := key(httptest.NewRequest("GET", "http://status.example.com/", nil))
	fmt.Println(errors.Is(err, keyfuncs.ErrSkip))
	// Output:
	// customer:acme <nil>
	// true
}
