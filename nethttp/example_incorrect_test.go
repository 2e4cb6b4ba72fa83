package nethttp_test

import (
	"fmt"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// The common mistake: to pick the limit by the path that the client sent. The mux cleans and decodes paths before it
// matches, so that the strict limit is one spelling away from not being there. A table of [Routes] goes by the
// pattern.
func ExampleChoose_incorrect() {
	store := memstore.New()
	login := nethttp.New(core.MustNew(store, core.Name("login"), core.PerHour(1)), keyfuncs.IP())
	rest := nethttp.New(core.MustNew(store, core.Name("rest"), core.PerHour(600)), keyfuncs.IP())

	mux := http.NewServeMux()
	mux.Handle("POST /{page}", hello) // serves /login and others

	h := nethttp.Handler(nethttp.Choose(func(r *http.Request) nethttp.Guard {
		if r.RequestURI == "/login" { // wrong: so is r.URL.Path
			return login
		}
		return rest
	}), mux)

	get(h, "POST", "/login")
	get(h, "POST", "/login")
	get(h, "POST", "/%6Cogin") // reaches the same handler, past its limit
	// Output:
	// POST /login 200 0
	// POST /login 429 0
	// POST /%6Cogin 200 599
}

// The other common mistake: to put a table around something that cannot say which pattern a request will match, such
// as middleware around the mux. It shows when the program starts.
func ExampleRoutes_incorrect() {
	mux := http.NewServeMux()
	table := nethttp.Routes{"*": nethttp.Unlimited}
	defer func() { fmt.Println(recover()) }()

	table.Handler(http.StripPrefix("/api", mux)) // right: http.StripPrefix("/api", table.Handler(mux))
	// Output:
	// nethttp: Routes: http.HandlerFunc cannot tell its patterns: put the table around the *http.ServeMux itself, and other middleware around the table
}
