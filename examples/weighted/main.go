// Command weighted charges what a request costs: an export as much as five others, of one budget.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func main() {
	addr := flag.String("addr", ":8080", "listen on this `address`")
	redis := flag.String("redis", "", "count in the Redis at this `URL`, such as redis://localhost:6379 (default in this process)")
	flag.Parse()

	limiter := core.MustNew(open(*redis), core.PerMinute(10))
	table := nethttp.Routes{
		"GET /export": nethttp.New(limiter, keyfuncs.IP(), nethttp.Cost(func(*http.Request) int64 { return 5 })),
		"*":           nethttp.New(limiter, keyfuncs.IP()),
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Hello!") })
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "A great deal.") })

	serve(*addr, table.Handler(mux))
}

const try = `Listening on URL. Three exports, of which two are admitted, since one costs 5 of 10:

  curl -s -o /dev/null -w "%{http_code} %header{x-ratelimit-remaining} %header{retry-after}\n" "URL/export?[1-3]"`

// open is where to count: in this process, or in a Redis for all processes that share it.
func open(url string) core.Store {
	if url == "" {
		return memstore.New()
	}
	store, err := redisstore.Open(url)
	if err != nil {
		log.Fatal(err)
	}
	return store
}

// serve says what to try, and serves.
func serve(addr string, h http.Handler) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	url := fmt.Sprintf("http://localhost:%d", l.Addr().(*net.TCPAddr).Port)
	fmt.Println(strings.ReplaceAll(try, "URL", url))
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(l))
}
