package main

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
)

// TestAccepted runs the command on sources that Metal accepts, however they look:
// archives of sources and, where there are any, of
//
//	stderr  what the command prints about them
//	run     what their kernels compute on the CPU device, see acceptedRun
func TestAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "accepted", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources, said := archive.Files, map[string]*txtar.File{"stderr": {Name: "stderr"}}
			for n := len(sources) - 1; n >= 0 && filepath.Ext(sources[n].Name) == ""; n-- {
				said[sources[n].Name], sources = &sources[n], sources[:n]
			}
			status, stderr, in, out := runOn(t, sources)
			if status != exitOK {
				t.Fatalf("exit status %d, want %d:\n%s", status, exitOK, stderr)
			}
			checkGo(t, out)
			want := said["stderr"]
			if diff := gocmp.Diff(string(want.Data), stderr); diff != "" && !*update {
				t.Errorf("-want +got (go test -update writes what is got):\n%s", diff)
			} else if diff != "" {
				if want.Data == nil {
					archive.Files = slices.Insert(archive.Files, len(sources), *want)
					want = &archive.Files[len(sources)]
				}
				want.Data = []byte(stderr)
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if runs := said["run"]; runs != nil && hasCPU() {
				for described := range strings.SplitSeq("\n"+string(runs.Data), "\nkernel ") {
					if described != "" {
						acceptedRun(t, in, described)
					}
				}
			}
		})
	}
}

// acceptedRun runs one kernel of the sources in a directory, in one threadgroup. It
// is described by these lines:
//
//	kernel NAME [THREADS]     where THREADS is missing there are 4
//	in NAME VALUE             an argument, or a field of one
//	in NAME TYPE NUMBER...    what a buffer holds at first
//	out NAME NUMBER...        what it holds in the end, floats about so
//	shared NAME ELEMENTS      the length of threadgroup memory
func acceptedRun(t *testing.T, in, described string) {
	t.Helper()
	first, lines, _ := strings.Cut(described, "\n")
	kernel, threads, _ := strings.Cut(first, " ")
	args := []string{"run", "-in", in, "-kernel", kernel, "-device", "cpu", "-grid", "1", "-threads", cmp.Or(threads, "4")}
	dir := t.TempDir()
	given, wanted := map[string]*npy.Array{}, map[string]*npy.Array{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		name, values := words[1], words[2:]
		switch {
		case words[0] == "shared":
			args = append(args, "-shared", name+"="+values[0])
		case words[0] == "in" && len(values) == 1:
			args = append(args, "-arg", name+"="+values[0])
		case words[0] == "in":
			given[name] = mustArray(t, values[0], values[1:])
			file := filepath.Join(dir, name+".npy")
			args = append(args, "-arg", name+"="+file)
			var data bytes.Buffer
			if _, err := given[name].WriteTo(&data); err != nil {
				t.Fatal(err)
			}
			writeFile(t, file, data.Bytes())
		case words[0] == "out":
			wanted[name] = mustArray(t, given[name].DType.String(), values)
			args = append(args, "-o", name+"="+filepath.Join(dir, name+".out.npy"))
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := run(args, &stdout, &stderr); status != exitOK {
		t.Fatalf("kernel %s: exit status %d:\n%s", kernel, status, &stderr)
	}
	for name, want := range wanted {
		got, err := npy.ReadFile(filepath.Join(dir, name+".out.npy"))
		if err != nil {
			t.Fatal(err)
		}
		if !equalArrays(got, want) {
			t.Errorf("kernel %s: %s is %v, want %v", kernel, name, numbersOf(got), numbersOf(want))
		}
	}
}

func mustArray(t *testing.T, typ string, words []string) *npy.Array {
	t.Helper()
	a, err := newArray(typ, words)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// equalArrays reports whether two arrays of a type hold the same numbers, floats about so.
func equalArrays(a, b *npy.Array) bool {
	return bytes.Equal(a.Data, b.Data) || a.DType >= npy.Float16 &&
		slices.EqualFunc(numbersOf(a), numbersOf(b), func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*math.Abs(y) })
}
