package main

import (
	"bytes"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// good is what the output directory of a case was made of before.
const good = `// metalgen:grid (n, 1, 1)
kernel void good(device float* x, constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) x[i] = 1;
}
`

// runOn runs the command on sources with an output directory that exists, and
// returns the exit status, what it printed with the directory's name left out,
// and both directories. A run that fails must not touch that of the output.
func runOn(t *testing.T, sources []txtar.File, args ...string) (status int, stderr, in, out string) {
	t.Helper()
	in, out = filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "gen")
	writeFile(t, filepath.Join(in, "good.metal"), []byte(good))
	var stdout, errs bytes.Buffer
	if run([]string{"-in", in, "-out", out, "-quiet"}, &stdout, &errs) != exitOK || errs.Len() > 0 {
		t.Fatalf("the good source: %s", &errs)
	}
	if err := os.RemoveAll(in); err != nil {
		t.Fatal(err)
	}
	before, err := dirState(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sources {
		writeFile(t, filepath.Join(in, filepath.FromSlash(f.Name)), f.Data)
	}
	status = run(append([]string{"-in", in, "-out", out}, args...), &stdout, &errs)
	after, err := dirState(out)
	if err != nil {
		t.Fatal(err)
	}
	if status != exitOK && !maps.Equal(before, after) {
		t.Errorf("the run failed but changed the output directory: %s", cmp.Diff(before, after))
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output: %s", &stdout)
	}
	stderr = strings.ReplaceAll(errs.String(), filepath.ToSlash(in)+"/", "")
	return status, aboutSources(strings.ReplaceAll(stderr, in, "src")), in, out
}

// unstated is a warning about what nothing states, with the line that it quotes. written is the line that says what was
// written.
var (
	unstated = regexp.MustCompile(`(?m)^.*-quiet ends this warning.*\n(\t.*\n)*`)
	written  = regexp.MustCompile(`(?m)^.*: \d+ kernels? from \d+ files?, .*\n`)
)

// aboutSources is what the command prints without what it says of every source.
func aboutSources(stderr string) string {
	return written.ReplaceAllString(unstated.ReplaceAllString(stderr, ""), "")
}

// TestBroken runs the scripts in testdata/broken: sources with mistakes in in/,
// and in want all that the command prints about them.
func TestBroken(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in, gen := t.TempDir(), filepath.Join(t.TempDir(), "gen")
	writeFile(t, filepath.Join(in, "good.metal"), []byte(good))
	if status := run([]string{"-in", in, "-out", gen}, &stdout, &stderr); status != exitOK {
		t.Fatal(&stderr)
	}
	params := scriptParams("testdata/broken")
	params.Cmds["broken"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 0 {
			ts.Fatalf("usage: broken")
		}
		scriptBroken(ts, gen)
	}
	testscript.Run(t, params)
}

// scriptBroken runs the command on in/, which must fail with status 1 and leave
// an output directory that exists as it was: a copy of good.
func scriptBroken(ts *testscript.TestScript, good string) {
	ts.Check(os.CopyFS(ts.MkAbs("gen"), os.DirFS(good)))
	scriptSnapshot(ts, false, []string{"gen"})
	scriptStatus(ts, false, []string{"1", "metalgen", "-in", "in", "-out", "gen"})
	scriptUnchanged(ts, false, []string{"gen"})
}

// checkGo checks that the Go files of a directory are formatted as gofmt formats them.
func checkGo(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := format.Source(data); err != nil || !bytes.Equal(want, data) {
			t.Errorf("%s: %v: -gofmt +generated:\n%s", file, err, cmp.Diff(string(want), string(data)))
		}
	}
}
