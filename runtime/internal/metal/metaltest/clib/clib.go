//go:build linux

// Package clib compiles C sources to shared libraries for tests, and keeps those in the
// user's cache folder, so that each is compiled once, however many need it.
//
// In comes a [Library], out goes a path that can be loaded. Start reading at
// [Library.Path].
package clib

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrNoCompiler is the error of a machine without a C compiler.
var ErrNoCompiler = errors.New("no C compiler")

// Library describes a shared library.
type Library struct {
	Name    string   // of its files in the cache
	Sources fs.FS    // the files that are compiled, and those that they include
	Compile []string // the names of the files that are compiled
	Flags   []string // for the compiler
}

// maxKept is the number of libraries of one name in the cache. There are a few at a
// time: for two architectures, with other CFLAGS, of another branch.
const maxKept = 16

// Path returns the path of the library, which is good until the process ends. The C
// compiler is the one that the environment variable CC names, else that of the system;
// CFLAGS adds to its flags.
func (l *Library) Path() (string, error) {
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	args := slices.Concat(l.Flags, strings.Fields(os.Getenv("CFLAGS")), []string{"-shared", "-fPIC"})
	dir := cacheFolder()
	if dir == "" {
		return l.make("", "", compiler, args)
	}
	key, err := l.key(compiler, args)
	if err != nil {
		return "", err
	}
	kept := filepath.Join(dir, l.Name+"-"+key+".so")
	if path, err := open(kept); err == nil {
		return path, nil
	}
	defer lock(dir)()
	if path, err := open(kept); err == nil { // which another process has made meanwhile
		return path, nil
	}
	return l.make(dir, kept, compiler, args)
}

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

// key returns the hash of what the library is made of: the architecture, the compiler
// by path and version, its arguments, and the sources.
func (l *Library) key(compiler string, args []string) (string, error) {
	version, _ := exec.Command(compiler, "--version").Output() // one that has none goes by its path
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []string{runtime.GOARCH, compiler, string(version)})
	fmt.Fprintf(h, "%q\n%q\n", args, l.Compile)
	err := fs.WalkDir(l.Sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(l.Sources, name)
		fmt.Fprintf(h, "%q\n%q\n", name, text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// cacheFolder returns the folder that libraries are kept in, or "" where there is none.
func cacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir = filepath.Join(dir, "metalgen")
	if os.MkdirAll(dir, 0o777) != nil {
		return ""
	}
	return dir
}

// open opens a library and returns a path that is good until the process ends, whoever
// deletes the file. It uses no os.File, which would be closed when it is collected.
func open(path string) (string, error) {
	file, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	now := time.Now()
	os.Chtimes(path, now, now) // for trim; where it fails, the library is made again some day
	return fmt.Sprintf("/proc/self/fd/%d", file), nil
}

// lock keeps other processes from compiling meanwhile, where the file system has locks:
// they would all compile the same.
func lock(dir string) (unlock func()) {
	file, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return func() {}
	}
	syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	return func() { file.Close() }
}

// make compiles the library to a file of its own and opens that. The file is renamed to
// kept when it is whole; where kept is "", it is deleted.
func (l *Library) make(dir, kept, compiler string, args []string) (string, error) {
	sources, err := os.MkdirTemp("", l.Name)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(sources)
	if err := os.CopyFS(sources, l.Sources); err != nil {
		return "", err
	}
	out, err := os.CreateTemp(dir, l.Name+"-*.tmp")
	if err != nil {
		out, err = os.CreateTemp("", l.Name+"-*.tmp") // the cache cannot be written to
	}
	if err != nil {
		return "", err
	}
	out.Close()
	defer os.Remove(out.Name())
	c := exec.Command(compiler, slices.Concat(args, []string{"-o", out.Name()}, l.Compile)...)
	c.Dir = sources
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", compiler, err, text)
	}
	path, err := open(out.Name())
	if err == nil && kept != "" {
		os.Rename(out.Name(), kept) // where it fails, the next process compiles again
		l.trim(dir)
	}
	return path, err
}

// trim deletes all but the last used files of the library, of all of its versions.
func (l *Library) trim(dir string) {
	paths, _ := filepath.Glob(filepath.Join(dir, l.Name+"-*"))
	used := map[string]time.Time{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			used[path] = info.ModTime()
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(used[b].Compare(used[a]), cmp.Compare(a, b)) })
	for _, path := range paths[min(len(paths), maxKept):] {
		os.Remove(path)
	}
}
