package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

// servers are a real server and miniredis: what holds of the scripts must hold on both.
func servers(t *testing.T, test func(*testing.T, *redis.Client)) {
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		test(t, dial(t, redistest.Server(t)))
	})
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		client := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
		t.Cleanup(func() { client.Close() })
		test(t, client)
	})
}

// run runs a script as it is sent, and returns its reply without the clock.
func run(t *testing.T, client *redis.Client, text string, keys []string, args ...any) string {
	t.Helper()
	reply, err := client.Eval(context.Background(), text, keys, args...).Text()
	if err != nil {
		t.Fatal(err)
	}
	return reply[6:]
}

// A day's fixed windows, so that none ends during a test but once a day; then p is what was charged before.
const day = "86400000"

func TestCounterScriptTakesManyKeysInGroups(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		keys := []string{"a", "b", "a", "c", "c", "d"}
		args := []any{
			"3", "1", "0", "2", "1", "3", day, // take 2 of 3 from a, b and a again, which refuses
			"2", "1", "0", "1", "2", "5", "3600000", "1", day, // take 1 of 5 and of 1 from c, twice
			"1", "0", "0", "1", "1", "1", day, // ask for 1 of 1 from d
			"trailing", "words",
		}
		reply := run(t, client, redisstore.CounterText, keys, args...)
		if want := 12 + 12 + 12 + 24 + 24 + 12; len(reply) != want {
			t.Fatalf("the reply has %d bytes, want %d", len(reply), want)
		}
		counts := func(record string, limits int) (all []byte) {
			for i := range limits {
				all = append(all, record[4*limits+8*i+7])
			}
			return all
		}
		for _, c := range []struct {
			name, record string
			limits       int
			want         string
		}{
			{"a", reply[:12], 1, "\x00"},
			{"b", reply[12:24], 1, "\x00"},
			{"a again", reply[24:36], 1, "\x02"},
			{"c", reply[36:60], 2, "\x00\x00"},
			{"c again", reply[60:84], 2, "\x01\x01"},
			{"d", reply[84:], 1, "\x00"},
		} {
			if got := string(counts(c.record, c.limits)); got != c.want {
				t.Errorf("%s: counts %x before the charge, want %x", c.name, got, c.want)
			}
		}
		again := run(t, client, redisstore.CounterText, []string{"a", "b"}, "2", "0", "0", "1", "1", "3", day)
		if again[11] != 2 || again[23] != 2 {
			t.Errorf("after it a and b hold %x, want 2 each", again)
		}
		if n := client.Exists(context.Background(), "d").Val(); n != 0 {
			t.Error("a question has written d")
		}
	})
}

func TestLogScriptTakesManyKeysInGroups(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		reply := run(t, client, redisstore.LogText, []string{"a", "b", "a", "c"},
			"3", "1", "2", "1", "3", day,
			"1", "1", "1", "2", "5", "3600000", "1", day)
		if want := 3*16 + 32; len(reply) != want {
			t.Fatalf("the reply has %d bytes, want %d", len(reply), want)
		}
		for i, want := range []byte{0, 0, 2, 0, 0} {
			if got := reply[16*i+3]; got != want {
				t.Errorf("answer %d: sum %d before the charge, want %d", i, got, want)
			}
		}
		if room := reply[32+10 : 48]; room == "\x00\x00\x00\x00\x00\x00" {
			t.Error("a refusal does not say when there is room")
		}
		after := run(t, client, redisstore.LogText, []string{"a", "c"}, "1", "0", "1", "1", "3", day,
			"1", "0", "1", "2", "5", "3600000", "1", day)
		if after[3] != 2 || after[16+3] != 1 || after[32+3] != 1 {
			t.Errorf("after it a and c hold %x, want 2, 1 and 1", after)
		}
	})
}

