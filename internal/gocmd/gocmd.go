// Package gocmd runs the go command for tests that are about the source of this module.
package gocmd

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Root is the directory of this module.
//
// Reading it makes every file of the module an input of the calling test. What the go command reads is otherwise unseen
// by go test, which would answer from its cache although the source has changed.
func Root(t testing.TB) string {
	t.Helper()
	root := filepath.Dir(strings.TrimSpace(Run(t, ".", "env", "GOMOD")))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // another test's directory, gone again
		case err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Run runs the go command in dir and returns what it prints. If it fails, so does the test, with its complaint.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}
