//go:build !race

// With the race detector sync.Pool forgets some of what it is given, so that allocations cannot be counted.

package chiadapter_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/slidegate/slidegate/chiadapter"
	"github.com/slidegate/slidegate/nethttp"
)

func TestPatternCostsTwoAllocationsAtMost(t *testing.T) {
	limited := func(use ...func(http.Handler) http.Handler) float64 {
		r := chi.NewRouter()
		r.Use(use...)
		r.Route("/api", func(r chi.Router) { r.Get("/items/{id}", ok) })
		w, req := httptest.NewRecorder(), httptest.NewRequest("GET", "/api/items/7", nil)
		return testing.AllocsPerRun(100, func() { r.ServeHTTP(w, req) })
	}
	if with, without := limited(chiadapter.Wrap(nethttp.Unlimited)), limited(); with > without+2 {
		t.Errorf("%v allocations, %v without us", with, without)
	}
}
