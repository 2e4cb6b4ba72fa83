package nethttp_test

import (
	"net/http"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// discard is a ResponseWriter that costs nothing itself.
type discard http.Header

func (d discard) Header() http.Header       { return http.Header(d) }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// Header maps are the server's to allocate, and are warm here.
func TestAllocationsStayWithinTheirBudget(t *testing.T) {
	none := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	mux := http.NewServeMux()
	mux.Handle("GET /search", none)
	tests := []struct {
		name   string
		limits core.Limits
		spent  int64
		table  bool
		want   float64
	}{
		{"allowed", core.Limits{core.PerHour(1e6)}, 0, false, 4},
		{"allowed by a table", core.Limits{core.PerHour(1e6)}, 0, true, 4},
		{"refused", core.Limits{core.PerHour(1)}, 1, false, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := core.MustNew(memstore.New(), tt.limits)
			if _, err := l.AllowN(t.Context(), "192.0.2.1", tt.spent); err != nil {
				t.Fatal(err)
			}
			m := nethttp.New(l, keyfuncs.IP())
			h := m.Handler(none)
			if tt.table {
				h = nethttp.Routes{"GET /search": m, "*": nethttp.Unlimited}.Handler(mux)
			}
			w, r := discard{}, request("GET", "/search")
			got := testing.AllocsPerRun(100, func() {
				clear(w)
				h.ServeHTTP(w, r)
			})
			if got > tt.want {
				t.Errorf("%v allocations, at most %v are wanted", got, tt.want)
			}
			t.Logf("%v allocations", got)
		})
	}
}
