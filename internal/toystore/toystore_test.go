package toystore_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/toystore"
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/storetest"
)

func TestToyStorePassesTheSuite(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Clocked {
		return storetest.Clocked{Store: toystore.New()}
	})
}

func TestToyStoreInRealTime(t *testing.T) {
	storetest.RealTime(t, func(testing.TB) core.Store { return toystore.New() })
}

func Example() {
	limiter := core.MustNew(toystore.New(), core.PerDay(2))
	for range 3 {
		res, err := limiter.Allow(context.Background(), "alice")
		fmt.Println(res.Allowed, err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}
