package memstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// epoch begins a window of every length that the tests use.
var epoch = time.UnixMilli(1_700_006_400_000)

func request(scope, key string, limits ...core.Limit) core.Request {
	return core.Request{
		Op: core.OpTake, Scope: scope, Key: key, Limits: limits, Cost: 1, Now: epoch, States: make([]core.State, len(limits)),
	}
}

// mustTake reports whether s admits req.
func mustTake(tb testing.TB, s core.Store, req core.Request) bool {
	tb.Helper()
	if _, err := s.Take(context.Background(), req); err != nil {
		tb.Fatal(err)
	}
	return req.Admitted()
}
