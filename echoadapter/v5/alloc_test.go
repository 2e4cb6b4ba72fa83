//go:build !race

// With the race detector sync.Pool forgets some of what it is given, so that allocations cannot be counted.

package echoadapter_test

import (
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v5"

	"github.com/slidegate/slidegate/echoadapter/v5"
	"github.com/slidegate/slidegate/nethttp"
)

func TestAdapterAllocatesLittle(t *testing.T) {
	allocs := func(use ...echo.MiddlewareFunc) float64 {
		e := echo.New()
		e.Use(use...)
		e.GET("/users/:id", func(*echo.Context) error { return nil })
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/users/7", nil)
		return testing.AllocsPerRun(100, func() { e.ServeHTTP(w, r) })
	}
	pass := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error { return next(c) }
	}
	echoadapter.Key(func(*echo.Context) (string, error) { return "", nil }) // from here on echo's context is carried
	if with, without := allocs(echoadapter.Wrap(nethttp.Unlimited)), allocs(pass); with > without+4 {
		t.Errorf("%v allocations, %v with other middleware", with, without)
	}
}
