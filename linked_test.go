package metalgen

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// linked returns which packages of the module's own CUDA device, and of what calls C, a program links.
func linked(t *testing.T, tags string) (list []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-tags", tags, "-deps", "./examples/moe").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if strings.Contains(name, "/cuda") || strings.Contains(name, "purego") && runtime.GOOS == "linux" {
			list = append(list, name)
		}
	}
	return list
}

func TestProgramsWithoutTheImportHaveNothingOfCUDA(t *testing.T) {
	if list := linked(t, ""); len(list) > 0 {
		t.Errorf("without the import: %v", list)
	}
	if list := linked(t, "cuda"); len(list) == 0 {
		t.Error("nothing with the import either")
	}
}

// TestProgramsWithoutTheImportAreStatic looks for what has a system load other files for a program.
func TestProgramsWithoutTheImportAreStatic(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs are dynamic on " + runtime.GOOS)
	}
	file := filepath.Join(t.TempDir(), "moe")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", file, "./examples/moe")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a segment %v", p.Type)
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if strings.Contains(s.Name, "metalgen/runtime/internal/cuda") {
			t.Errorf("the program has %s", s.Name)
			break
		}
	}
}
