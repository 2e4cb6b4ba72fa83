package headers_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/headers"
	"pgregory.net/rapid"
)

// item is a member of either field, as a strict reader of the draft sees it. What is absent is -1.
type item struct {
	name       string
	q, w, r, t int64
}

// parsePolicy reads RateLimit-Policy as section 3 of the draft has it.
func parsePolicy(lines []string) ([]item, error) { return parse(lines, "q", "w", 1) }

// parseRateLimit reads RateLimit as section 4 of the draft has it.
func parseRateLimit(lines []string) ([]item, error) { return parse(lines, "r", "t", 0) }

func parse(lines []string, required, optional string, least int64) ([]item, error) {
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the list is empty")
	}
	var items []item
	for _, member := range list {
		m, ok := member.(httpsfv.Item)
		if !ok {
			return nil, fmt.Errorf("%v is no item", member)
		}
		it := item{q: -1, w: -1, r: -1, t: -1}
		if it.name, ok = m.Value.(string); !ok {
			return nil, fmt.Errorf("%v is no string", m.Value)
		}
		into := map[string]*int64{"q": &it.q, "w": &it.w, "r": &it.r, "t": &it.t}
		for _, name := range m.Params.Names() {
			v, _ := m.Params.Get(name)
			switch name {
			case required, optional:
				n, ok := v.(int64)
				if !ok || n < 0 || name == optional && n < least {
					return nil, fmt.Errorf("%s is %v", name, v)
				}
				*into[name] = n
			case "qu":
				if _, ok := v.(string); !ok {
					return nil, fmt.Errorf("qu is %v", v)
				}
			case "pk":
				if _, ok := v.([]byte); !ok {
					return nil, fmt.Errorf("pk is %v", v)
				}
			}
		}
		if *into[required] < 0 {
			return nil, fmt.Errorf("%q has no %s", it.name, required)
		}
		items = append(items, it)
	}
	return items, nil
}

// canonical fails unless lines are as the library would write them.
func canonical(t interface{ Fatalf(string, ...any) }, lines []string) {
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	if want, err := httpsfv.Marshal(list); err != nil || len(lines) != 1 || lines[0] != want {
		t.Fatalf("%q is not canonical, want %q, %v", lines, want, err)
	}
}

// What a strict reader of the draft must reject: that our reader does makes the other tests worth something.
func TestTheReaderOfTheseTestsIsStrict(t *testing.T) {
	for _, line := range []string{
		`default;q=100`, `"default";w=60`, `"p";q=-1`, `"p";q=1.5`, `"p";q=100;w=0`, `"p";q=100;w=1.5`, `"p";q="100"`,
		`"p";q=1000000000000000`, `"pé";q=1`, `"p";q=1;pk=abc`, `"p";q=1;pk=:a-_b:`, `"p";q=1,`, ``, `"p";Q=1`,
		`"p";q=1;qu=requests`, `("p");q=1`,
	} {
		if got, err := parsePolicy([]string{line}); err == nil {
			t.Errorf("RateLimit-Policy: %s is read as %v, want an error", line, got)
		}
	}
}

