//go:build linux && (amd64 || arm64)

package cudatest

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"structs"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest/clib"
)

//go:embed fake
var sources embed.FS

// Path returns the path of the library, which is compiled unless that has been done: see package clib.
var Path = sync.OnceValues(func() (string, error) {
	files, err := fs.Glob(sources, "fake/*.c")
	if err != nil {
		return "", err
	}
	l := clib.Library{
		Name: "cuda", Sources: sources, Compile: files,
		Flags: []string{"-O1", "-g", "-fvisibility=hidden", "-pthread"},
	}
	return l.Path()
})

// Options say what machine a test wants. The zero Options are one card with 64 GB.
type Options struct {
	Devices int   // 0 means 1; -1 none
	Version int   // of the driver's API; 0 means 12040
	Memory  int64 // bytes of all devices; 0 means 64 GiB
	Major   int   // of the compute capability; 0 means 9
	// AllowFailures is set where kernels may do what a card does not survive: Failures returns it.
	AllowFailures bool
	// Seed is that of the order in which the threads of kernels run.
	Seed uint64
}

// settings are those of fake.h.
type settings struct {
	_                                      structs.HostLayout
	devices, version, major, minor, memory uint64
}

var fake struct {
	register func(compile, launch uintptr)
	reset    func(*settings)
	failures func() *byte
	free     func(*byte)
	leaks    func()
	reach    func(at uintptr, size uint64, bounds *[2]uint64) uint64
}

var load = sync.OnceValue(func() error {
	path, err := Path()
	if err != nil {
		return err
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("cudatest: %w", err)
	}
	for name, f := range map[string]any{
		"fakeRegister": &fake.register, "fakeReset": &fake.reset, "fakeFailures": &fake.failures, "fakeFree": &fake.free,
		"fakeLeaks": &fake.leaks, "fakeReach": &fake.reach,
	} {
		purego.RegisterLibFunc(f, handle, name)
	}
	fake.register(purego.NewCallback(compileCallback), purego.NewCallback(launchCallback))
	return nil
})

var world struct {
	sync.Mutex // held while a test has the world
	options    Options
}

// Start begins a test in a world of its own, and returns the path of the library. At its end what was called wrongly,
// and what is left, are errors of the test. It is skipped where there is no C compiler.
func Start(t testing.TB, o Options) (path string) {
	t.Helper()
	if err := load(); errors.Is(err, clib.ErrNoCompiler) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	world.Lock()
	world.options = o
	s := &settings{devices: 1, version: 12040, major: 9, memory: 64 << 30}
	if o.Devices != 0 {
		s.devices = uint64(max(o.Devices, 0))
	}
	if o.Version != 0 {
		s.version = uint64(o.Version)
	}
	if o.Memory != 0 {
		s.memory = uint64(o.Memory)
	}
	if o.Major != 0 {
		s.major = uint64(o.Major)
	}
	fake.reset(s)
	t.Cleanup(func() {
		defer world.Unlock()
		fake.leaks()
		if failures := Failures(); len(failures) > 0 && !o.AllowFailures {
			t.Errorf("cuda: %s", strings.Join(failures, "\ncuda: "))
		}
		forgetPrograms()
	})
	path, _ = Path()
	return path
}

// Leaks makes a failure of each thing that is left.
func Leaks() { fake.leaks() }

// Failures returns what was called wrongly so far, and forgets it.
func Failures() []string {
	text := fake.failures()
	if text == nil {
		return nil
	}
	defer fake.free(text)
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return strings.Split(strings.TrimSpace(string(unsafe.Slice(text, n))), "\n")
}
