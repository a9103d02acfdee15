package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestBuild generates packages into a module of its own, as users do, and has
// the go command build and vet it. The module takes this one from the disk and
// everything else from the module cache.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "build.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	// The module needs the versions and the sums that this one has.
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module github.com/metalgen/metalgen\n"), []byte("module engine\n"), 1)
	mod = append(mod, "\nrequire github.com/metalgen/metalgen v0.0.0\n\nreplace github.com/metalgen/metalgen => "+root+"\n"...)
	writeFile(t, filepath.Join(dir, "go.mod"), mod)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sum)

	var stdout, stderr bytes.Buffer
	args := []string{"-in", filepath.Join(dir, "shaders"), "-out", filepath.Join(dir, "gen"), "-r"}
	if status := run(args, &stdout, &stderr); status != exitOK || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("exit status %d: %s%s", status, &stdout, &stderr)
	}
	// The test of the archive runs a kernel's checks: what was generated is
	// more than text.
	for _, command := range []string{"build ./...", "vet ./...", "test ./..."} {
		cmd := exec.Command("go", strings.Fields(command)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", command, err, out)
		}
	}
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
