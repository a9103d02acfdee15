package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestGolden generates from the sources of testdata/golden, one construct each, and
// compares with the Go files in the same archive. All that is generated must build
// and pass vet, and the tests that some archives have.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	module := newModule(t)
	var tests oneProgram
	for _, name := range archives {
		stem := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(stem, func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in, out := t.TempDir(), filepath.Join(module, stem)
			for _, f := range archive.Files {
				if source, ok := strings.CutPrefix(f.Name, "in/"); ok {
					writeFile(t, filepath.Join(in, filepath.FromSlash(source)), f.Data)
				}
			}
			var stdout, stderr bytes.Buffer
			status := run([]string{"-in", in, "-out", out, "-pkg", "gen", "-quiet"}, &stdout, &stderr)
			if status != exitOK || stdout.Len()+stderr.Len() > 0 {
				t.Fatalf("exit status %d: %s%s", status, &stdout, &stderr)
			}
			checkGo(t, out)
			for i := range archive.Files {
				f := &archive.Files[i]
				file, ok := strings.CutPrefix(f.Name, "want/")
				if !ok {
					if test, ok := strings.CutPrefix(f.Name, "test/"); ok {
						tests.add(t, module, stem, test, f.Data)
					}
					continue
				}
				got, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(file)))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(f.Data), string(got)); diff != "" && !*update {
					t.Errorf("%s: -want +got (go test -update writes what is got):\n%s", f.Name, diff)
				}
				f.Data = got
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if testing.Short() {
		return // the rest runs the go command
	}
	tests.write(t, module)
	if out, err := goCommand(module, "test", "-vet=all", "./..."); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

// wrongCalls are calls of what the archives generate that must not compile, with what
// the compiler says.
var wrongCalls = map[string]struct{ archive, code, want string }{
	"a variant of another type": {
		"template_types", "gen.RmsNorm(b, gen.RmsNormArgs[float32]{Variant: gen.RmsNormF16})",
		"cannot use gen.RmsNormF16 (constant 2 of uint16 type gen.RmsNormVariant[float16.Float16]) as " +
			"gen.RmsNormVariant[float32] value",
	},
	"a buffer of another type": {
		"template_types", "gen.RmsNorm(b, gen.RmsNormArgs[float32]{Variant: gen.RmsNormF32, X: runtime.Buffer[uint32]{}})",
		"cannot use runtime.Buffer[uint32]{}",
	},
	"a type of no instance": {
		"template_types", "gen.RmsNorm(b, gen.RmsNormArgs[int32]{})",
		"int32 does not satisfy gen.RmsNormElement",
	},
	"types of different instances": {
		"template_independent",
		"gen.Copy(b, gen.CopyArgs[gen.BlockQ4, float32, gen.PairFloat, uint32, gen.Strides1]{Variant: gen.CopyQ4F16_1})",
		"cannot use gen.CopyQ4F16_1",
	},
	"a variant of another family": {
		"template_forms", "gen.Twice(b, gen.TwiceArgs[float32]{Variant: gen.TwiceNF32})",
		"cannot use gen.TwiceNF32",
	},
}

func TestWrongCallsDoNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	module := newModule(t)
	said := make(map[string]string) // by package
	for name, tt := range wrongCalls {
		dir := filepath.Join(module, strings.ReplaceAll(name, " ", ""))
		gen := filepath.Join(module, tt.archive)
		if _, err := os.Stat(gen); err != nil {
			generateArchive(t, tt.archive, gen)
		}
		call := "package engine\n\nimport (\n\tgen \"engine/" + tt.archive + "\"\n\n\t" +
			"\"github.com/metalgen/metalgen/runtime\"\n)\n\nfunc call(b *runtime.Batch) {\n\t" + tt.code + "\n}\n"
		writeFile(t, filepath.Join(dir, "engine.go"), []byte(call))
	}
	out, err := goCommand(module, "build", "./...")
	if err == nil {
		t.Error("go build has no complaint")
	}
	for _, about := range strings.Split("\n"+string(out), "\n# engine/")[1:] {
		name, errors, _ := strings.Cut(about, "\n")
		said[name] = errors
	}
	for name, tt := range wrongCalls {
		if got := said[strings.ReplaceAll(name, " ", "")]; !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s\ngo build: %s\nwant %s", name, tt.code, got, tt.want)
		}
	}
}

// generateArchive generates a package from the sources of an archive of testdata/golden.
func generateArchive(t *testing.T, name, out string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "golden", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-in", filepath.Join(dir, "in"), "-out", out, "-pkg", "gen", "-quiet"}
	if status := run(args, &stdout, &stderr); status != exitOK {
		t.Fatal(&stderr)
	}
}

// newModule makes a module, engine, that takes this one from the disk and everything
// else from the module cache, with the versions and the sums that this one has.
func newModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module github.com/metalgen/metalgen\n"), []byte("module engine\n"), 1)
	// What only tests need is left out: go doc would ask about all modules that those require.
	mod = regexp.MustCompile(`(?m)^.*// indirect\n`).ReplaceAll(mod, nil)
	mod = append(mod, "\nrequire github.com/metalgen/metalgen v0.0.0\n\n"+
		"replace github.com/metalgen/metalgen => "+root+"\n"...)
	writeFile(t, filepath.Join(dir, "go.mod"), mod)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sum)
	return dir
}

// goCommand runs the go command in a module of newModule.
func goCommand(module string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	return cmd.CombinedOutput()
}
