package memstore_test

import (
	"context"
	"fmt"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
)

func Example() {
	limiter := core.MustNew(memstore.New(), core.PerDay(2))

	for range 3 {
		res, err := limiter.Allow(context.Background(), "alice")
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(res.Allowed, res.Remaining)
	}
	// Output:
	// true 1
	// true 0
	// false 0
}

// One store serves many limiters. Their counts are told apart by name, algorithm and windows.
func ExampleNew() {
	store := memstore.New()
	search := core.MustNew(store, core.Name("search"), core.PerDay(1000))
	login := core.MustNew(store, core.Name("login"), core.PerDay(5))

	ctx := context.Background()
	search.Allow(ctx, "alice")
	res, _ := login.Allow(ctx, "alice")
	fmt.Println(res.Policy, res.Remaining)
	fmt.Println(store.Len(), "keys")
	// Output:
	// login 4
	// 2 keys
}

// The bound holds however many keys clients make up. Who has been refused stays refused.
func ExampleMaxKeys() {
	store := memstore.New(memstore.MaxKeys(1000))
	limiter := core.MustNew(store, core.PerDay(2))

	ctx := context.Background()
	limiter.AllowN(ctx, "mallory", 2)
	for i := range 10_000 {
		limiter.Allow(ctx, fmt.Sprintf("made-up-%d", i))
	}
	res, _ := limiter.Allow(ctx, "mallory")
	fmt.Println(store.Len(), "keys, and mallory is allowed:", res.Allowed)
	// Output: 1000 keys, and mallory is allowed: false
}
