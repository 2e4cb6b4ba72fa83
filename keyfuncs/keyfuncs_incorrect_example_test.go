package keyfuncs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/slidegate/slidegate/keyfuncs"
)

// Do not do this. The first address of X-Forwarded-For is whatever the client wrote there: one that writes another
// each time has a fresh limit each time, and one that writes someone else's spends that one's.
func Example_incorrectForwardedFor() {
	wrong := keyfuncs.Func(func(r *http.Request) (string, error) {
		first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-For"), ",")
		return first, nil
	})
	right := keyfuncs.IP()

	r := httptest.NewRequest("POST", "/login", nil)
	r.RemoteAddr = "203.0.113.9:1234"
	for _, claim := range []string{"192.0.2.1", "192.0.2.2"} {
		r.Header.Set("X-Forwarded-For", claim)
		a, _ := wrong(r)
		b, _ := right(r)
		fmt.Println("wrong:", a, " right:", b)
	}
	// Output:
	// wrong: 192.0.2.1  right: 203.0.113.9
	// wrong: 192.0.2.2  right: 203.0.113.9
}

// Do not do this either. Joined by a separator that may stand in the parts, different clients have one key, and each
// can make it so: a customer who may choose user names spends another customer's limit.
func Example_incorrectJoin() {
	header := func(name string) keyfuncs.Func {
		return func(r *http.Request) (string, error) { return r.Header.Get(name), nil }
	}
	wrong := keyfuncs.Func(func(r *http.Request) (string, error) {
		return r.Header.Get("Customer") + ":" + r.Header.Get("User"), nil
	})
	right := keyfuncs.Compose(header("Customer"), header("User"))

	for _, who := range [][2]string{{"acme", "eu:bob"}, {"acme:eu", "bob"}} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Customer", who[0])
		r.Header.Set("User", who[1])
		a, _ := wrong(r)
		b, _ := right(r)
		fmt.Println("wrong:", a, " right:", b)
	}
	// Output:
	// wrong: acme:eu:bob  right: 4:acme,6:eu:bob,
	// wrong: acme:eu:bob  right: 7:acme:eu,3:bob,
}
