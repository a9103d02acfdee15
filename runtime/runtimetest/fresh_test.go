package runtimetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func TestGenIsFresh(t *testing.T) { runtimetest.Fresh(t, "-in", "../../shaders", "-out", "../../gen") }

func TestFreshShowsWhatIsStale(t *testing.T) {
	shaders := t.TempDir()
	source, err := os.ReadFile("../../shaders/residual.metal")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shaders, "residual.metal"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	f := &failing{TB: t}
	runtimetest.Fresh(f, "-in="+shaders, "-out", filepath.Join(t.TempDir(), "gen"))
	said := strings.Join(f.said, "\n")
	if !strings.Contains(said, "+// Kernel residual_add, residual.metal:") ||
		!strings.HasPrefix(said, "metalgen -check -in="+shaders+" -out ") {
		t.Errorf("of what is not there yet it said\n%.2000s", said)
	}
	f = &failing{TB: t}
	runtimetest.Fresh(f, "-in", filepath.Join(shaders, "none"), "-out", "gen")
	if len(f.said) != 1 || !strings.Contains(f.said[0], "none") {
		t.Errorf("of no sources it said %q", f.said)
	}
}