func TestDraft11(t *testing.T) {
	for _, test := range []struct {
		name   string
		res    core.Result
		policy string
		limit  string
	}{
		{"allowed: t is the time until all is back", allowed, `"default";q=100;w=60`, `"default";r=42;t=85`},
		{"refused: t is the wait", refused, `"default";q=100;w=60`, `"default";r=3;t=13`},
		{"never: the policy alone", never, `"default";q=100;w=60`, ``},
		{"admitted without the store: the policy alone", failOpen, `"default";q=100;w=60`, ``},
		{"refused without the store: the policy alone", closed, `"default";q=100;w=60`, ``},
		{"untouched: the policy again", core.Result{Allowed: true, Policy: "a", Limit: core.PerMinute(100), Remaining: 100},
			`"a";q=100;w=60`, `"a";r=100;t=60`},
		{"the end of a fixed window is no invitation to a burst",
			core.Result{Allowed: true, Policy: "a", Limit: core.Per(10_000, 1000*time.Second), Remaining: 9_999,
				ResetAfter: 10 * time.Second},
			`"a";q=10000;w=1000`, `"a";r=9999;t=1000`},
		{"nothing left: t is the reset", core.Result{Allowed: true, Policy: "a", Limit: core.PerDay(2),
			ResetAfter: 30*time.Hour + 1}, `"a";q=2;w=86400`, `"a";r=0;t=108001`},
		{"a window of less than a second is one of a second",
			core.Result{Allowed: true, Policy: "a", Limit: core.Per(10, 500*time.Millisecond), Remaining: 9,
				ResetAfter: 900 * time.Millisecond},
			`"a";q=10;w=1`, `"a";r=9;t=1`},
		{"a window of one and a half is one of two", core.Result{Allowed: true, Policy: "a",
			Limit: core.Per(10, 1500*time.Millisecond), Remaining: 6}, `"a";q=10;w=2`, `"a";r=6;t=2`},
		{"a refusal of a millisecond", core.Result{Policy: "a", Limit: core.PerSecond(1), RetryAfter: time.Millisecond},
			`"a";q=1;w=1`, `"a";r=0;t=1`},
		{"a foreign name is escaped", core.Result{Allowed: true, Policy: `a"b\c`, Limit: core.PerSecond(1), Remaining: 1},
			`"a\"b\\c";q=1;w=1`, `"a\"b\\c";r=1;t=1`},
		{"a foreign name that no field can hold", core.Result{Allowed: true, Policy: "a\r\nb", Limit: core.PerSecond(1)},
			``, ``},
		{"a foreign name with a DEL", core.Result{Allowed: true, Policy: "a\x7f", Limit: core.PerSecond(1)}, ``, ``},
		{"a foreign name that is not ASCII", core.Result{Allowed: true, Policy: "pé", Limit: core.PerSecond(1)}, ``, ``},
		{"foreign numbers out of range", core.Result{Allowed: true, Policy: "a", Limit: core.Per(1<<62, 0), Remaining: -5},
			`"a";q=999999999999999;w=1`, `"a";r=0`},
		{"foreign zeros", core.Result{Allowed: true, Policy: "a"}, `"a";q=0;w=1`, `"a";r=0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := write(test.res, headers.Draft11)
			var want []string
			if test.policy != "" {
				want = append(want, "Ratelimit-Policy: "+test.policy)
				canonical(t, h["Ratelimit-Policy"])
				if _, err := parsePolicy(h["Ratelimit-Policy"]); err != nil {
					t.Error(err)
				}
			}
			if test.limit != "" {
				want = append(want, "Ratelimit: "+test.limit)
				canonical(t, h["Ratelimit"])
				if _, err := parseRateLimit(h["Ratelimit"]); err != nil {
					t.Error(err)
				}
			}
			check(t, h, want...)
		})
	}
}

func TestDraft11TellsOfEveryLimit(t *testing.T) {
	for _, test := range []struct {
		name  string
		cost  int64
		of    []core.State
		limit string
	}{
		{"allowed", 1, []core.State{{Count: 1, Elapsed: 25_000}, {Count: 1, Elapsed: 1_000_000}},
			`"login-1m";r=3;t=95, "login-1h";r=18;t=6200`},
		{"refused by one: only that has a t", 1, []core.State{{Count: 5, Elapsed: 25_000}, {Count: 5, Elapsed: 1_000_000}},
			`"login-1m";r=0;t=47, "login-1h";r=15`},
		{"refused by both", 2, []core.State{{Count: 4, Elapsed: 25_000}, {Count: 20, Elapsed: 1_000_000}},
			`"login-1m";r=1;t=50, "login-1h";r=0;t=2960`},
		{"never", 6, nil, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			limiter := core.MustNew(states{at: at, of: test.of}, core.Name("login"), core.PerMinute(5), core.PerHour(20))
			res, err := limiter.AllowN(context.Background(), "key", test.cost)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{`Ratelimit-Policy: "login-1m";q=5;w=60, "login-1h";q=20;w=3600`}
			if test.limit != "" {
				want = append(want, "Ratelimit: "+test.limit)
			}
			check(t, write(res, headers.Draft11), want...)
		})
	}
}

// For every decision there is: the fields parse, they say what the result says, a client that obeys them is never
// early nor invited to more than the policy, and Retry-After is never before the end of an effective window.
func TestDraft11IsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		res := drawResult(t)
		h := write(res, headers.Draft11)
		headers.RetryAfter(h, res)
		canonical(t, h["Ratelimit-Policy"])
		canonical(t, h["Ratelimit"])
		policies, err := parsePolicy(h["Ratelimit-Policy"])
		if err != nil {
			t.Fatal(err)
		}
		limits, err := parseRateLimit(h["Ratelimit"])
		if err != nil {
			t.Fatal(err)
		}
		quotas := res.Quotas()
		if len(policies) != len(quotas) || len(limits) != len(quotas) {
			t.Fatalf("%d quotas are told as %v and %v", len(quotas), policies, limits)
		}
		for i, q := range quotas {
			p, l := policies[i], limits[i]
			if p.name != q.Name || l.name != q.Name || p.q != q.Limit.Requests || l.r != q.Remaining {
				t.Fatalf("%+v is told as %+v and %+v", q, p, l)
			}
			if w := time.Duration(p.w) * time.Second; w < q.Limit.Window || w >= q.Limit.Window+time.Second {
				t.Fatalf("w=%d for a window of %v", p.w, q.Limit.Window)
			}
			end := time.Duration(l.t) * time.Second
			switch {
			case res.Allowed && (end < q.ResetAfter || l.r*p.w > l.t*p.q):
				t.Fatalf("t=%d for %+v of %+v is early or invites a burst", l.t, l, q)
			case !res.Allowed && q.RetryAfter == 0 && l.t != -1:
				t.Fatalf("t=%d for a limit that does not refuse", l.t)
			case !res.Allowed && q.RetryAfter > 0:
				retry, _ := strconv.ParseInt(h.Get("Retry-After"), 10, 64)
				if end < q.RetryAfter || l.t < 1 || retry < l.t {
					t.Fatalf("t=%d and Retry-After %d for a wait of %v", l.t, retry, q.RetryAfter)
				}
			}
		}
	})
}

func FuzzDraft11Names(f *testing.F) {
	f.Add("default")
	f.Add(`a"b\c`)
	f.Add("a\r\nSet-Cookie: b")
	f.Fuzz(func(t *testing.T, name string) {
		res := allowed
		res.Policy = name
		h := write(res, headers.Draft11)
		if len(h) == 0 {
			if _, err := httpsfv.Marshal(httpsfv.NewItem(name)); err == nil && name != "" {
				t.Fatalf("nothing was written for %q, which a structured field can hold", name)
			}
			return
		}
		canonical(t, h["Ratelimit-Policy"])
		canonical(t, h["Ratelimit"])
		if got, err := parsePolicy(h["Ratelimit-Policy"]); err != nil || len(got) != 1 || got[0].name != name {
			t.Fatalf("%q is read as %v, %v", name, got, err)
		}
	})
}

// The lists of the draft's own examples, which others may have written before us.
func TestDraft11JoinsListsOfOthers(t *testing.T) {
	for _, present := range [][]string{
		{`"burst";q=100;w=60,"daily";q=1000;w=86400`},
		{`"permin";q=50;w=60,"perhr";q=1000;w=3600`},
		{`"peruser";q=100;w=60;pk=:cHsdsRa894==:`},
		{`"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:`},
		{`"sliding";q=100;w=60;burst=1000`, `"fixed";q=5000;w=3600;burst=0`},
		{`"default";q=100;w=600`},
		{`"not-default";q=100;w=60`},
		{``, `"day";q=5000;w=86400`, ` `},
	} {
		t.Run(strings.Join(present, "|"), func(t *testing.T) {
			blank := func(s string) bool { return strings.TrimSpace(s) == "" }
			before, err := parsePolicy(slices.DeleteFunc(slices.Clone(present), blank))
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{"Ratelimit-Policy": slices.Clone(present)}
			headers.Draft11.Write(h, allowed)
			after, err := parsePolicy(h["Ratelimit-Policy"])
			if err != nil {
				t.Fatal(err)
			}
			if want := append(before, item{"default", 100, 60, -1, -1}); !slices.Equal(after, want) {
				t.Errorf("the list is %v, want %v", after, want)
			}
			if n := len(h["Ratelimit-Policy"]); n != 1 {
				t.Errorf("%d lines, want all in the one that clients read", n)
			}
		})
	}
}

func TestDraft11EmptyListOfOthersIsNone(t *testing.T) {
	h := http.Header{"Ratelimit-Policy": {""}, "Ratelimit": {" "}}
	headers.Draft11.Write(h, allowed)
	check(t, h, `Ratelimit-Policy: "default";q=100;w=60`, `Ratelimit: "default";r=42;t=85`)
}

func TestDraft11StackedLimiters(t *testing.T) {
	global, login := allowed, refused
	global.Policy, global.Limit = "global", core.PerHour(1000)
	h := write(global, headers.Draft11)
	headers.Draft11.Write(h, login)
	check(t, h, `Ratelimit-Policy: "global";q=1000;w=3600, "default";q=100;w=60`,
		`Ratelimit: "global";r=42;t=152, "default";r=3;t=13`)
}

// One limiter that is charged twice for a request, as when it stands before all routes and before one.
func TestDraft11OnePolicyIsNotRepeated(t *testing.T) {
	again := allowed
	again.Remaining--
	h := write(allowed, headers.Draft11)
	headers.Draft11.Write(h, again)
	check(t, h, `Ratelimit-Policy: "default";q=100;w=60`, `Ratelimit: "default";r=42;t=85, "default";r=41;t=85`)

	other := allowed
	other.Limit = core.Per(100, 6*time.Second) // its item is a prefix of what is there: ;w=6 of ;w=60
	headers.Draft11.Write(h, other)
	if got, want := h.Get("RateLimit-Policy"), `"default";q=100;w=60, "default";q=100;w=6`; got != want {
		t.Errorf("RateLimit-Policy is %s, want %s", got, want)
	}
}

func TestDraft11Allocations(t *testing.T) {
	h := http.Header{}
	if n := testing.AllocsPerRun(100, func() {
		clear(h)
		headers.Draft11.Write(h, allowed)
	}); n > 3 {
		t.Errorf("%v allocations, want at most 3: the quotas, the values and their slices", n)
	}
}
