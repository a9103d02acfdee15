package build

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden holds what sources are built to, as text, and that the text says all of it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.metal")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no sources: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".metal")
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, k := range builtAll(t, name, string(source)) {
				text.WriteString(k.String())
				back, err := ir.Parse(name, k.String())
				if err != nil {
					t.Fatal(err)
				}
				if back.String() != k.String() {
					t.Errorf("kernel %s, read from text and written again, is\n%s", k.Name, back)
				}
			}
			golden := "testdata/" + name + ".ir"
			if *update {
				if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if text.String() != string(want) {
				t.Errorf("the ir of %s is not %s: run the test with -update and look at the difference", file, golden)
			}
		})
	}
}
