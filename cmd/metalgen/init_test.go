package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitEndsWithAPassingTest starts a module as init says, with the lines that go.generate.md has for a clone, and
// from the module cache alone.
func TestInitEndsWithAPassingTest(t *testing.T) {
	if testing.Short() || !hasCPU() {
		t.Skip("runs the go command, and kernels")
	}
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("../../go.generate.md"))
	if err != nil {
		t.Fatal(err)
	}
	var ofClone, ofInit string
	blocks := fencedBlocks(strings.SplitAfter(string(page), "\n"))
	for i, b := range blocks {
		if i > 0 && strings.Contains(blocks[i-1].text, "With a clone instead of a version") {
			ofClone = b.text
		}
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/engine\n\ngo 1.26\n"))
	var stdout, stderr bytes.Buffer
	if status := run([]string{"init", dir}, &stdout, &stderr); status != exitOK {
		t.Fatal(&stderr)
	}
	for line := range strings.Lines(stdout.String()) {
		if command, ok := strings.CutPrefix(line, "\tgo "); ok && !strings.HasPrefix(command, "get ") {
			ofInit += "go " + command
		}
	}
	commands := strings.Split(strings.TrimSpace(ofClone+ofInit), "\n")
	if len(commands) != 5 {
		t.Errorf("the commands are %q, want 3 of a clone and 2 of init", commands)
	}
	for _, command := range append(commands, "go generate") {
		if out, err := docsCommand(dir, command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	// What is there now is what was meant.
	if out, err := docsCommand(dir, "go test -v -run Saxpy"); err != nil || !strings.Contains(out, "--- PASS: TestSaxpy") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := docsCommand(dir, "go tool metalgen -in shaders -out gen -check"); err != nil || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
}
