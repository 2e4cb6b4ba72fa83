// Package arch keeps the arrows of the module's map: which package must not know of which other, and why.
package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/internal/gocmd"
)

const (
	module    = "github.com/slidegate/slidegate"
	goredis   = "github.com/redis/go-redis/v9"
	miniredis = "github.com/alicebob/miniredis/v2"
	chi       = "github.com/go-chi/chi/v5"
	gin       = "github.com/gin-gonic/gin"
	echo      = "github.com/labstack/echo/v4"
	echo5     = "github.com/labstack/echo/v5"
)

// ban is what some packages must not import. Names without a dot in their first part are the module's own or the
// standard library's; "core/..." is core and all below it, and "shipped" is what users link into their programs.
type ban struct {
	from   []string
	except []string
	to     []string // and all below them
	direct bool     // what from reaches through others is not meant
	why    string
}

var bans = []ban{
	{
		from: []string{"internal/window"}, to: []string{"time", "core", "context"},
		why: "the arithmetic is pure: integers, time as an argument, so that a test can try every millisecond",
	},
	{
		from: []string{"core/..."}, to: []string{"net/http", "nethttp", "keyfuncs", "headers"},
		why: "a limiter serves queues and jobs too; what HTTP makes of a decision is nethttp's",
	},
	{
		from: []string{"core", "nethttp", "headers", "keyfuncs"}, to: []string{"core/memstore", "core/redisstore"},
		why: "a store is an argument; whoever uses one does not link the other",
	},
	{
		from: []string{"headers"}, to: []string{"nethttp", "keyfuncs"},
		why: "a style renders a decision, and knows neither who asked nor who answers",
	},
	{
		from: []string{"keyfuncs"}, to: []string{"core", "nethttp", "headers"},
		why: "who a client is depends on the request alone",
	},
	{
		from: []string{"..."}, except: []string{"core/redisstore"}, to: []string{goredis}, direct: true,
		why: "one package knows the client's habits: retries, time-outs, redirections",
	},
	{
		from: []string{"shipped"}, except: []string{"core/redisstore"}, to: []string{goredis},
		why: "whoever counts in memory links no Redis client",
	},
	{
		from: []string{"core/...", "nethttp", "headers", "keyfuncs"}, to: []string{chi, gin, echo, echo5},
		why: "whoever uses one router links no other",
	},
	{from: []string{"chiadapter"}, to: []string{gin, echo, echo5}, why: "whoever uses chi links no other router"},
	{from: []string{"ginadapter"}, to: []string{chi, echo, echo5}, why: "whoever uses gin links no other router"},
	{from: []string{"echoadapter"}, to: []string{chi, gin, echo5}, why: "whoever uses echo v4 links no other router"},
	{from: []string{"echoadapter/v5"}, to: []string{chi, gin, echo}, why: "whoever uses echo v5 links no other router"},
	{
		from: []string{"shipped"}, to: []string{"testing", miniredis, "pgregory.net/rapid"},
		why: "test flags and test servers have no place in a program",
	},
	{
		from: []string{"shipped"}, to: []string{"log"}, direct: true,
		why: "the library never logs: events carry what there is to know, and the application decides",
	},
}

func TestNoPackageImportsWhatItMustNotKnow(t *testing.T) {
	m := load(t)
	for _, b := range bans {
		from := m.match(b.from, b.except)
		if len(from) == 0 {
			t.Errorf("%q matches no package, so that this is not kept: %s", b.from, b.why)
		}
		for _, to := range b.to {
			to = m.path(to)
			if m[to] == nil {
				t.Errorf("nothing imports %q any more: remove it from the bans, or give its new name", to)
			}
			for _, p := range from {
				if chain := m.chain(p, to, b.direct); chain != nil {
					t.Errorf("%s\n\t%s", strings.Join(chain, "\n\timports "), b.why)
				}
			}
		}
	}
}

func TestAChainOfImportsIsFound(t *testing.T) {
	m := graph{
		"a":       {Imports: []string{"b", "c"}},
		"b":       {Imports: []string{"a", "c/below"}},
		"c":       {Imports: []string{"far"}},
		"c/below": {Imports: []string{"far", "farther"}},
		"far":     {},
	}
	for _, c := range []struct {
		name, from, to string
		direct         bool
		want           string
	}{
		{"what a package names", "a", "b", true, "a b"},
		{"what it names, seen from further off", "a", "b", false, "a b"},
		{"what lies below what is meant", "b", "c", true, "b c/below"},
		{"the shortest", "a", "far", false, "a c far"},
		{"what the package names does, if that is not meant", "a", "far", true, ""},
		{"around a circle", "b", "nowhere", false, ""},
		{"what has that beginning but is another", "c/below", "fa", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(m.chain(c.from, c.to, c.direct), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever counts is told the time. So a test can set it, and a decision is made at one time.
func TestOnlyOneFileAsksTheClock(t *testing.T) {
	m := load(t)
	var asking []string
	for _, path := range m.match([]string{"shipped", "internal/window"}, nil) {
		for _, name := range m[path].GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(m[path].Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := s.X.(*ast.Ident)
				if ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
					asking = append(asking, strings.TrimPrefix(path, module+"/")+"/"+name)
				}
				return true
			})
		}
	}
	if want := []string{"core/clock.go"}; !slices.Equal(asking, want) {
		t.Errorf("these ask the clock: %v, want only %v", asking, want)
	}
}

// graph is all packages that the module's packages and their tests consist of, by import path.
type graph map[string]*pkg

type pkg struct {
	ImportPath, Name, Dir, ForTest string
	GoFiles, Imports               []string
}

func load(t *testing.T) graph {
	t.Helper()
	list := gocmd.Run(t, gocmd.Root(t), "list", "-deps", "-test", "-json=ImportPath,Name,Dir,ForTest,GoFiles,Imports", "./...")
	m := graph{}
	for dec := json.NewDecoder(strings.NewReader(list)); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return m
		case err != nil:
			t.Fatal(err)
		}
		if p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") {
			m[p.ImportPath] = &p
		}
	}
}

// path is the import path of a name in a ban.
func (m graph) path(name string) string {
	if m[module+"/"+name] != nil {
		return module + "/" + name
	}
	return name
}

// match are the module's packages that one of the names means, and none of the exceptions, sorted.
func (m graph) match(names, except []string) (paths []string) {
	means := func(p *pkg, name string) bool {
		rel := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == "shipped" {
			inside := strings.HasPrefix(rel, "internal/") || strings.HasPrefix(rel, "testdata/")
			return !inside && p.Name != "main" && rel != "core/storetest"
		}
		if dir, ok := strings.CutSuffix(name, "..."); ok {
			return strings.HasPrefix(rel+"/", dir)
		}
		return rel == name
	}
	for path, p := range m {
		matches := func(name string) bool { return means(p, name) }
		if strings.HasPrefix(path, module+"/") && slices.ContainsFunc(names, matches) && !slices.ContainsFunc(except, matches) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// chain is the shortest chain of imports from a package to another one or one below it, both included; nil if there is
// none.
func (m graph) chain(from, to string, direct bool) []string {
	seen := map[string]bool{from: true}
	for queue := [][]string{{from}}; len(queue) > 0; queue = queue[1:] {
		chain := queue[0]
		for _, next := range m[chain[len(chain)-1]].Imports {
			longer := append(slices.Clip(chain), next)
			if next == to || strings.HasPrefix(next, to+"/") {
				return longer
			}
			if !direct && !seen[next] && m[next] != nil {
				seen[next] = true
				queue = append(queue, longer)
			}
		}
	}
	return nil
}
