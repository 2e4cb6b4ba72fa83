package redisstore_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

// late is how long after its deadline a decision may return on a busy machine. It is far below the 5 seconds and more
// that go-redis takes by itself.
const late = 2 * time.Second

// failsInTime asks limiter from many goroutines, and checks that each is told of the store's failure by its deadline.
func failsInTime(t *testing.T, limiter *core.Limiter) {
	t.Helper()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			start := time.Now()
			res, err := limiter.Allow(context.Background(), "k")
			if took := time.Since(start); took > 50*time.Millisecond+late {
				t.Errorf("the decision took %v", took)
			}
			if !errors.Is(err, core.ErrStore) || !res.Degraded {
				t.Errorf("got %v, %v; want a degraded result and ErrStore", res, err)
			}
		})
	}
	wg.Wait()
}

// A client with go-redis's defaults waits 5 seconds for a server that stands still, and does so 4 times.
func TestAServerThatStandsStillDoesNotHoldADecision(t *testing.T) {
	t.Parallel()
	server := redistest.Server(t)
	for _, warm := range []bool{true, false} {
		name := map[bool]string{true: "warm pool", false: "cold pool"}[warm]
		t.Run(name, func(t *testing.T) {
			store := redisstore.New(dial(t, server), ownPrefix())
			if warm {
				warmUp(t, store)
			}
			server.Stop()
			defer server.Continue()
			failsInTime(t, core.MustNew(store, core.PerMinute(1000)))
		})
	}
}

func TestAClusterThatStandsStillDoesNotHoldADecision(t *testing.T) {
	t.Parallel()
	nodes := redistest.Cluster(t)
	for _, warm := range []bool{true, false} {
		name := map[bool]string{true: "warm pool", false: "cold pool"}[warm]
		t.Run(name, func(t *testing.T) {
			store := redisstore.New(dialCluster(t, nodes), ownPrefix())
			if warm {
				warmUp(t, store)
			}
			for _, n := range nodes {
				n.Stop()
				defer n.Continue()
			}
			failsInTime(t, core.MustNew(store, core.PerMinute(1000)))
		})
	}
}

// A black hole accepts connections and never says a word.
func TestABlackHoleDoesNotHoldADecision(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	addr := l.Addr().String()
	for name, client := range map[string]redis.UniversalClient{
		"client":            redis.NewClient(&redis.Options{Addr: addr}),
		"cluster":           redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}}),
		"ring":              redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"shard": addr}}),
		"sentinel":          redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "gate", SentinelAddrs: []string{addr}}),
		"a type of its own": wrapped{redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() { client.Close() })
			failsInTime(t, core.MustNew(redisstore.New(client), core.PerMinute(1000)))
		})
	}
}

// wrapped is a client of a type that redisstore does not know.
type wrapped struct{ *redis.Client }

func TestAStoreWorksAgainOnceItsServerDoes(t *testing.T) {
	t.Parallel()
	server := redistest.Server(t)
	store := redisstore.New(dial(t, server))
	limiter := core.MustNew(store, core.PerMinute(1000))
	warmUp(t, store)
	server.Stop()
	failsInTime(t, limiter)
	server.Continue()
	for end := time.Now().Add(soon); ; {
		res, err := limiter.Peek(context.Background(), "k")
		if err == nil && res.Remaining <= 1000 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("still %v, %v", res, err)
		}
	}
}

// warmUp has the store's client connect and the server learn the scripts.
func warmUp(t testing.TB, store core.Store) {
	t.Helper()
	limiter := core.MustNew(store, core.Name("warmup"), core.PerMinute(1000), core.Timeout(soon))
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		if _, err := limiter.Allow(context.Background(), key); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACallerThatHasHungUpIsCounted(t *testing.T) {
	t.Parallel()
	store := redisstore.New(dial(t, redistest.Server(t)))
	limiter := core.MustNew(store, core.PerHour(10), core.Timeout(soon))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err := limiter.Allow(ctx, "k"); err != nil || res.Remaining != 9 {
		t.Errorf("got %v, %v; want 9 left", res, err)
	}
}

// The options of a client that is not ours must be the same afterwards: other code relies on them.
func TestTheCallersClientKeepsItsOptions(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", ReadTimeout: time.Second, WriteTimeout: 2 * time.Second})
	defer client.Close()
	before := *client.Options()
	redisstore.New(client)
	after := client.Options()
	if after.ContextTimeoutEnabled || after.ReadTimeout != before.ReadTimeout || after.WriteTimeout != before.WriteTimeout ||
		after.MaxRetries != before.MaxRetries {
		t.Errorf("options were %+v, are %+v", before, *after)
	}
}
