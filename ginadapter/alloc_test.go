//go:build !race

// With the race detector sync.Pool forgets some of what it is given, so that allocations cannot be counted.

package ginadapter_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/ginadapter"
	"github.com/slidegate/slidegate/nethttp"
)

func TestAdapterAllocatesOnlyForAKey(t *testing.T) {
	allocs := func(use ...gin.HandlerFunc) float64 {
		g := gin.New()
		g.Use(use...)
		g.GET("/users/:id", ok)
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/users/7", nil)
		return testing.AllocsPerRun(100, func() { g.ServeHTTP(w, r) })
	}
	ginadapter.Key(func(*gin.Context) (string, error) { return "", nil }) // from here on gin's context is carried
	if with, without := allocs(ginadapter.Wrap(nethttp.Unlimited)), allocs(); with > without+2 {
		t.Errorf("%v allocations, %v without us", with, without)
	}
}
