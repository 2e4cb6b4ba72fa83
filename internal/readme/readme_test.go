// Package readme compiles the Go code in the documentation.
//
// Every block that is fenced as go is compiled by itself, in this module. It is one of these:
//
//   - a file, which begins with a package clause;
//   - declarations;
//   - statements, which become the body of a function.
//
// The latter two may begin with imports, but need not: packages in the list imports are imported where they are named,
// and names in the list given are there, such as limiter and mux, unless the block declares them. So documentation shows
// what it is about, and what it shows is code. Anything else is to be fenced as text.
package readme

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/internal/gocmd"
)

func TestGoCodeInTheDocumentationCompiles(t *testing.T) {
	root := gocmd.Root(t)
	var all []block
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := blocks(file, string(text))
			if len(found) == 0 && filepath.Base(file) == "README.md" && filepath.Dir(file) == root {
				t.Errorf("%s has no Go code", file)
			}
			all = append(all, found...)
		}
	}
	if err := build(t, root, all); err != nil {
		t.Error(err)
	}
}

func TestBlocksOfEachFormCompile(t *testing.T) {
	root := gocmd.Root(t)
	for name, code := range map[string]string{
		"a file":                       "package main\n\nfunc main() {}",
		"declarations":                 "type plan struct{ limits core.Limits }\n\nfunc (p plan) none() bool { return p.limits == nil }",
		"statements":                   "for range 3 {\n\tfmt.Println(time.Now())\n}",
		"a variable that none uses":    "limit := core.PerMinute(5) // five",
		"several, over several lines":  "a, err := core.New(\n\tstore,\n)\nvar b, c = 1, 2",
		"a name that is given":         "_, _ = limiter.Allow(ctx, \"alice\")",
		"a given name declared again":  "var limiter = core.PerMinute(5).Requests + 1",
		"a package that the list has":  "var _ http.Handler = mux",
		"imports, and declarations":    "import \"strconv\"\n\nvar n = strconv.Itoa(1)",
		"imports, and statements":      "import (\n\t\"strconv\"\n)\n\nn := strconv.Itoa(1)",
		"another package of that name": "import log \"math\"\n\nx := log.Sqrt2",
	} {
		t.Run(name, func(t *testing.T) {
			if err := build(t, root, blocks("doc.md", "```go\n"+code+"\n```\n")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAFaultIsNamedByItsLine(t *testing.T) {
	root := gocmd.Root(t)
	doc := filepath.Join(root, "doc.md")
	for name, code := range map[string]string{
		"a type error in statements":   "limit := core.PerMinute(5)\nlimit.Fly()",
		"a type error in declarations": "var limit = core.PerMinute(5)\nvar _ = limit.Fly()",
		"a type error in a file":       "package main\nfunc main() { fly() }",
		"a type error after imports":   "import (\n\"strconv\"); strconv.Fly()",
		"a syntax error":               "limit := core.PerMinute(5)\nlimit limit",
		"an unknown name":              "limit := core.PerMinute(5)\nfly(limit)",
	} {
		t.Run(name, func(t *testing.T) {
			err := build(t, root, blocks(doc, "# Title\n\n  ```go\n"+code+"\n```\n"))
			if err == nil || !strings.Contains(err.Error(), "doc.md:5:") {
				t.Errorf("got %v, want an error at doc.md:5", err)
			}
		})
	}
}

// build compiles the blocks as packages that are only in an overlay, so that nothing is written into the module.
func build(t *testing.T, root string, all []block) error {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	var errs []error
	for i, b := range all {
		source, err := b.source()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, "internal", "readme", "blocks", fmt.Sprint(i), "block.go")] = file
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", os.DevNull, "-overlay", file, "./internal/readme/blocks/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