// One key that another program has written must not fail the others of its call, nor be written to.
func TestAForeignKeyFailsAlone(t *testing.T) {
	ctx := context.Background()
	write := map[string]func(*redis.Client, string) error{
		"a list":            func(c *redis.Client, key string) error { return c.RPush(ctx, key, "x").Err() },
		"a hash":            func(c *redis.Client, key string) error { return c.HSet(ctx, key, "f", "v").Err() },
		"a short string":    func(c *redis.Client, key string) error { return c.Set(ctx, key, "12345", 0).Err() },
		"an empty string":   func(c *redis.Client, key string) error { return c.Set(ctx, key, "", 0).Err() },
		"a long string":     func(c *redis.Client, key string) error { return c.Set(ctx, key, strings.Repeat("x", 1000), 0).Err() },
		"12 bytes of 255":   func(c *redis.Client, key string) error { return c.Set(ctx, key, strings.Repeat("\xff", 12), 0).Err() },
		"a log's first row": func(c *redis.Client, key string) error { return c.Set(ctx, key, strings.Repeat("\xff", 18), 0).Err() },
	}
	servers(t, func(t *testing.T, client *redis.Client) {
		for name, write := range write {
			for _, c := range []struct {
				script, text string
				size         int
				args         []any
			}{
				{"counter", redisstore.CounterText, 12, []any{"3", "1", "1", "1", "1", "3", day}},
				{"log", redisstore.LogText, 16, []any{"3", "1", "1", "1", "3", day}},
			} {
				if name == "12 bytes of 255" && c.script == "counter" {
					continue // it has the shape of a record; that its counts cannot be is for the reader to see
				}
				keys := []string{name + c.script + "1", name + c.script + "2", name + c.script + "3"}
				if err := write(client, keys[1]); err != nil {
					t.Fatal(err)
				}
				before := client.Dump(ctx, keys[1]).Val()
				reply := run(t, client, c.text, keys, c.args...)
				if len(reply) != 3*c.size {
					t.Fatalf("%s, %s: the reply has %d bytes", c.script, name, len(reply))
				}
				want := strings.Repeat("\xff", c.size)
				if c.script == "counter" { // a window number 2 ahead of what its neighbour has
					number := binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32([]byte(reply))+2)
					want = string(number) + strings.Repeat("\x00", 8)
				}
				if got := reply[c.size : 2*c.size]; got != want {
					t.Errorf("%s, %s: is answered by %x", c.script, name, got)
				}
				if client.Dump(ctx, keys[1]).Val() != before {
					t.Errorf("%s, %s: was changed", c.script, name)
				}
				if n := client.Exists(ctx, keys[0], keys[2]).Val(); n != 2 {
					t.Errorf("%s, %s: of the keys beside it %d were charged, want 2", c.script, name, n)
				}
			}
		}
	})
}

func TestAForeignKeyIsAnErrorThatNamesNoClient(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		ctx := context.Background()
		store := redisstore.New(client)
		limiter := core.MustNew(store, core.Name("n"), core.PerDay(5), core.Timeout(soon))
		client.RPush(ctx, store.KeyName("n:w24h", "alice"), "x")
		_, err := limiter.Allow(ctx, "alice")
		if err == nil || !strings.Contains(err.Error(), "something else than counts") || strings.Contains(err.Error(), "alice") {
			t.Errorf("got error %v", err)
		}
		if err := limiter.Reset(ctx, "alice"); err != nil {
			t.Fatal(err)
		}
		if res, err := limiter.Allow(ctx, "alice"); err != nil || res.Remaining != 4 {
			t.Errorf("after a Reset: got %v, %v; want 4 left", res, err)
		}
	})
}

// Random bytes under a key of ours: an error or a decision, never a failed script.
func TestGarbageNeverFailsAScript(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		garbage := make([]byte, 64)
		for i := range 300 {
			rand.Read(garbage)
			value := garbage[:i%len(garbage)]
			if i%3 == 0 {
				clear(value[:min(8, len(value))]) // a log that believes its header
			}
			client.Set(context.Background(), "k", value, 0)
			run(t, client, redisstore.CounterText, []string{"k"}, "1", "1", "1", "1", "1", "3", "1000")
			client.Set(context.Background(), "k", value, 0)
			run(t, client, redisstore.LogText, []string{"k"}, "1", "1", "1", "1", "3", "1000")
		}
	})
}

var algorithms = []core.Algorithm{core.SlidingWindow, core.SlidingLog, core.FixedWindow}

// Every key that is written has a time to live that covers all that it can still mean, and not much more.
func TestEveryKeyExpires(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		ctx := context.Background()
		store := redisstore.New(client)
		for _, alg := range algorithms {
			limiter := core.MustNew(store, alg, core.Per(5, time.Hour), core.Per(8, 10*time.Hour), core.Timeout(soon))
			for i := range 12 {
				key := fmt.Sprint("client", i%3)
				if _, err := limiter.AllowN(ctx, key, int64(1+i%2)); err != nil {
					t.Fatal(err)
				}
			}
		}
		keys := client.Keys(ctx, "*").Val()
		if len(keys) != 9 {
			t.Fatalf("%d keys, want 9", len(keys))
		}
		for _, key := range keys {
			least, most := 10*time.Hour-time.Minute, 20*time.Hour
			if ttl := client.PTTL(ctx, key).Val(); ttl < least || ttl > most {
				t.Errorf("%s lives for %v, want %v to %v", key, ttl, least, most)
			}
		}
	})
}

