package redisstore_test

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/core/storetest"
	"github.com/slidegate/slidegate/internal/redistest"
)

// miniClock sets m's clock. Its keys age only by FastForward, and are never to age by more than the clock advances.
func miniClock(m *miniredis.Miniredis) func(time.Time) {
	var latest time.Time
	return func(now time.Time) {
		if !latest.IsZero() && now.After(latest) {
			m.FastForward(now.Sub(latest))
		}
		if now.After(latest) {
			latest = now
		}
		m.SetTime(now)
	}
}

func TestStoreOnMiniredis(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Clocked {
		m := miniredis.RunT(t)
		client := redis.NewClient(&redis.Options{Addr: m.Addr()})
		t.Cleanup(func() { client.Close() })
		return storetest.Clocked{Store: redisstore.New(client), SetClock: miniClock(m)}
	})
}

// A server's clock cannot be set, so these run the scripts with their first line, the clock, reading an argument.

func TestStoreOnAServer(t *testing.T) {
	t.Parallel()
	client := dial(t, redistest.Server(t))
	storetest.Run(t, clockedStores(client))
}

func TestStoreOnACluster(t *testing.T) {
	t.Parallel()
	client := dialCluster(t, redistest.Cluster(t))
	storetest.Run(t, clockedStores(client))
}

// clockedStores are stores on client that share nothing, each with a clock to set.
func clockedStores(client redis.UniversalClient) func(testing.TB) storetest.Clocked {
	return func(t testing.TB) storetest.Clocked {
		var now time.Time
		store := redisstore.New(client, ownPrefix())
		store.SetClock(t, client, func() time.Time { return now })
		return storetest.Clocked{Store: store, SetClock: func(to time.Time) { now = to }}
	}
}

// A window that is kept because the clock has stepped back out of it weighs no more than whole, for the script as for the
// Limiter: else the one would refuse and not charge what the other admits.
func TestAKeptWindowWeighsNoMoreThanWhole(t *testing.T) {
	m := miniredis.RunT(t)
	limiter := core.MustNew(redisstore.New(dial(t, &redistest.Node{Addr: m.Addr()})), core.PerSecond(10), core.Timeout(soon))
	for _, step := range []struct {
		at   time.Duration
		cost int64
		want bool
	}{
		{500 * time.Millisecond, 6, true},
		{1000 * time.Millisecond, 1, true},
		{500 * time.Millisecond, 3, true},
		{500 * time.Millisecond, 1, false},
	} {
		m.SetTime(time.Unix(4_000_000_000, 0).Add(step.at))
		if res, err := limiter.AllowN(t.Context(), "k", step.cost); err != nil || res.Allowed != step.want {
			t.Errorf("%d at %v: got %v, %v; want allowed %v", step.cost, step.at, res, err, step.want)
		}
	}
}

// From here on it is the shipped text, in real time.

func TestStoreInRealTime(t *testing.T) {
	t.Parallel()
	client := dial(t, redistest.Server(t))
	storetest.RealTime(t, func(testing.TB) core.Store { return redisstore.New(client, ownPrefix()) })
}

func TestClusterInRealTime(t *testing.T) {
	t.Parallel()
	client := dialCluster(t, redistest.Cluster(t))
	storetest.RealTime(t, func(testing.TB) core.Store { return redisstore.New(client, ownPrefix()) })
}

// TestNoRetryAfterIsWrong has thousands of clients spend at random and come back just before and just after they were
// told to, each on a store of its own. SLIDEGATE_HISTORIES says how many there are.
func TestNoRetryAfterIsWrong(t *testing.T) {
	t.Parallel()
	histories := 2000
	if testing.Short() {
		histories = 200
	}
	if s := os.Getenv("SLIDEGATE_HISTORIES"); s != "" {
		var err error
		if histories, err = strconv.Atoi(s); err != nil {
			t.Fatalf("SLIDEGATE_HISTORIES: %v", err)
		}
	}
	client := dial(t, redistest.Server(t))
	var wg sync.WaitGroup
	for range 2 { // most of it is waiting
		wg.Go(func() {
			storetest.Histories(t, histories/2, func(testing.TB) core.Store { return redisstore.New(client, ownPrefix()) })
		})
	}
	wg.Wait()
}

// dial is a client with go-redis's defaults, as an application may have one.
func dial(t testing.TB, n *redistest.Node) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: n.Addr})
	t.Cleanup(func() { client.Close() })
	return client
}

func dialCluster(t testing.TB, nodes []*redistest.Node) *redis.ClusterClient {
	o := &redis.ClusterOptions{}
	for _, n := range nodes {
		o.Addrs = append(o.Addrs, n.Addr)
	}
	client := redis.NewClusterClient(o)
	t.Cleanup(func() { client.Close() })
	return client
}

var prefixes atomic.Int64

// ownPrefix makes a store that shares nothing with another one on its server.
func ownPrefix() redisstore.Option {
	return redisstore.Prefix(fmt.Sprint("test", prefixes.Add(1)))
}
