package ginadapter_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/ginadapter"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func ExampleNew() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(2))

	g := gin.New()
	g.Use(ginadapter.New(limiter, keyfuncs.IP()))
	g.GET("/", func(c *gin.Context) { c.String(200, "hello") })

	for range 3 {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
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
		"POST /login/:realm": nethttp.New(login, keyfuncs.IP()), // gin's own patterns
		"/healthz":           nethttp.Unlimited,
		"*":                  nethttp.New(rest, keyfuncs.IP()),
	}

	g := gin.New()
	g.Use(ginadapter.Wrap(table))
	g.POST("/login/:realm", func(*gin.Context) {})
	g.GET("/healthz", func(*gin.Context) {})
	if err := ginadapter.Verify(g, table); err != nil {
		fmt.Println(err)
	}

	for _, target := range []string{"/login/a", "/login/b", "/healthz"} {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest("POST", target, nil))
		fmt.Println(target, w.Code, w.Header().Get("X-RateLimit-Limit"))
	}
	// Output:
	// /login/a 200 1
	// /login/b 429 1
	// /healthz 404 100
}

// A key from what earlier middleware has put into gin's context, or else the address.
func ExampleKey() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	user := ginadapter.Key(func(c *gin.Context) (string, error) {
		if name := c.GetString("user"); name != "" {
			return "user:" + name, nil
		}
		return "", keyfuncs.ErrNoKey
	})

	g := gin.New()
	g.Use(func(c *gin.Context) { c.Set("user", c.GetHeader("X-Verified-User")) }) // your authentication
	g.Use(ginadapter.New(limiter, keyfuncs.First(user, keyfuncs.IP())))
	g.GET("/", func(*gin.Context) {})

	for _, name := range []string{"alice", "alice", "bob", ""} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Verified-User", name)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		fmt.Printf("%q %d\n", name, w.Code)
	}
	// Output:
	// "alice" 200
	// "alice" 429
	// "bob" 200
	// "" 200
}

// c.ClientIP() is the address that the client says it has, as long as gin trusts all proxies, which it does unless told
// otherwise: each request can have a quota of its own. Use keyfuncs.IP.
func ExampleKey_incorrect() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	byClientIP := ginadapter.Key(func(c *gin.Context) (string, error) { return c.ClientIP(), nil })

	g := gin.New()
	g.Use(ginadapter.New(limiter, byClientIP))
	g.GET("/", func(*gin.Context) {})

	for _, claim := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Forwarded-For", claim)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 200
	// 200
	// 200
}
