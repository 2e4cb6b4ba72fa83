package redisstore_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

// The environment of a process that TestFourProcessesShareOneLimit starts: the server, and for how long to spend.
const (
	spendAddr = "SLIDEGATE_TEST_SPEND_ADDR"
	spendFor  = "SLIDEGATE_TEST_SPEND_FOR"
)

// shared is the limit that the processes share.
var shared = core.Per(50, 500*time.Millisecond)

// spend spends all that it is given, from two goroutines, and prints when it was admitted, in ms by the store's clock.
func spend(addr string) int {
	length, err := time.ParseDuration(os.Getenv(spendFor))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer client.Close()
	limiter := core.MustNew(redisstore.New(client), core.Name("shared"), shared, core.Timeout(soon))
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(length)
	for range 2 {
		wg.Go(func() {
			for time.Now().Before(end) {
				res, err := limiter.Allow(context.Background(), "k")
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				if res.Allowed {
					mu.Lock()
					fmt.Println(res.At.UnixMilli())
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return 0
}

func TestFourProcessesShareOneLimit(t *testing.T) {
	t.Parallel()
	length := 6 * time.Second
	if testing.Short() {
		length = 2 * time.Second
	}
	server := redistest.Server(t)
	var mu sync.Mutex
	var admitted []int64
	var wg sync.WaitGroup
	for range 4 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), spendAddr+"="+server.Addr, spendFor+"="+length.String())
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				at, err := strconv.ParseInt(lines.Text(), 10, 64)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				admitted = append(admitted, at)
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(admitted)
	L, W := shared.Requests, shared.Window.Milliseconds()
	// In any interval of length d at most L(1+d/W). Only intervals from one admission to another can be worst.
	for i, from := range admitted {
		for j := i; j < len(admitted); j++ {
			if n, d := int64(j-i+1), admitted[j]-from; n*W > L*(W+d) {
				t.Fatalf("%d were admitted in %d ms from %d on", n, d, from)
			}
		}
	}
	// Judged between the first and the last admission, however long the processes took to start.
	windows := float64(admitted[len(admitted)-1]-admitted[0]) / float64(W)
	if least := 0.9 * float64(L) * windows; float64(len(admitted)) < least {
		t.Errorf("%d were admitted in %.1f windows, want at least %.0f", len(admitted), windows, least)
	}
}
