// Command echo limits each client of a server with an echo v4 router.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/memstore"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/echoadapter"
	"github.com/slidegate/slidegate/keyfuncs"
)

func main() {
	addr := flag.String("addr", ":8080", "listen on this `address`")
	redis := flag.String("redis", "", "count in the Redis at this `URL`, such as redis://localhost:6379 (default in this process)")
	flag.Parse()

	limiter := core.MustNew(open(*redis), core.PerMinute(10))

	e := echo.New()
	e.Use(echoadapter.New(limiter, keyfuncs.IP()))
	e.GET("/", func(c echo.Context) error { return c.String(http.StatusOK, "Hello!\n") })
	e.GET("/hello/:name", func(c echo.Context) error {
		return c.String(http.StatusOK, fmt.Sprintf("Hello, %s!\n", c.Param("name")))
	})

	serve(*addr, e)
}

const try = `Listening on URL. Twelve requests, of which ten are admitted:

  curl -s -o /dev/null -w "%{http_code} %header{x-ratelimit-remaining} %header{retry-after}\n" "URL/?[1-12]"`

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
