package echoadapter

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/labstack/echo/v5"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/internal/tablecheck"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// New is middleware that limits each request by limiter, under the key that key finds for it. It is [Wrap] around
// [nethttp.New], which panics if limiter or key is nil.
func New(limiter *core.Limiter, key keyfuncs.Func, opts ...nethttp.Option) echo.MiddlewareFunc {
	return Wrap(nethttp.New(limiter, key, opts...))
}

// Wrap is middleware that lets g decide about each request, with echo's pattern of its route, c.Path(), in r.Pattern. A
// request that matches no route has the pattern "". It writes a refusal itself; see [Return].
//
// Wrap panics if g is a [nethttp.Routes] with a fault; [Verify] finds more. A nil g refuses every request.
func Wrap(g nethttp.Guard) echo.MiddlewareFunc {
	return middleware(g, func(c *echo.Context, err error) error {
		nethttp.Refuse(c.Response(), c.Request(), err)
		return nil
	})
}

// Return is [Wrap] for applications that render all errors in one place: it returns a refusal to echo's HTTPErrorHandler,
// as the [*nethttp.Denial] that it is, an [echo.HTTPStatusCoder]. The headers about limits, and Retry-After, are set by
// then. The rest is the error handler's: what
// [nethttp.Deny] says, Cache-Control, and with 401 WWW-Authenticate.
func Return(g nethttp.Guard) echo.MiddlewareFunc {
	return middleware(g, func(_ *echo.Context, err error) error { return err })
}

func middleware(g nethttp.Guard, refuse func(*echo.Context, error) error) echo.MiddlewareFunc {
	tablecheck.Must(g)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) (err error) {
			c.Request().Pattern = pattern(c)
			asked := withContext(c)
			r, done, err := nethttp.Begin(g, c.Response().Header(), asked)
			if r != asked {
				c.SetRequest(r) // it carries the decision
			}
			if err != nil {
				return refuse(c, err)
			}
			if done == nil {
				return next(c)
			}
			status := http.StatusInternalServerError // of a panic, which passes through
			defer func() { done(status) }()
			err = next(c)
			_, status = echo.ResolveResponseStatus(c.Response(), err)
			return err
		}
	}
}

// pattern is the pattern of the route that echo has found for c; "" if it has found none. c.Path() is not that: for 405
// it is the pattern of the other methods, and for 404 in a group with middleware it is the group's own "/group/*".
func pattern(c *echo.Context) string {
	switch route := c.RouteInfo(); route.Method {
	case "", echo.RouteNotFound:
		return ""
	default:
		return c.Path()
	}
}

type contextKey struct{}

// keyed is whether the program has made a Key. To carry echo's context costs two allocations a request.
var keyed atomic.Bool

var errNoContext = errors.New("echoadapter: the key function was used outside echo, or made while serving")

// Key is a key function that reads echo's own context: a parameter, or what earlier middleware has set. It returns what
// [keyfuncs.Func] says; for no key, return [keyfuncs.ErrNoKey].
//
// Make it when the program starts, not anew for each request. It works behind this package's middleware only, and is an
// error elsewhere. Key panics if f is nil.
func Key(f func(*echo.Context) (string, error)) keyfuncs.Func {
	if f == nil {
		panic("echoadapter: Key: the function is nil")
	}
	keyed.Store(true)
	return func(r *http.Request) (string, error) {
		c, ok := r.Context().Value(contextKey{}).(*echo.Context)
		if !ok {
			return "", errNoContext
		}
		return f(c)
	}
}

// withContext is c.Request(), in which a Key can find c if there is one.
func withContext(c *echo.Context) *http.Request {
	r := c.Request()
	if !keyed.Load() {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, c))
}

// Verify returns an error that names all entries of table that match no route of e, and all that its Validate finds. Call
// it when the routes are there: in a test, or before the program serves.
func Verify(e *echo.Echo, table nethttp.Routes) error {
	known := tablecheck.Router{}
	for _, route := range e.Router().Routes() {
		path := "/" + strings.TrimPrefix(route.Path, "/") // as echo serves it, though its list has it as it was written
		switch route.Method {
		case echo.RouteNotFound:
			continue
		case echo.RouteAny:
			known.Add(tablecheck.AnyMethod, path)
		case http.MethodGet:
			known.Add(http.MethodHead, path) // RouterConfig.AutoHandleHEAD
			fallthrough
		default:
			known.Add(route.Method, path)
		}
	}
	return known.Verify("echoadapter", table)
}
