//go:build linux && (amd64 || arm64)

package metaltest

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// ErrNoCompiler says that the fake cannot be built here.
var ErrNoCompiler = errors.New("no C compiler")

//go:embed fake
var sources embed.FS

// Path returns the path of the library, which is built at the first call: by the C
// compiler that the environment variable CC names, with what CFLAGS adds, or by that of
// the system.
var Path = sync.OnceValues(func() (string, error) {
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "metaltest")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := build(compiler, dir); err != nil {
		return "", err
	}
	// Whoever loads the library does so by its path, and nobody knows who is the
	// last: the open file is a path that ends with the process.
	// No os.File: that one would be closed when it is collected.
	file, err := syscall.Open(filepath.Join(dir, "fake.so"), syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/proc/self/fd/%d", file), nil
})

func findCompiler() (string, error) {
	names := []string{"cc", "gcc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		names = []string{cc}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: none of %s found", ErrNoCompiler, strings.Join(names, ", "))
}

func build(compiler, dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "fake", "*.c"))
	if err != nil {
		return err
	}
	args := []string{"-shared", "-fPIC", "-O1", "-g", "-fvisibility=hidden", "-o", filepath.Join(dir, "fake.so")}
	args = append(args, strings.Fields(os.Getenv("CFLAGS"))...)
	args = append(args, files...)
	args = append(args, filepath.Join(dir, "fake", "stub_"+runtime.GOARCH+".S"), "-pthread")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", compiler, err, out)
	}
	return nil
}
