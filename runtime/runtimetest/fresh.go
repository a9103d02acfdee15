package runtimetest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Fresh fails the test with the difference where a generated package is not what metalgen makes of its sources, because
// a .metal file was edited since, or the package. The arguments are those of the go:generate line, and folders in them
// are seen from that of the test:
//
//	func TestGenIsFresh(t *testing.T) { runtimetest.Fresh(t, "-in", "shaders", "-out", "gen") }
//
// It runs the version of metalgen that the module requires, with go tool if go.mod has it as a tool and with go run
// otherwise, and skips the test if there is no go command.
func Fresh(t testing.TB, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("there is no go command, to run metalgen: %v", err)
	}
	dependOn(t, args)
	out, err := run(append([]string{"tool", "metalgen"}, check(args)...))
	if err != nil && strings.Contains(out, `no such tool "metalgen"`) {
		const command = "github.com/metalgen/metalgen/cmd/metalgen"
		out, err = run(append([]string{"run", command}, check(args)...))
	}
	if err != nil {
		t.Errorf("metalgen %s: %v\n%s", strings.Join(check(args), " "), err, out)
	}
}

func check(args []string) []string { return append([]string{"-check"}, args...) }

func run(args []string) (string, error) {
	out, err := exec.Command("go", args...).CombinedOutput()
	return string(out), err
}

// dependOn has go test run the test again where a file below one of the folders has changed: it sees which files a test
// opens, and not which ones a command does that the test runs.
func dependOn(t testing.TB, args []string) {
	t.Helper()
	for _, arg := range args {
		_, value, ok := strings.Cut(arg, "=") // -in=shaders
		if !ok || !strings.HasPrefix(arg, "-") {
			value = arg
		}
		err := filepath.WalkDir(value, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return f.Close()
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
