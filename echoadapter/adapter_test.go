package echoadapter_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/echoadapter"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func ok(c echo.Context) error { return c.NoContent(http.StatusOK) }

// witness notes the pattern of each request that it is asked about.
type witness struct{ seen []string }

func (g *witness) Check(_ http.Header, r *http.Request) error {
	g.seen = append(g.seen, r.Pattern)
	return nil
}

// settler notes the statuses that it is told.
type settler struct{ told []int }

func (g *settler) Check(http.Header, *http.Request) error { return nil }

func (g *settler) Begin(http.Header, *http.Request) (func(int), core.Result, error) {
	return func(status int) { g.told = append(g.told, status) }, core.Result{}, nil
}

func do(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func TestKeyReadsEchosOwnContext(t *testing.T) {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	byUser := echoadapter.Key(func(c echo.Context) (string, error) { return c.Get("user").(string) + "/" + c.Param("id"), nil })
	e := echo.New()
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Set("user", c.QueryParam("user"))
			return next(c)
		}
	})
	e.Use(echoadapter.New(limiter, keyfuncs.First(byUser, keyfuncs.IP()), nethttp.ShareResult()))
	e.GET("/:id", func(c echo.Context) error {
		if _, ok := nethttp.ResultFrom(c.Request().Context()); !ok {
			t.Error("the handler has no result")
		}
		return ok(c)
	})
	for _, tt := range []struct {
		target string
		want   int
	}{{"/1?user=alice", 200}, {"/1?user=alice", 429}, {"/2?user=alice", 200}, {"/1?user=bob", 200}} {
		if w := do(e, "GET", tt.target); w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.target, w.Code, tt.want)
		}
	}
}

func TestKeyOutsideEchoIsAnError(t *testing.T) {
	key := echoadapter.Key(func(echo.Context) (string, error) { return "k", nil })
	if k, err := key(httptest.NewRequest("GET", "/", nil)); k != "" || err == nil || errors.Is(err, keyfuncs.ErrNoKey) {
		t.Errorf("key %q, error %v", k, err)
	}
}

func TestPatternIsEmptyWhereNoRouteMatched(t *testing.T) {
	g := new(witness)
	e := echo.New()
	limit := echoadapter.Wrap(g)
	e.Use(limit)
	pass := func(next echo.HandlerFunc) echo.HandlerFunc { return next }
	e.GET("/users/:id", ok)
	e.RouteNotFound("/lost/*", ok)
	api := e.Group("/api", pass) // whose middleware makes echo add routes for what is not found
	api.GET("/items/:id", ok)
	for _, name := range []string{"/files", "/a", "/b", "/c", "/d", "/e", "/f"} { // echo v4 lists its routes in any order
		e.Group(name, pass).GET("/*", ok)
	}
	for _, tt := range []struct{ name, method, target, want string }{
		{"a route", "GET", "/users/7", "/users/:id"},
		{"a route of a group", "GET", "/api/items/7", "/api/items/:id"},
		{"a route that a group also has for 404", "GET", "/files/a", "/files/*"},
		{"another", "GET", "/a/x", "/a/*"},
		{"another", "GET", "/b/x", "/b/*"},
		{"another", "GET", "/c/x", "/c/*"},
		{"another", "GET", "/d/x", "/d/*"},
		{"another", "GET", "/e/x", "/e/*"},
		{"another", "GET", "/f/x", "/f/*"},
		{"404", "GET", "/none", ""},
		{"404 in a group", "GET", "/api/none", ""},
		{"404 at a group", "GET", "/api", ""},
		{"404 with a handler", "GET", "/lost/x", ""},
		{"405", "POST", "/users/7", ""},
		{"405 in a group", "POST", "/api/items/7", ""},
		{"OPTIONS that echo answers", "OPTIONS", "/users/7", ""},
		{"an unknown method", "BREW", "/users/7", ""},
	} {
		g.seen = nil
		do(e, tt.method, tt.target)
		if !slices.Equal(g.seen, []string{tt.want}) {
			t.Errorf("%s: the guard saw %q, want %q", tt.name, g.seen, tt.want)
		}
	}
}

func TestPatternIsEmptyInPre(t *testing.T) {
	g := new(witness)
	e := echo.New()
	e.Pre(echoadapter.Wrap(g))
	e.GET("/users/:id", ok)
	if w := do(e, "GET", "/users/7"); w.Code != 200 || g.seen[0] != "" {
		t.Errorf("answered %d, and the guard saw %q", w.Code, g.seen)
	}
}

