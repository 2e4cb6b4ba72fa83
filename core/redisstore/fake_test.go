package redisstore_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
)

// fake is a server that answers scripts and UNLINK with one and the same error, or whatever answer writes.
type fake struct {
	addr    string
	refused atomic.Int64
}

func newFake(t *testing.T, refusal string) *fake {
	return newFakeAnswer(t, func(c *server.Peer) { c.WriteError(refusal) })
}

func newFakeAnswer(t *testing.T, answer func(*server.Peer)) *fake {
	s, err := server.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	f := &fake{addr: s.Addr().String()}
	for _, name := range []string{"EVALSHA", "EVAL", "UNLINK"} {
		if err := s.Register(name, func(c *server.Peer, _ string, _ []string) {
			f.refused.Add(1)
			answer(c)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Whatever a server says, the answer is a decision or an error, and the failure mode's word.
func TestNonsenseIsAnErrorOfTheStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func(*server.Peer)
	}{
		{"null", func(c *server.Peer) { c.WriteNull() }},
		{"a number", func(c *server.Peer) { c.WriteInt(7) }},
		{"an array", func(c *server.Peer) { c.WriteStrings([]string{"a", "b"}) }},
		{"an empty string", func(c *server.Peer) { c.WriteBulk("") }},
		{"a short string", func(c *server.Peer) { c.WriteBulk("nonsense") }},
		{"a string of the right size", func(c *server.Peer) { c.WriteBulk(strings.Repeat("x", 18)) }},
		{"a long string", func(c *server.Peer) { c.WriteBulk(strings.Repeat("x", 1<<20)) }},
		{"a length that there is not", func(c *server.Peer) { c.WriteRaw("$9223372036854775807\r\n") }},
		{"no protocol at all", func(c *server.Peer) { c.Block(func(w *server.Writer) { w.WriteLen(-7) }) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := newFakeAnswer(t, c.answer)
			client := redis.NewClient(&redis.Options{Addr: fake.addr, Protocol: 2})
			defer client.Close()
			for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
				limiter := core.MustNew(redisstore.New(client), core.PerMinute(1), core.FailClosed, alg, core.Timeout(soon))
				res, err := limiter.Allow(context.Background(), "k")
				if err == nil || res.Allowed || !res.Degraded || !strings.HasPrefix(err.Error(), core.ErrStore.Error()) {
					t.Errorf("%v: got %v, %v; want a refusal and ErrStore", alg, res, err)
				}
			}
		})
	}
}
