package redisstore_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/redis/go-redis/v9"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(spendAddr); addr != "" {
		os.Exit(spend(addr))
	}
	if err := flag.Set("test.parallel", "6"); err != nil { // most tests wait; -parallel still overrides it
		panic(err)
	}
	redis.SetLogger(quiet{}) // go-redis prints what the tests provoke
	goleak.VerifyTestMain(m,
		// go-redis tries a dead server once a second until its client is closed, and then sleeps out the second.
		goleak.IgnoreTopFunction("time.Sleep"),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).queuedNewConn.func2"),
	)
}

// soon is enough for what is on its way, even on a busy machine.
const soon = 30 * time.Second

// quiet is a logger of go-redis that says nothing.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
