package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestBuild generates packages into a module of its own, as users do, and has
// the go command build and vet it.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "build.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := newModule(t)
	for _, f := range archive.Files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-in", filepath.Join(dir, "shaders"), "-out", filepath.Join(dir, "gen"), "-r", "-quiet"}
	if status := run(args, &stdout, &stderr); status != exitOK || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("exit status %d: %s%s", status, &stdout, &stderr)
	}
	// The test of the archive runs a kernel's checks: what was generated is
	// more than text.
	if out, err := goCommand(dir, "test", "-vet=all", "./..."); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

// A module with metalgen for a tool lists all that the command is made of. Where the command needs another module,
// examples/downstream has to be told, or its users find out.
func TestTheExampleOfAModuleListsAllModulesThatItNeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	cmd := exec.Command("go", "list", "-mod=readonly", "-deps", "-test", "./...", "tool")
	cmd.Dir = filepath.FromSlash("../../examples/downstream")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go mod tidy in examples/downstream will help: %v\n%s", err, out)
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
