//go:build linux

package clib

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// compiler is a C compiler that writes its arguments into a log, and its sources into
// the library.
type compiler struct {
	*testing.T
	path string
	log  string
}

// newCompiler makes a compiler, CC of the environment, and an empty cache.
func newCompiler(t *testing.T) *compiler {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CFLAGS", "")
	dir := t.TempDir()
	c := &compiler{T: t, path: filepath.Join(dir, "cc"), log: filepath.Join(dir, "log")}
	c.install("1.0")
	t.Setenv("CC", c.path)
	return c
}

func (c *compiler) install(version string) {
	c.Helper()
	script := fmt.Sprintf(`#!/bin/sh
[ "$1" = --version ] && { echo cc %s; exit; }
echo "$@" >>%s
while [ "$1" != -o ]; do shift; done
out=$2; shift 2
cat "$@" >"$out"
`, version, c.log)
	if err := os.WriteFile(c.path, []byte(script), 0o777); err != nil {
		c.Fatal(err)
	}
}

// compiled returns how many times it has compiled.
func (c *compiler) compiled() int {
	c.Helper()
	text, err := os.ReadFile(c.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// library returns the path of a library of one source, and checks what is there.
func (c *compiler) library(source string) string {
	c.Helper()
	l := Library{Name: "one", Sources: fstest.MapFS{"sub/one.c": {Data: []byte(source)}}, Compile: []string{"sub/one.c"}}
	path, err := l.Path()
	if err != nil {
		c.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != source {
		c.Errorf("the library is %q (%v), want %q", text, err, source)
	}
	return path
}

func TestALibraryIsCompiledOnce(t *testing.T) {
	c := newCompiler(t)
	want := func(n int, why string) {
		t.Helper()
		c.library("int x;")
		if got := c.compiled(); got != n {
			t.Fatalf("%s: compiled %d times, want %d", why, got, n)
		}
	}
	want(1, "the first start")
	want(1, "the second")
	c.library("int y;")
	if got := c.compiled(); got != 2 {
		t.Errorf("a changed source: compiled %d times, want 2", got)
	}
	c.install("1.1")
	want(3, "a new version of the compiler")
	t.Setenv("CFLAGS", "-Wall")
	want(4, "another flag")
	t.Setenv("CFLAGS", "")
	want(4, "what was made before")
	other := filepath.Join(t.TempDir(), "cc")
	if err := os.Symlink(c.path, other); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", other)
	want(5, "a compiler of another path")
}

func TestManyThatStartAtOnceCompileOnce(t *testing.T) {
	c := newCompiler(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { c.library("int x;") })
	}
	wg.Wait()
	if got := c.compiled(); got != 1 {
		t.Errorf("compiled %d times", got)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	c := newCompiler(t)
	for i := range 2 * maxKept {
		c.library(fmt.Sprintf("int x%d;", i))
		c.library("int used;")
	}
	if got := c.compiled(); got != 2*maxKept+1 {
		t.Errorf("compiled %d times, want each source once", got)
	}
	dir := cacheFolder()
	if kept, _ := filepath.Glob(filepath.Join(dir, "one-*")); len(kept) != maxKept {
		t.Errorf("%d libraries are kept, want %d", len(kept), maxKept)
	}
}

func TestALibraryNeedsNoCache(t *testing.T) {
	c := newCompiler(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{"", file} { // unset, and no folder
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		t.Setenv("XDG_CACHE_HOME", cache)
		t.Setenv("HOME", "")
		c.library("int x;")
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v (%v)", left, err)
		}
	}
}

func TestALibraryOutlivesItsFile(t *testing.T) {
	c := newCompiler(t)
	path := c.library("int x;")
	if err := os.RemoveAll(cacheFolder()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "int x;" {
		t.Errorf("%q (%v)", text, err)
	}
}

func TestErrorsOfTheCompilerAreReturned(t *testing.T) {
	c := newCompiler(t)
	l := Library{Name: "one", Sources: fstest.MapFS{}, Compile: []string{"missing.c"}}
	if _, err := l.Path(); err == nil || !strings.Contains(err.Error(), "missing.c") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cacheFolder(), "one-*")); len(left) > 0 {
		t.Errorf("kept: %v", left)
	}
	t.Setenv("CC", c.path+"-not-there")
	if _, err := l.Path(); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("got %v", err)
	}
}
