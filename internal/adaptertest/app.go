package adaptertest

import (
	"fmt"
	"io"
	"net/http"

	"github.com/slidegate/slidegate/nethttp"
)

// routes are what the application of the scenarios answers; those below mounted are mounted there.
var routes = []struct{ method, pattern string }{
	{"GET", "/"},
	{"GET", "/login"},
	{"POST", "/login"},
	{"GET", "/hello"},
	{"HEAD", "/probe"},
	{"OPTIONS", "/hello"},
	{"GET", "/users/{id}"},
	{"GET", "/users/{id}/posts"},
	{"POST", "/users/{id}/posts"},
	{"GET", "/files/{path...}"},
	{"GET", "/healthz"},
}

var mounted = []struct{ method, pattern string }{
	{"GET", "/items"},
	{"POST", "/items"},
	{"GET", "/items/{id}"},
}

const mountPoint = "/api"

// build puts the application on r, behind root, and what is mounted also behind mount.
func build(r Router, root, mount []nethttp.Guard) {
	for _, g := range root {
		r.Use(g)
	}
	for _, rt := range routes {
		r.Handle(rt.method, rt.pattern, answer(rt.method+" "+rt.pattern))
	}
	r.Handle("GET", "/panic", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r.Handle("GET", "/fail", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no coffee", http.StatusTeapot) })
	r.Handle("GET", "/result", result)
	r.Handle("GET", "/flush", flush)
	r.Handle("GET", "/hijack", hijack)
	r.Mount(mountPoint, func(sub Router) {
		for _, g := range mount {
			sub.Use(g)
		}
		for _, rt := range mounted {
			sub.Handle(rt.method, rt.pattern, answer(rt.method+" "+mountPoint+rt.pattern))
		}
	})
}

// answer says which handler was reached.
func answer(route string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Reached", route)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "this is "+route+"\n")
	}
}

// result says what the handler can read of the decision.
func result(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	res, ok := nethttp.ResultFrom(r.Context())
	if !ok {
		_, _ = io.WriteString(w, "no result\n")
		return
	}
	_, _ = fmt.Fprintln(w, res)
}

// flush sends its response in two parts, flushed as old and as new programs do it.
func flush(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: 1\n\n")
	w.(http.Flusher).Flush()
	_, _ = io.WriteString(w, "data: 2\n\n")
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
}

// hijack takes the connection over, as a WebSocket does.
func hijack(w http.ResponseWriter, _ *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\n\r\n")
	_ = rw.Flush()
}
