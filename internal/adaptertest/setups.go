package adaptertest

import (
	"errors"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// env is what a setup is made of.
type env struct {
	store   *store
	pattern func(string) string // a pattern in the router's notation
}

func (e env) limiter(opts ...core.Option) *core.Limiter { return core.MustNew(e.store, opts...) }

// byKey is a guard that counts by the header X-Api-Key.
func (e env) byKey(limits core.Option, opts ...nethttp.Option) nethttp.Guard {
	return nethttp.New(e.limiter(limits), keyfuncs.APIKey("X-Api-Key"), opts...)
}

// routes is a table whose patterns are in the notation of net/http.
func (e env) routes(table nethttp.Routes) nethttp.Routes {
	native := nethttp.Routes{}
	for key, g := range table {
		native[e.pattern(key)] = g
	}
	return native
}

// setups are the guards that a scenario can name, of the whole application and of what is mounted.
var setups = map[string]func(env) (root, mount []nethttp.Guard){
	"two a minute by key": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(2))}, nil
	},
	"two a minute by address": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{nethttp.New(e.limiter(core.PerMinute(2)), keyfuncs.IP())}, nil
	},
	"one a minute by route": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{nethttp.New(e.limiter(core.PerMinute(1)), keyfuncs.Route())}, nil
	},
	"draft 11, two limits": func(e env) (root, mount []nethttp.Guard) {
		limiter := e.limiter(core.Name("api"), core.PerSecond(2), core.PerHour(3))
		return []nethttp.Guard{nethttp.New(limiter, keyfuncs.Const("all"), nethttp.Headers(headers.Draft11))}, nil
	},
	"no headers": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(1), nethttp.Headers(headers.None))}, nil
	},
	"fails open": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(2))}, nil
	},
	"fails closed": func(e env) (root, mount []nethttp.Guard) {
		limiter := e.limiter(core.Name("login"), core.PerMinute(2), core.FailClosed)
		return []nethttp.Guard{nethttp.New(limiter, keyfuncs.Const("all"))}, nil
	},
	"no key is 401": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(2), nethttp.NoKey(http.StatusUnauthorized))}, nil
	},
	"no key is 403": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(2), nethttp.NoKey(http.StatusForbidden))}, nil
	},
	"a key function that fails": func(e env) (root, mount []nethttp.Guard) {
		key := func(*http.Request) (string, error) {
			return "", errors.New("dial tcp 192.0.2.1:5432: connection refused")
		}
		return []nethttp.Guard{nethttp.New(e.limiter(core.PerMinute(2)), key)}, nil
	},
	"cost from a header": func(e env) (root, mount []nethttp.Guard) {
		cost := nethttp.Cost(func(r *http.Request) int64 { return int64(len(r.Header.Get("X-Cost"))) })
		return []nethttp.Guard{e.byKey(core.PerMinute(10), cost)}, nil
	},
	"limits from a record": func(e env) (root, mount []nethttp.Guard) {
		limits := nethttp.Limits(func(r *http.Request) core.Limits {
			if r.Header.Get("X-Plan") == "pro" {
				return core.Limits{core.PerMinute(3)}
			}
			return core.Limits{core.PerMinute(1)}
		})
		return []nethttp.Guard{e.byKey(core.PerMinute(1), limits)}, nil
	},
	"skips preflights": func(e env) (root, mount []nethttp.Guard) {
		skip := nethttp.Skip(func(r *http.Request) bool {
			return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
		})
		return []nethttp.Guard{e.byKey(core.PerMinute(1), skip)}, nil
	},
	"a refusal of one's own": func(e env) (root, mount []nethttp.Guard) {
		deny := nethttp.Deny(func(w http.ResponseWriter, _ *http.Request, d *nethttp.Denial) {
			http.Error(w, "slow down", d.StatusCode())
		})
		return []nethttp.Guard{e.byKey(core.PerMinute(1), deny)}, nil
	},
	"shares the result": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.byKey(core.PerMinute(2), nethttp.ShareResult())}, nil
	},
	"tiers": func(e env) (root, mount []nethttp.Guard) {
		free, pro := e.limiter(core.Name("plan"), core.PerMinute(1)), e.limiter(core.Name("plan"), core.PerMinute(3))
		key := keyfuncs.APIKey("X-Api-Key")
		tiers := map[string]nethttp.Guard{"free": nethttp.New(free, key), "pro": nethttp.New(pro, key), "staff": nethttp.Unlimited}
		return []nethttp.Guard{nethttp.Choose(func(r *http.Request) nethttp.Guard { return tiers[r.Header.Get("X-Plan")] })}, nil
	},
	"a table": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{e.table()}, nil
	},
	"stacked": func(e env) (root, mount []nethttp.Guard) {
		all := nethttp.New(e.limiter(core.Name("all"), core.PerMinute(3)), keyfuncs.Const("all"))
		key := nethttp.New(e.limiter(core.Name("key"), core.PerHour(2)), keyfuncs.APIKey("X-Api-Key"))
		return []nethttp.Guard{all, key}, nil
	},
	"stacked, draft 11": func(e env) (root, mount []nethttp.Guard) {
		all := nethttp.New(e.limiter(core.Name("all"), core.PerMinute(3)), keyfuncs.Const("all"), nethttp.Headers(headers.Draft11))
		key := nethttp.New(e.limiter(core.Name("items"), core.PerHour(2)), keyfuncs.Route(), nethttp.Headers(headers.Draft11))
		return []nethttp.Guard{all}, []nethttp.Guard{key}
	},
	"a table in the mount": func(e env) (root, mount []nethttp.Guard) {
		return nil, []nethttp.Guard{e.table()}
	},
	"a nil guard": func(e env) (root, mount []nethttp.Guard) {
		return []nethttp.Guard{nil}, nil
	},
}

// table gives each kind of table key a limiter of its own.
func (e env) table() nethttp.Routes {
	guard := func(name string, limit core.Limit) nethttp.Guard {
		return nethttp.New(e.limiter(core.Name(name), limit), keyfuncs.Const("all"))
	}
	return e.routes(nethttp.Routes{
		"POST /login":    guard("login", core.PerMinute(1)),
		"/login":         guard("form", core.PerMinute(20)),
		"GET /hello":     guard("hello", core.PerMinute(30)),
		"/users/{id}":    guard("user", core.PerMinute(40)),
		"HEAD /probe":    guard("probe", core.PerMinute(10)),
		"GET /api/items": guard("items", core.PerMinute(50)),
		"/healthz":       nethttp.Unlimited,
		"*":              guard("rest", core.PerMinute(60)),
	})
}
