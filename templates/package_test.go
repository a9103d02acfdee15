package templates

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/internal/binding"
)

var update = flag.Bool("update", false, "rewrite the packages in testdata")

var models = map[string]struct {
	pkg *binding.Package
	opt Options
}{
	"norm":    {pkg: normPackage()},
	"grids":   {pkg: gridsPackage(), opt: Options{Tags: "plan9&&arm64 || !plan9"}},
	"args":    {pkg: argsPackage()},
	"structs": {pkg: structsPackage()},
	"hostile": {pkg: hostilePackage()},
}

func generate(t testing.TB, pkg *binding.Package, opt Options) []File {
	t.Helper()
	files, err := Package(pkg, opt)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestGolden compares with the packages in testdata.
func TestGolden(t *testing.T) {
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			files := generate(t, m.pkg, m.opt)
			if *update {
				rewrite(t, dir, files)
			}
			for _, f := range files {
				want, err := os.ReadFile(filepath.Join(dir, f.Name))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(f.Data)); diff != "" {
					t.Errorf("%s: -want +got (go test -update writes what is got):\n%s", f.Name, diff)
				}
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(files) {
				t.Errorf("%d files in %s, %d generated; %v", len(entries), dir, len(files), err)
			}
		})
	}
}

func rewrite(t *testing.T, dir string, files []File) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVet compiles and vets the packages in testdata, which [TestGolden] holds
// against what is generated.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	args := []string{"test", "-vet=all"} // and not vet, which does all packages that are imported once more
	for name := range models {
		args = append(args, "./testdata/"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

func TestDeterministic(t *testing.T) {
	first := generate(t, bigPackage(), Options{})
	for range 4 {
		if diff := cmp.Diff(first, generate(t, bigPackage(), Options{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tags := range []string{"a b", "a &&", "linux\n\npackage main"} {
		if _, err := Package(normPackage(), Options{Tags: tags}); err == nil ||
			!strings.Contains(err.Error(), "build constraint") {
			t.Errorf("Tags %q: %v", tags, err)
		}
	}
	if _, err := Package(pkg(source("norm"), source("norm")), Options{}); err == nil ||
		!strings.Contains(err.Error(), "norm_metal.go") {
		t.Errorf("two sources of one name: %v", err)
	}
}

// TestHostileComments has comments that try to be more than comments. That they
// stay comments is what TestVet sees; here, that no Go tool takes a line of them
// for its own.
func TestHostileComments(t *testing.T) {
	for _, f := range generate(t, hostilePackage(), Options{}) {
		for line := range bytes.Lines(f.Data) {
			text := strings.TrimSpace(string(line))
			switch {
			case strings.HasPrefix(text, "//go:") && text != "//go:embed norm_metal.metal",
				strings.HasPrefix(text, "//line"),
				strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "//")), "+build"),
				strings.HasPrefix(text, "// # ") && f.Name != "metalgen.go",
				strings.HasPrefix(text, "func init"):
				t.Errorf("%s: %s", f.Name, text)
			}
		}
	}
}

func BenchmarkPackage(b *testing.B) {
	p := bigPackage()
	size := 0
	for _, f := range generate(b, p, Options{}) {
		size += len(f.Data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Package(p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
