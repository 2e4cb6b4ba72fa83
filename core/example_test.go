package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
)

func Example() {
	limiter := core.MustNew(memstore.New(), core.PerHour(2))
	for range 3 {
		res, err := limiter.Allow(context.Background(), "alice")
		if err != nil {
			fmt.Println(err) // the store is down; res.Allowed is the failure mode's word
		}
		fmt.Println(res.Allowed, res.Remaining)
	}
	// Output:
	// true 1
	// true 0
	// false 0
}

// Several limits all admit, or none is charged: what the hour refuses does not count against the day.
func ExampleLimits() {
	limiter := core.MustNew(memstore.New(), core.Name("search"), core.PerHour(3), core.PerDay(100))
	var res core.Result
	for range 50 {
		res, _ = limiter.Allow(context.Background(), "alice")
	}
	for _, q := range res.Quotas() {
		fmt.Println(q.Name, q.Remaining, "of", q.Limit)
	}
	// Output:
	// search-1h 0 of 3/1h
	// search-24h 97 of 100/24h
}

// New names all that is wrong, so that it is put right in one go.
func ExampleNew() {
	_, err := core.New(memstore.New(), core.Name("log in"), core.Per(0, time.Minute), core.Timeout(0))
	fmt.Println(err)
	// Output:
	// core: name must be 1 to 64 letters, digits, "-", "_" and ".", got "log in"
	// core: timeout must be from 1ms to 1m0s, got 0s
	// core: limit 1: requests must be positive, got 0
}

func ExampleParseLimit() {
	limit, err := core.ParseLimit("1000/24h")
	fmt.Println(limit.Requests, limit.Window, err)

	_, err = core.ParseLimit("1000/24x")
	fmt.Println(err)
	// Output:
	// 1000 24h0m0s <nil>
	// core: limit "1000/24x": "24x" is not a duration
}

// A limit is text in JSON, YAML and environment variables.
func ExampleLimit_UnmarshalText() {
	var plan struct{ Limits core.Limits }
	err := json.Unmarshal([]byte(`{"Limits": ["10/1s", "5000/24h"]}`), &plan)
	fmt.Println(plan.Limits, err)
	// Output: 10/1s,5000/24h <nil>
}

// A request that costs more than the limit can never be admitted, and is told so.
func ExampleLimiter_AllowN() {
	limiter := core.MustNew(memstore.New(), core.PerMinute(100))
	res, _ := limiter.AllowN(context.Background(), "alice", 101)
	fmt.Println(res.Allowed, res.RetryAfter == core.Never)
	// Output: false true
}

// Limits from a customer's record: the counts carry over when the plan changes.
func ExampleLimiter_With() {
	limiter := core.MustNew(memstore.New(), core.Name("plan"), core.PerHour(2))
	ctx := context.Background()
	limiter.AllowN(ctx, "alice", 2)

	upgraded, err := limiter.With(core.PerHour(10))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, _ := upgraded.Allow(ctx, "alice")
	fmt.Println(res.Allowed, res.Remaining)
	// Output: true 7
}

// Every decision is an event, for metrics and logs. It never holds the key.
func ExampleObserve() {
	limiter := core.MustNew(memstore.New(), core.Name("api"), core.PerHour(1),
		core.Observe(func(_ context.Context, e core.Event) {
			fmt.Println(e.Kind, e.Limiter, e.Code)
		}))
	limiter.Allow(context.Background(), "alice")
	limiter.Allow(context.Background(), "alice")
	// Output:
	// decided api allowed
	// decided api refused
}
