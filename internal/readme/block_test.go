package readme

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// imports are the packages that a block may name without importing them.
var imports = []string{
	"context",
	"errors",
	"fmt",
	"log",
	"log/slog",
	"net/http",
	"net/netip",
	"os",
	"testing",
	"time",

	"github.com/gin-gonic/gin",
	"github.com/go-chi/chi/v5",
	"github.com/labstack/echo/v4",
	"github.com/redis/go-redis/v9",

	"github.com/slidegate/slidegate/chiadapter",
	"github.com/slidegate/slidegate/core",
	"github.com/slidegate/slidegate/core/memstore",
	"github.com/slidegate/slidegate/core/redisstore",
	"github.com/slidegate/slidegate/core/storetest",
	"github.com/slidegate/slidegate/echoadapter",
	"github.com/slidegate/slidegate/ginadapter",
	"github.com/slidegate/slidegate/headers",
	"github.com/slidegate/slidegate/keyfuncs",
	"github.com/slidegate/slidegate/nethttp",
}

// given are the names that a block may use without declaring them, and their types.
var given = map[string]string{
	"ctx":     "context.Context",
	"mux":     "*http.ServeMux",
	"r":       "*chi.Mux",
	"g":       "*gin.Engine",
	"e":       "*echo.Echo",
	"rdb":     "redis.UniversalClient",
	"store":   "core.Store",
	"limiter": "*core.Limiter",
	"login":   "*core.Limiter",
	"search":  "*core.Limiter",
	"free":    "nethttp.Guard",
	"pro":     "nethttp.Guard",
	"byPlan":  "nethttp.Guard",
	"table":   "nethttp.Routes",
	"user":    "keyfuncs.Func",
	"ip":      "keyfuncs.Func",
}

// block is a fenced block of Go code.
type block struct {
	file string
	line int // of the file, where code begins
	code string
}

// blocks are the blocks of Go code in a Markdown text.
func blocks(file, text string) (found []block) {
	var b *block
	for i, line := range strings.Split(text, "\n") {
		switch fence := strings.TrimSpace(line); {
		case b == nil && fence == "```go":
			b = &block{file: file, line: i + 2}
		case b != nil && fence == "```":
			found = append(found, *b)
			b = nil
		case b != nil:
			b.code += line + "\n"
		}
	}
	return found
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// source is b as a Go file. Its positions are those of the documentation.
func (b block) source() (string, error) {
	if packageClause.MatchString(b.code) {
		return b.position(0) + b.code, nil
	}
	// Imports end where something else begins, and the parser knows where.
	const clause = "package block; "
	head, err := parser.ParseFile(token.NewFileSet(), "", clause+b.code, parser.ImportsOnly)
	if err != nil {
		return "", fmt.Errorf("%s:%d: %w", b.file, b.line, err)
	}
	end := 0
	if n := len(head.Decls); n > 0 {
		end = int(head.Decls[n-1].End()) - int(head.FileStart) - len(clause)
	}
	own := clause + "\n" + b.position(0) + b.code[:end] + "\n"
	body := b.position(end) + b.code[end:]

	fset := token.NewFileSet()
	if file, err := parser.ParseFile(fset, "", clause+"\n"+body, 0); err == nil {
		return own + prelude(head, file) + body, nil
	}
	const open, closing = "func _() {\n", "}\n"
	body = open + body
	file, err := parser.ParseFile(fset, "", clause+"\n"+body+closing, 0)
	if err != nil {
		return "", err
	}
	body = use(body, file, len(clause)+1)
	return own + prelude(head, file) + body + closing, nil
}

// position is the directive that says where the rest of b.code, from an offset on, stands in the documentation.
func (b block) position(offset int) string {
	before := b.code[:offset]
	column := offset - strings.LastIndex(before, "\n")
	return fmt.Sprintf("//line %s:%d:%d\n", b.file, b.line+strings.Count(before, "\n"), column)
}

// use has the variables that the statements of file's only function declare be used, behind their declaration; the
// documentation need not do more than show them. The source begins at an offset of the file.
func use(source string, file *ast.File, offset int) string {
	statements := file.Decls[0].(*ast.FuncDecl).Body.List
	for _, s := range slices.Backward(statements) {
		var vars []string
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, e := range s.Lhs {
					vars = append(vars, e.(*ast.Ident).Name)
				}
			}
		case *ast.DeclStmt:
			if d := s.Decl.(*ast.GenDecl); d.Tok == token.VAR {
				vars = names(d)
			}
		}
		end := int(s.End()-file.FileStart) - offset
		for _, name := range vars {
			if name != "_" {
				source = source[:end] + "; _ = " + name + source[end:]
			}
		}
	}
	return source
}

// prelude imports and declares what file uses from the lists, and does not import, which is in head, or declare itself.
func prelude(head, file *ast.File) string {
	own := map[string]bool{}
	for _, s := range head.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		own[packageName(p)] = true
		if s.Name != nil {
			own[s.Name.Name] = true
		}
	}
	for _, d := range file.Decls {
		for _, name := range names(d) {
			own[name] = true
		}
	}

	var text strings.Builder
	packages := map[string]bool{} // that are named
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				packages[x.Name] = true
			}
		case *ast.Ident:
			if typ, ok := given[n.Name]; ok && !own[n.Name] {
				own[n.Name] = true
				fmt.Fprintf(&text, "var %s %s\n", n.Name, typ)
				pkg, _, _ := strings.Cut(strings.TrimPrefix(typ, "*"), ".")
				packages[pkg] = true
			}
		}
		return true
	})
	var lines string
	for _, p := range imports {
		if name := packageName(p); packages[name] && !own[name] {
			lines += fmt.Sprintf("import %s %q\n", name, p)
		}
	}
	return lines + text.String()
}

// names are what a declaration declares.
func names(d ast.Decl) (all []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			all = append(all, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					all = append(all, id.Name)
				}
			}
		}
	}
	return all
}

var version = regexp.MustCompile(`/v\d+$`)

// packageName is the name of a package by its path: go-redis is redis.
func packageName(p string) string {
	return strings.TrimPrefix(path.Base(version.ReplaceAllString(p, "")), "go-")
}
