package echoadapter_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/labstack/echo/v5"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/echoadapter/v5"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func ExampleNew() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(2))

	e := echo.New()
	e.Use(echoadapter.New(limiter, keyfuncs.IP()))
	e.GET("/", func(c *echo.Context) error { return c.String(http.StatusOK, "hello") })

	for range 3 {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		fmt.Println(w.Code, w.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 200 1
	// 200 0
	// 429 0
}

func ExampleWrap() {
	store := memstore.New()
	login := core.MustNew(store, core.Name("login"), core.PerMinute(1))
	rest := core.MustNew(store, core.Name("rest"), core.PerMinute(100))
	table := nethttp.Routes{
		"POST /login/:realm": nethttp.New(login, keyfuncs.IP()), // echo's own patterns
		"/healthz":           nethttp.Unlimited,
		"*":                  nethttp.New(rest, keyfuncs.IP()),
	}

	e := echo.New()
	e.Use(echoadapter.Wrap(table))
	e.POST("/login/:realm", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
	e.GET("/healthz", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
	if err := echoadapter.Verify(e, table); err != nil {
		fmt.Println(err)
	}

	for _, target := range []string{"/login/a", "/login/b", "/healthz"} {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("POST", target, nil))
		fmt.Println(target, w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	// Output:
	// /login/a 200 1
	// /login/b 429 1
	// /healthz 405 100
}

// An application that renders all errors in one place renders refusals there too.
func ExampleReturn() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))

	e := echo.New()
	e.Use(echoadapter.Return(nethttp.New(limiter, keyfuncs.IP())))
	e.GET("/", func(c *echo.Context) error { return c.String(http.StatusOK, "hello\n") })

	for range 2 {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 hello
	// 429 {"message":"Too Many Requests"}
}

// A key from what earlier middleware has put into echo's context, or else the address.
func ExampleKey() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	user := echoadapter.Key(func(c *echo.Context) (string, error) {
		if name, ok := c.Get("user").(string); ok && name != "" {
			return "user:" + name, nil
		}
		return "", keyfuncs.ErrNoKey
	})

	e := echo.New()
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc { // your authentication
		return func(c *echo.Context) error {
			c.Set("user", c.Request().Header.Get("X-Verified-User"))
			return next(c)
		}
	})
	e.Use(echoadapter.New(limiter, keyfuncs.First(user, keyfuncs.IP())))
	e.GET("/", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })

	for _, name := range []string{"alice", "alice", "bob", ""} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Verified-User", name)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		fmt.Printf("%q %d\n", name, w.Code)
	}
	// Output:
	// "alice" 200
	// "alice" 429
	// "bob" 200
	// "" 200
}

// e.Pre runs before echo routes, so that there is no pattern yet, and a table gives "*" to every request. Use e.Use.
func ExampleWrap_incorrect() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(5))
	limit := echoadapter.Wrap(nethttp.Routes{"/login": nethttp.New(limiter, keyfuncs.IP()), "*": nethttp.Unlimited})

	for _, name := range []string{"Pre", "Use"} {
		e := echo.New()
		if name == "Pre" {
			e.Pre(limit)
		} else {
			e.Use(limit)
		}
		e.POST("/login", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("POST", "/login", nil))
		fmt.Printf("%s: %d, limit %q\n", name, w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	// Output:
	// Pre: 200, limit ""
	// Use: 200, limit "5"
}
