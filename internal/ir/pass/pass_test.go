package pass

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPassesChangeKernelsAsGoldenFilesSay runs one pass, which the name of a file begins with, on each kernel of
// testdata, after those that it needs.
func TestPassesChangeKernelsAsGoldenFilesSay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			k := read(t, file)
			name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".ir"), "_")
			found := false
			for _, p := range Order {
				if p.Name != name && name != "all" {
					continue
				}
				found = true
				p.run(k, &Options{Invariant: true, Plain: true})
				if err := ir.Verify(k); err != nil {
					t.Fatalf("after %s: %v\n%s", p.Name, err, k)
				}
			}
			if !found {
				t.Fatalf("there is no pass %q", name)
			}
			golden(t, strings.TrimSuffix(file, ".ir")+".golden", k.String())
		})
	}
}

func read(t *testing.T, file string) *ir.Kernel {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := ir.Parse(file, string(text))
	if err == nil {
		err = ir.Verify(k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func golden(t *testing.T, file, have string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(have), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if have != string(want) {
		t.Errorf("%s is not what the passes make:\n%s", file, have)
	}
}
