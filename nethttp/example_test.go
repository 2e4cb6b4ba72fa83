package nethttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// get prints how h answers, and how much is left.
func get(h http.Handler, method, target string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	line := fmt.Sprintln(method, target, w.Code, w.Header().Get("X-RateLimit-Remaining"))
	fmt.Println(strings.TrimSpace(line))
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })

func ExampleNew() {
	limiter := core.MustNew(memstore.New(), core.PerHour(2))
	h := nethttp.New(limiter, keyfuncs.IP()).Handler(hello)

	get(h, "GET", "/")
	get(h, "GET", "/")
	get(h, "GET", "/")
	// Output:
	// GET / 200 1
	// GET / 200 0
	// GET / 429 0
}

func ExampleHandler() {
	limiter := core.MustNew(memstore.New(), core.PerHour(2))
	perClient := nethttp.New(limiter, keyfuncs.IP())

	mux := http.NewServeMux()
	mux.Handle("GET /export", nethttp.Handler(perClient, hello)) // this one route
	mux.Handle("GET /", hello)

	get(mux, "GET", "/export")
	get(mux, "GET", "/")
	// Output:
	// GET /export 200 1
	// GET / 200
}

func ExampleRoutes() {
	store := memstore.New()
	login := core.MustNew(store, core.Name("login"), core.PerHour(1), core.FailClosed)
	rest := core.MustNew(store, core.Name("rest"), core.PerHour(600))

	mux := http.NewServeMux()
	mux.Handle("POST /login", hello)
	mux.Handle("GET /healthz", hello)
	mux.Handle("GET /items/{id}", hello)

	h := nethttp.Routes{
		"POST /login": nethttp.New(login, keyfuncs.IP()),
		"/healthz":    nethttp.Unlimited,
		"*":           nethttp.New(rest, keyfuncs.IP()),
	}.Handler(mux)

	get(h, "POST", "/login")
	get(h, "POST", "/%6Cogin") // another spelling, the same route
	get(h, "GET", "/healthz")
	get(h, "GET", "/items/7")
	// Output:
	// POST /login 200 0
	// POST /%6Cogin 429 0
	// GET /healthz 200
	// GET /items/7 200 599
}

func ExampleChoose() {
	store := memstore.New()
	// One name, so that a customer who upgrades keeps the counts.
	free := nethttp.New(core.MustNew(store, core.Name("api"), core.PerHour(2)), keyfuncs.IP())
	pro := nethttp.New(core.MustNew(store, core.Name("api"), core.PerHour(100)), keyfuncs.IP())

	byPlan := nethttp.Choose(func(r *http.Request) nethttp.Guard {
		if r.URL.Query().Get("plan") == "pro" { // in earnest: from your authentication
			return pro
		}
		return free
	})
	h := nethttp.Handler(byPlan, hello)

	get(h, "GET", "/")
	get(h, "GET", "/?plan=pro")
	// Output:
	// GET / 200 1
	// GET /?plan=pro 200 98
}

func ExampleCost() {
	limiter := core.MustNew(memstore.New(), core.PerHour(100))
	h := nethttp.New(limiter, keyfuncs.IP(), nethttp.Cost(func(r *http.Request) int64 {
		if r.URL.Path == "/export" {
			return 60
		}
		return 1
	})).Handler(hello)

	get(h, "GET", "/export")
	get(h, "GET", "/export")
	get(h, "GET", "/") // what was refused has cost nothing
	// Output:
	// GET /export 200 40
	// GET /export 429 40
	// GET / 200 39
}

func ExampleDeny() {
	limiter := core.MustNew(memstore.New(), core.PerHour(1))
	h := nethttp.New(limiter, keyfuncs.IP(), nethttp.Deny(func(w http.ResponseWriter, _ *http.Request, d *nethttp.Denial) {
		w.WriteHeader(d.StatusCode())
		fmt.Fprintln(w, "Easy now.")
	})).Handler(hello)

	get(h, "GET", "/")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output:
	// GET / 200 0
	// 429 Easy now.
}

func ExampleShareResult() {
	limiter := core.MustNew(memstore.New(), core.PerHour(5))
	h := nethttp.New(limiter, keyfuncs.IP(), nethttp.ShareResult()).Handler(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if res, ok := nethttp.ResultFrom(r.Context()); ok {
				fmt.Printf("%d of %v left\n", res.Remaining, res.Limit)
			}
		}))

	get(h, "GET", "/")
	// Output:
	// 4 of 5/1h left
	// GET / 200 4
}
