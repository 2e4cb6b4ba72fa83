package ginadapter

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/tablecheck"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// New is middleware that limits each request by limiter, under the key that key finds for it. It is [Wrap] around
// [nethttp.New], which panics if limiter or key is nil.
func New(limiter *core.Limiter, key keyfuncs.Func, opts ...nethttp.Option) gin.HandlerFunc {
	return Wrap(nethttp.New(limiter, key, opts...))
}

// Wrap is middleware that lets g decide about each request, with gin's pattern of its route, c.FullPath(), in r.Pattern. A
// request that matches no route has the pattern "".
//
// A refusal is written, added to c.Errors and ends the chain by c.Abort.
//
// Wrap panics if g is a [nethttp.Routes] with a fault; [Verify] finds more. A nil g refuses every request.
func Wrap(g nethttp.Guard) gin.HandlerFunc {
	tablecheck.Must(g)
	return func(c *gin.Context) {
		c.Request.Pattern = c.FullPath()
		asked := withContext(c)
		r, done, err := nethttp.Begin(g, c.Writer.Header(), asked)
		if r != asked {
			c.Request = r // it carries the decision
		}
		switch {
		case err != nil:
			_ = c.Error(err)
			nethttp.Refuse(c.Writer, c.Request, err)
			c.Writer.WriteHeaderNow() // gin holds the status back until a body comes
			c.Abort()
		case done != nil:
			status := http.StatusInternalServerError // of a panic, which passes through
			defer func() { done(status) }()
			c.Next()
			status = c.Writer.Status()
		}
	}
}

type contextKey struct{}

// keyed is whether the program has made a Key. To carry gin's context costs two allocations a request.
var keyed atomic.Bool

var errNoContext = errors.New("ginadapter: the key function was used outside gin, or made while serving")

// Key is a key function that reads gin's own context: a parameter, or what earlier middleware has set. It returns what
// [keyfuncs.Func] says; for no key, return [keyfuncs.ErrNoKey].
//
// Make it when the program starts, not anew for each request. It works behind this package's middleware only, and is an
// error elsewhere. Key panics if f is nil.
func Key(f func(*gin.Context) (string, error)) keyfuncs.Func {
	if f == nil {
		panic("ginadapter: Key: the function is nil")
	}
	keyed.Store(true)
	return func(r *http.Request) (string, error) {
		c, ok := r.Context().Value(contextKey{}).(*gin.Context)
		if !ok {
			return "", errNoContext
		}
		return f(c)
	}
}

// withContext is c.Request, in which a Key can find c if there is one.
func withContext(c *gin.Context) *http.Request {
	if !keyed.Load() {
		return c.Request
	}
	return c.Request.WithContext(context.WithValue(c.Request.Context(), contextKey{}, c))
}

// Verify returns an error that names all entries of table that match no route of engine, and all that its Validate
// finds. Call it when the routes are there: in a test, or before the program serves.
func Verify(engine *gin.Engine, table nethttp.Routes) error {
	known := tablecheck.Router{}
	for _, route := range engine.Routes() {
		known.Add(route.Method, route.Path)
	}
	return known.Verify("ginadapter", table)
}
