package ginadapter_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/ginadapter"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func ok(*gin.Context) {}

// refusing is a guard that refuses everything.
type refusing struct{}

func (refusing) Check(http.Header, *http.Request) error { return &nethttp.Denial{} }

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w
}

func TestKeyReadsGinsOwnContext(t *testing.T) {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	byUser := ginadapter.Key(func(c *gin.Context) (string, error) { return c.GetString("user") + "/" + c.Param("id"), nil })
	g := gin.New()
	g.Use(func(c *gin.Context) { c.Set("user", c.Query("user")) })
	g.Use(ginadapter.New(limiter, keyfuncs.First(byUser, keyfuncs.IP()), nethttp.ShareResult()))
	g.GET("/:id", func(c *gin.Context) {
		if _, ok := nethttp.ResultFrom(c.Request.Context()); !ok || c.GetString("user") == "" {
			t.Errorf("the handler has no result, or lost what was set: %v", c.Keys)
		}
	})
	for _, tt := range []struct {
		target string
		want   int
	}{{"/1?user=alice", 200}, {"/1?user=alice", 429}, {"/2?user=alice", 200}, {"/1?user=bob", 200}} {
		if w := get(g, tt.target); w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.target, w.Code, tt.want)
		}
	}
}

func TestKeyOutsideGinIsAnError(t *testing.T) {
	key := ginadapter.Key(func(*gin.Context) (string, error) { return "k", nil })
	if k, err := key(httptest.NewRequest("GET", "/", nil)); k != "" || err == nil || errors.Is(err, keyfuncs.ErrNoKey) {
		t.Errorf("key %q, error %v", k, err)
	}
}

func TestKeyMayHaveNone(t *testing.T) {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	g := gin.New()
	g.Use(ginadapter.New(limiter, ginadapter.Key(func(*gin.Context) (string, error) { return "", nil })))
	g.GET("/", ok)
	if w := get(g, "/"); w.Code != http.StatusBadRequest {
		t.Errorf("answered %d, want 400", w.Code)
	}
}

func TestRefusalAbortsAndIsInErrors(t *testing.T) {
	g := gin.New()
	var errs []error
	var status int
	g.Use(func(c *gin.Context) {
		c.Next()
		status = c.Writer.Status()
		for _, e := range c.Errors {
			errs = append(errs, e)
		}
	})
	g.Use(ginadapter.Wrap(refusing{}))
	g.GET("/", func(*gin.Context) { t.Error("the handler was reached") })
	w := get(g, "/")
	var d *nethttp.Denial
	if len(errs) != 1 || !errors.As(errs[0], &d) || status != 429 || w.Code != 429 {
		t.Errorf("errors %v, status %d, answered %d", errs, status, w.Code)
	}
}

// TestRefusalWithoutBodyIsSent is about gin's writer, which holds a status back until a body comes.
func TestRefusalWithoutBodyIsSent(t *testing.T) {
	limiter := core.MustNew(memstore.New(), core.PerMinute(1))
	deny := nethttp.Deny(func(w http.ResponseWriter, _ *http.Request, d *nethttp.Denial) { w.WriteHeader(d.StatusCode()) })
	g := gin.New()
	written := false
	g.Use(func(c *gin.Context) { c.Next(); written = c.Writer.Written() })
	g.Use(ginadapter.New(limiter, keyfuncs.IP(), deny))
	for _, want := range []int{404, 429} { // gin would write its own body for the 404
		if w := get(g, "/none"); w.Code != want || want == 429 && (!written || w.Body.Len() != 0) {
			t.Errorf("answered %d %q, want %d", w.Code, w.Body, want)
		}
	}
}

func TestVerifyNamesEntriesThatMatchNoRoute(t *testing.T) {
	g := gin.New()
	g.GET("/users/:id", ok)
	g.HEAD("/probe", ok)
	g.Group("/api").POST("/login", ok)
	g.Any("/any/*path", ok)
	table := func(keys ...string) nethttp.Routes {
		routes := nethttp.Routes{"*": nethttp.Unlimited}
		for _, key := range keys {
			routes[key] = nethttp.Unlimited
		}
		return routes
	}
	if err := ginadapter.Verify(g, table("GET /users/:id", "/users/:id", "POST /api/login", "PUT /any/*path", "GET /probe")); err != nil {
		t.Errorf("a good table: %v", err)
	}
	bad := []string{"GET /users/{id}", "POST /login", "GET /api/login", "HEAD /users/:id"}
	err := ginadapter.Verify(g, table(bad...))
	for _, key := range bad {
		if err == nil || !strings.Contains(err.Error(), `"`+key+`" matches no route`) {
			t.Errorf("%q is not named in %v", key, err)
		}
	}
}
