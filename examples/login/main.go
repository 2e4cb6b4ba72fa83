// Command login limits tries to log in by two limits, and refuses them all while it cannot count.
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

	store := open(*redis)
	login := core.MustNew(store, core.Name("login"), core.PerMinute(5), core.PerHour(20), core.FailClosed)
	rest := core.MustNew(store, core.Name("rest"), core.PerMinute(10))
	table := nethttp.Routes{
		"POST /login": nethttp.New(login, keyfuncs.IP()),
		"/healthz":    nethttp.Unlimited,
		"*":           nethttp.New(rest, keyfuncs.IP()),
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Hello!") })
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "wrong password", http.StatusUnauthorized)
	})

	serve(*addr, table.Handler(mux))
}

const try = `Listening on URL. Seven passwords, of which five may be tried:

  curl -s -o /dev/null -w "%{http_code} %header{x-ratelimit-remaining} %header{retry-after}\n" "URL/login?[1-7]" -X POST

With -redis, stop Redis and try again: POST /login is 503, and GET / is still 200.`

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