// What is refused, asked, free or impossible writes nothing at all.
func TestOnlyAChargeWrites(t *testing.T) {
	servers(t, func(t *testing.T, client *redis.Client) {
		ctx := context.Background()
		for _, alg := range algorithms {
			limiter := core.MustNew(redisstore.New(client), alg, core.PerDay(1), core.Timeout(soon))
			limiter.AllowN(ctx, "free", 0)
			limiter.AllowN(ctx, "too much", 2)
			limiter.Peek(ctx, "asked")
			limiter.Reset(ctx, "reset")
			if keys := client.Keys(ctx, "*").Val(); len(keys) != 0 {
				t.Errorf("%v: wrote %q", alg, keys)
			}
			limiter.Allow(ctx, "spent")
			before := client.Dump(ctx, client.Keys(ctx, "*").Val()[0]).Val()
			if res, err := limiter.Allow(ctx, "spent"); err != nil || res.Allowed {
				t.Fatalf("%v: got %v, %v", alg, res, err)
			}
			if after := client.Dump(ctx, client.Keys(ctx, "*").Val()[0]).Val(); after != before {
				t.Errorf("%v: a refusal has written", alg)
			}
			client.FlushAll(ctx)
		}
	})
}

func TestMemoryOfAKey(t *testing.T) {
	t.Parallel()
	client := dial(t, redistest.Server(t))
	ctx := context.Background()
	for _, c := range []struct {
		name, client string
		options      []core.Option
		most         int64
	}{
		{"one limit", "203.113.100.200", []core.Option{core.PerMinute(100)}, 104},
		{"four limits", "192.0.2.200", // whose name keeps within the 44 bytes up to which it takes 48
			[]core.Option{core.Name("api"), core.PerSecond(10), core.PerMinute(100), core.PerHour(1000), core.PerDay(9999)}, 152},
	} {
		t.Run(c.name, func(t *testing.T) {
			limiter := core.MustNew(redisstore.New(client), append(c.options, core.Timeout(soon))...)
			for range 3 {
				if _, err := limiter.Allow(ctx, c.client); err != nil {
					t.Fatal(err)
				}
			}
			key := client.Keys(ctx, "*").Val()[0]
			if got := client.MemoryUsage(ctx, key).Val(); got > c.most {
				t.Errorf("%s takes %d bytes, want at most %d", key, got, c.most)
			}
			client.FlushAll(ctx)
		})
	}
}

// A log that is always full drops what has left it, and is not written anew for every charge.
func TestALogStaysSmall(t *testing.T) {
	t.Parallel()
	client := dial(t, redistest.Server(t))
	ctx := context.Background()
	store := redisstore.New(client)
	var now time.Time
	store.SetClock(t, client, func() time.Time { return now })
	limiter := core.MustNew(store, core.Name("n"), core.SlidingLog, core.Per(100, time.Second), core.Timeout(soon))
	key := store.KeyName("n:l1s", "k")
	now = time.UnixMilli(3_000_000_000_000)
	for range 50 { // at one time
		if _, err := limiter.Allow(ctx, "k"); err != nil {
			t.Fatal(err)
		}
	}
	if n := client.StrLen(ctx, key).Val(); n != 18 {
		t.Errorf("50 charges at one time take %d bytes, want 18", n)
	}
	for i := range 1000 {
		now = time.UnixMilli(4_000_000_000_000 + int64(10*i))
		if res, err := limiter.Allow(ctx, "k"); err != nil || !res.Allowed {
			t.Fatalf("%d: got %v, %v", i, res, err)
		}
		if n := client.StrLen(ctx, key).Val(); n > 8+10*202 {
			t.Fatalf("after %d charges the log has %d bytes", i, n)
		}
	}
	stats := client.Info(ctx, "commandstats").Val()
	_, stats, _ = strings.Cut(stats, "cmdstat_set:calls=")
	stats, _, _ = strings.Cut(stats, ",")
	if n, err := strconv.Atoi(stats); err != nil || n > 20 {
		t.Errorf("1000 charges have written the log anew %s times", stats)
	}
}
