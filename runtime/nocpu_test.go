package runtime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
)

// goCommand returns what a go command prints.
func goCommand(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// dependencies returns the packages of a program that imports generated code.
func dependencies(t *testing.T, goos, tags string) []string {
	env := []string{"GOOS=" + goos, "GOARCH=arm64", "CGO_ENABLED=0"}
	return strings.Fields(goCommand(t, env, "list", "-deps", "-tags", tags, "./testdata/nocpu"))
}

// What the CPU device needs, and nothing else of a program does.
var onlyForCPU = []string{
	"github.com/metalgen/metalgen/runtime/internal/cpu",
	"github.com/metalgen/metalgen/internal/msl",
	"github.com/metalgen/metalgen/parser",
	"github.com/alecthomas/participle/v2",
}

func TestProgramsWithoutTheCPUDeviceHaveNothingOfIt(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, goos := range []string{"darwin", "linux"} {
		with, without := dependencies(t, goos, ""), dependencies(t, goos, "metalgen_nocpu")
		for _, p := range onlyForCPU {
			if !slices.Contains(with, p) {
				t.Errorf("%s: %s is not among the packages of a program", goos, p)
			}
			if slices.Contains(without, p) {
				t.Errorf("%s: %s is among those of a program built with metalgen_nocpu", goos, p)
			}
		}
	}
}

func TestProgramsWithoutTheCPUDeviceSaySo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	if goruntime.GOOS == "darwin" {
		t.Skip("there may be a Metal device")
	}
	program := filepath.Join(t.TempDir(), "nocpu.exe")
	goCommand(t, nil, "build", "-ldflags=-w", "-tags", "metalgen_nocpu", "-o", program, "./testdata/nocpu")
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	const no = "Open: no device: this program has no CPU device, as it was built with the tag metalgen_nocpu"
	want := no + ", and there is no Metal on " + goruntime.GOOS + " true\n" + no + " true\n" + no + " true\n" +
		"[] <nil>\n[] Preload: no device: the *Device is nil\n"
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
