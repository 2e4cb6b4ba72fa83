package redisstore_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

// proxy stands between a client and a server. While mute is set, it passes on what the client sends, and swallows what
// the server answers; while cut is, it ends the connection instead.
type proxy struct {
	addr      string
	mute, cut atomic.Bool
}

func newProxy(t *testing.T, server string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String()}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			context.AfterFunc(ctx, func() { client.Close(); upstream.Close() })
			wg.Go(func() { io.Copy(upstream, client); upstream.Close() })
			wg.Go(func() { p.answer(client, upstream) })
		}
	})
	return p
}

func (p *proxy) answer(client, upstream net.Conn) {
	defer client.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := upstream.Read(buf)
		if err != nil || p.cut.Load() {
			return
		}
		if p.mute.Load() {
			continue
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// A lost reply leaves open whether the server counted. It must not be asked a second time, whatever the client's
// options: it did count.
func TestWhatMayHaveCountedIsNotRepeated(t *testing.T) {
	t.Parallel()
	server := redistest.Server(t)
	for _, c := range []struct {
		name string
		lose func(*proxy)
	}{
		{"the reply is late", func(p *proxy) { p.mute.Store(true) }},
		{"the connection is lost", func(p *proxy) { p.cut.Store(true) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, client := range map[string]func(addr string) redis.UniversalClient{
				"client": func(addr string) redis.UniversalClient {
					return redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 5, ReadTimeout: 400 * time.Millisecond})
				},
				"a type of its own": func(addr string) redis.UniversalClient {
					return wrapped{redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 5, ReadTimeout: 400 * time.Millisecond})}
				},
			} {
				p := newProxy(t, server.Addr)
				rdb := client(p.addr)
				defer rdb.Close()
				options := []core.Option{core.PerDay(1000), core.Timeout(time.Second), core.FixedWindow}
				prefix := ownPrefix()
				store := redisstore.New(rdb, prefix)
				warmUp(t, store)
				c.lose(p)
				if res, err := core.MustNew(store, options...).Allow(context.Background(), "k"); err == nil {
					t.Fatalf("%s: the reply was not lost: %v", name, res)
				}
				direct := core.MustNew(redisstore.New(dial(t, server), prefix), options...)
				res, err := direct.Peek(context.Background(), "k")
				if err != nil || res.Remaining != 999 {
					t.Errorf("%s: got %v, %v; want 999 left", name, res, err)
				}
			}
		})
	}
}

// A server that forgets the scripts again and again must neither fail a decision nor lose or double one.
func TestFlushedScriptsAreSentAgain(t *testing.T) {
	t.Parallel()
	server := redistest.Server(t)
	limiter := core.MustNew(redisstore.New(dial(t, server)), core.PerDay(100_000), core.FixedWindow, core.Timeout(soon))
	const callers, each = 8, 100
	var wg, flushing sync.WaitGroup
	done := make(chan struct{})
	flushing.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if _, err := server.Do("SCRIPT", "FLUSH"); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range callers {
		wg.Go(func() {
			for range each {
				if _, err := limiter.Allow(context.Background(), "k"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	close(done)
	flushing.Wait()
	if res, err := limiter.Peek(context.Background(), "k"); err != nil || res.Remaining != 100_000-callers*each {
		t.Errorf("got %v, %v; want %d charged", res, err, callers*each)
	}
}

// counting counts a client's commands.
type counting struct{ commands atomic.Int64 }

func (c *counting) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c *counting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.commands.Add(1)
		return next(ctx, cmd)
	}
}
func (c *counting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestADecisionIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: redistest.Server(t).Addr, ContextTimeoutEnabled: true})
	defer client.Close()
	hook := new(counting)
	client.AddHook(hook)
	store := redisstore.New(client)
	for _, alg := range []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow} {
		limiter := core.MustNew(store, alg, core.PerMinute(3), core.PerHour(5), core.Timeout(soon))
		limiter.Allow(context.Background(), "k") // the server learns the script
		hook.commands.Store(0)
		for range 10 {
			if _, err := limiter.Allow(context.Background(), "k"); err != nil {
				t.Fatal(err)
			}
		}
		if n := hook.commands.Load(); n != 10 {
			t.Errorf("%v: 10 decisions took %d commands", alg, n)
		}
	}
}

// A server that certainly did nothing is asked again, once, and its error is told if that does not help.
func TestWhatCertainlyDidNotRunIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		refusal string
		asked   int64
	}{
		{"LOADING Redis is loading the dataset in memory", 2},
		{"READONLY You can't write against a read only replica.", 2},
		{"MASTERDOWN Link with MASTER is down", 2},
		{"CLUSTERDOWN The cluster is down", 2},
		{"TRYAGAIN Multiple keys request during rehashing of slot", 2},
		{"OOM command not allowed when used memory > 'maxmemory'.", 1},
		{"NOPERM this user has no permissions to run the 'evalsha' command", 1},
	} {
		word, _, _ := strings.Cut(c.refusal, " ")
		t.Run(word, func(t *testing.T) {
			for _, kind := range []string{"EVALSHA", "UNLINK"} {
				fake := newFake(t, c.refusal)
				client := redis.NewClient(&redis.Options{Addr: fake.addr, Protocol: 2, MaxRetries: 5})
				defer client.Close()
				limiter := core.MustNew(redisstore.New(client), core.PerMinute(1), core.Timeout(soon))
				var err error
				if kind == "EVALSHA" {
					_, err = limiter.Allow(context.Background(), "k")
				} else {
					err = limiter.Reset(context.Background(), "k")
				}
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%s: got error %v, want %q", kind, err, c.refusal)
				}
				if n := fake.refused.Load(); n != c.asked {
					t.Errorf("%s: the server was asked %d times, want %d", kind, n, c.asked)
				}
			}
		})
	}
}

func TestAServerThatIsDownIsAnErrorByName(t *testing.T) {
	t.Parallel()
	store, err := redisstore.Open("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = core.MustNew(store, core.PerMinute(1), core.Timeout(soon)).Allow(context.Background(), "k")
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got error %v, want one that says that the connection was refused", err)
	}
}
