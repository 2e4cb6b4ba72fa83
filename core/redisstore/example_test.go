package redisstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
)

// Two processes with a client each share what a user has spent.
func ExampleNew() {
	server, err := miniredis.Run() // in a program: a Redis server
	if err != nil {
		panic(err)
	}
	defer server.Close()

	for process := range 2 {
		rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
		defer rdb.Close()
		limiter := core.MustNew(redisstore.New(rdb), core.Name("mail"), core.Per(3, time.Hour), core.FixedWindow, core.Timeout(time.Second))
		for range 2 {
			res, err := limiter.Allow(context.Background(), "alice")
			fmt.Println("process", process, res.Allowed, res.Remaining, err)
		}
	}
	// Output:
	// process 0 true 2 <nil>
	// process 0 true 1 <nil>
	// process 1 true 0 <nil>
	// process 1 false 0 <nil>
}

// Open makes a client of its own, with timeouts for a limiter. Close closes it.
func ExampleOpen() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()

	store, err := redisstore.Open("redis://"+server.Addr()+"?pool_size=20", redisstore.Prefix("shop"))
	if err != nil {
		panic(err)
	}
	defer store.Close()

	limiter := core.MustNew(store, core.Name("login"), core.PerMinute(5), core.Timeout(time.Second))
	res, err := limiter.Allow(context.Background(), "2001:db8::/64")
	fmt.Println(res.Allowed, err)
	fmt.Println(server.Keys())
	// Output:
	// true <nil>
	// [shop:1:login:w1m|2001:db8::/64]
}

// A mistake in a URL is reported by name, and never with its password.
func ExampleOpen_error() {
	_, err := redisstore.Open("redis://app:secret@redis.example:6379?read_timeout=soon")
	fmt.Println(err)
	// Output:
	// redisstore: open "redis://…@redis.example:6379?read_timeout=soon": redis: invalid read_timeout duration: time: invalid duration "soon"
}

// Reset forgives what a client has spent, for all processes.
func ExampleStore() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()

	limiter := core.MustNew(redisstore.New(rdb), core.Per(1, 24*time.Hour), core.Timeout(time.Second))
	ctx := context.Background()
	for range 2 {
		res, _ := limiter.Allow(ctx, "bob")
		fmt.Println(res.Allowed)
	}
	fmt.Println(limiter.Reset(ctx, "bob"))
	res, _ := limiter.Allow(ctx, "bob")
	fmt.Println(res.Allowed)
	// Output:
	// true
	// false
	// <nil>
	// true
}
