package redisstore

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// The scripts' clock, which is their first line, and the one that tests put in its place. All else stays as it is.
const (
	clockLine = "local time = redis.call('TIME')\n"
	testClock = "local time = { ARGV[#ARGV - 1], ARGV[#ARGV] }\n"
)

// SetClock has s count by now from now on, instead of by its server's clock. Its keys do not expire, since that would
// be by the server's.
func (s *Store) SetClock(t testing.TB, client redis.UniversalClient, now func() time.Time) {
	t.Helper()
	s.scripts = scripts{counter: clocked(t, s.scripts.counter), log: clocked(t, s.scripts.log)}
	s.route = clockedRoute{client, now}
}

func clocked(t testing.TB, sc *script) *script {
	t.Helper()
	for line := range strings.Lines(sc.text) {
		if strings.HasPrefix(line, "--") {
			continue
		}
		if line != clockLine {
			t.Fatalf("the first line of code is %q, want %q", line, clockLine)
		}
		break
	}
	return newScript(strings.Replace(sc.text, clockLine, testClock, 1))
}

// clockedRoute appends a time to the arguments of scripts, and has their keys persist.
type clockedRoute struct {
	client redis.UniversalClient
	now    func() time.Time
}

func (r clockedRoute) call(ctx context.Context, key string, args []any) (any, error) {
	if args[0] == "unlink" {
		return process(ctx, r.client, args)
	}
	now := r.now()
	args = append(args[:len(args):len(args)], strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond()/1000))
	tx := r.client.TxPipeline()
	script := tx.Do(ctx, args...)
	tx.Persist(ctx, key)
	if _, err := tx.Exec(ctx); err != nil {
		return nil, err
	}
	return script.Val(), nil
}

// KeyName is where s keeps the counts of key.
func (s *Store) KeyName(scope, key string) string { return s.keyName(scope, key) }

// The scripts' texts.
var (
	CounterText = counterText
	LogText     = logText
)
