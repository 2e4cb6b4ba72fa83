package redisstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

// A slot moves from one node to another while its clients are asked about: first the source sends new keys on (ASK),
// then all (MOVED). No decision may fail, and no charge be lost.
func TestDecisionsGoOnWhileASlotMoves(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	nodes := redistest.Cluster(t)
	store := redisstore.New(dialCluster(t, nodes))
	warmUp(t, store) // the client knows where the slot was
	limiter := core.MustNew(store, core.Name("n"), core.FixedWindow, core.PerDay(100), core.Timeout(soon))
	key := store.KeyName("n:f24h", "k")

	slot := nodes[0].MustDo("CLUSTER", "KEYSLOT", key)
	var source, target *redistest.Node
	for _, n := range nodes {
		if _, err := n.Do("GET", key); err == nil {
			source = n
		} else {
			target = n
		}
	}
	allow := func(want int64) {
		t.Helper()
		if res, err := limiter.Allow(ctx, "k"); err != nil || res.Remaining != want {
			t.Fatalf("got %v, %v; want %d left", res, err, want)
		}
	}
	target.MustDo("CLUSTER", "SETSLOT", slot, "IMPORTING", source.MustDo("CLUSTER", "MYID"))
	source.MustDo("CLUSTER", "SETSLOT", slot, "MIGRATING", target.MustDo("CLUSTER", "MYID"))
	allow(99)
	allow(98)
	if _, err := source.Do("GET", key); err == nil || !strings.Contains(err.Error(), "ASK") {
		t.Fatalf("the slot does not move: %v", err)
	}
	for _, n := range []*redistest.Node{target, source} {
		n.MustDo("CLUSTER", "SETSLOT", slot, "NODE", target.MustDo("CLUSTER", "MYID"))
	}
	allow(97)
	allow(96)
	if err := limiter.Reset(ctx, "k"); err != nil {
		t.Fatal(err)
	}
	allow(99)
}

// A ring spreads keys over servers that know nothing of each other, each key on one.
func TestRing(t *testing.T) {
	t.Parallel()
	addrs := map[string]string{"a": redistest.Server(t).Addr, "b": redistest.Server(t).Addr}
	ring := redis.NewRing(&redis.RingOptions{Addrs: addrs})
	t.Cleanup(func() { ring.Close() })
	limiter := core.MustNew(redisstore.New(ring), core.FixedWindow, core.PerDay(10), core.Timeout(soon))
	for i := range 20 {
		for want := int64(9); want >= 8; want-- {
			if res, err := limiter.Allow(context.Background(), fmt.Sprint(i)); err != nil || res.Remaining != want {
				t.Fatalf("%d: got %v, %v; want %d left", i, res, err, want)
			}
		}
	}
	for name, addr := range addrs {
		if n := dial(t, &redistest.Node{Addr: addr}).DBSize(context.Background()).Val(); n == 0 {
			t.Errorf("shard %s has no key", name)
		}
	}
}