func TestSettlerIsToldTheStatusOfTheError(t *testing.T) {
	g := new(settler)
	e := echo.New()
	e.Use(echoadapter.Wrap(g))
	e.GET("/ok", ok)
	e.GET("/error", func(echo.Context) error { return errors.New("broken") })
	e.GET("/teapot", func(echo.Context) error { return echo.NewHTTPError(http.StatusTeapot, "no coffee") })
	e.GET("/inner", func(echo.Context) error {
		return echo.NewHTTPError(http.StatusBadRequest).SetInternal(echo.NewHTTPError(http.StatusConflict))
	})
	e.GET("/committed", func(c echo.Context) error {
		_ = c.NoContent(http.StatusAccepted)
		return errors.New("too late")
	})
	for _, target := range []string{"/ok", "/error", "/teapot", "/inner", "/committed", "/none"} {
		w := do(e, "GET", target)
		if last := g.told[len(g.told)-1]; last != w.Code {
			t.Errorf("%s: told %d, answered %d", target, last, w.Code)
		}
	}
	if want := []int{200, 500, 418, 409, 202, 404}; !slices.Equal(g.told, want) {
		t.Errorf("told %d, want %d", g.told, want)
	}
}

func TestReturnLeavesTheRefusalToTheErrorHandler(t *testing.T) {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	var caught error
	for _, tt := range []struct {
		name    string
		handler func(*echo.Echo)
		want    string
	}{
		{"echo's own", func(*echo.Echo) {}, "{\"message\":\"Too Many Requests\"}\n"},
		{"the application's", func(e *echo.Echo) {
			e.HTTPErrorHandler = func(err error, c echo.Context) {
				caught = err
				_ = c.String(http.StatusTooManyRequests, "slow down")
			}
		}, "slow down"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := echo.New()
			e.Use(echoadapter.Return(nethttp.New(limiter, keyfuncs.Const(tt.name))))
			e.GET("/", ok)
			tt.handler(e)
			do(e, "GET", "/")
			w := do(e, "GET", "/")
			if w.Code != 429 || w.Body.String() != tt.want || w.Header().Get("Retry-After") == "" || w.Header().Get("X-Ratelimit-Limit") != "1" {
				t.Errorf("answered %d %q %v", w.Code, w.Body, w.Header())
			}
		})
	}
	if d, ok := errors.AsType[*nethttp.Denial](caught); !ok || d.Result.Limit != core.PerMinute(1) {
		t.Errorf("the error handler got %v", caught)
	}
}

func TestReturnOfANilGuardIs500(t *testing.T) {
	e := echo.New()
	e.Use(echoadapter.Return(nil))
	e.GET("/", ok)
	if w := do(e, "GET", "/"); w.Code != 500 || strings.Contains(w.Body.String(), "guard") {
		t.Errorf("answered %d %q", w.Code, w.Body)
	}
}

func TestRefusalIsWrittenOnceAndCommitted(t *testing.T) {
	e := echo.New()
	committed := false
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			err := next(c)
			committed = c.Response().Committed
			return err
		}
	})
	e.Use(echoadapter.Wrap(nil))
	e.GET("/", ok)
	if w := do(e, "GET", "/"); w.Code != 500 || !committed || strings.Count(w.Body.String(), "}") != 1 {
		t.Errorf("answered %d %q, committed %t", w.Code, w.Body, committed)
	}
}

func TestVerifyNamesEntriesThatMatchNoRoute(t *testing.T) {
	e := echo.New()
	e.GET("/users/:id", ok)
	e.HEAD("/probe", ok)
	e.GET("bare", ok)
	e.RouteNotFound("/lost/*", ok)
	e.Group("/api", echoadapter.Wrap(nethttp.Unlimited)).POST("/login", ok)
	e.Any("/any/*", ok)
	e.Host("api.example.com").GET("/hosted", ok)
	table := func(keys ...string) nethttp.Routes {
		routes := nethttp.Routes{"*": nethttp.Unlimited}
		for _, key := range keys {
			routes[key] = nethttp.Unlimited
		}
		return routes
	}
	good := table("GET /users/:id", "/users/:id", "POST /api/login", "PUT /any/*", "GET /probe", "/bare", "GET /hosted")
	if err := echoadapter.Verify(e, good); err != nil {
		t.Errorf("a good table: %v", err)
	}
	bad := []string{"GET /users/{id}", "POST /login", "GET /api/login", "/lost/*", "/api/*", "HEAD /users/:id"}
	err := echoadapter.Verify(e, table(bad...))
	for _, key := range bad {
		if err == nil || !strings.Contains(err.Error(), `"`+key+`" matches no route`) {
			t.Errorf("%q is not named in %v", key, err)
		}
	}
}
