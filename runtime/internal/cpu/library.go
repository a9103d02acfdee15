package cpu

import (
	"fmt"
	"os"
	"sync"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// library is a source, parsed once a device.
type library struct {
	once    sync.Once
	program *msl.Program
	err     error
}

// kernel is a compiled kernel, with threadgroups that wait for use.
type kernel struct {
	device  *Device
	once    sync.Once
	program *program
	err     error

	mu   sync.Mutex
	idle []*threadgroup
}

// kernel returns the compiled form of a kernel. Of several callers at once, one
// compiles and the others wait.
func (d *Device) kernel(from *driver.Kernel) (*kernel, error) {
	d.mu.Lock()
	k := d.kernels[from]
	if k == nil {
		k = &kernel{device: d}
		d.kernels[from] = k
	}
	lib := d.libraries[from.Library]
	if lib == nil {
		lib = &library{}
		d.libraries[from.Library] = lib
	}
	d.mu.Unlock()
	k.once.Do(func() {
		if k.err = lib.load(from.Library); k.err == nil {
			k.program, k.err = lib.compile(from.Name)
		}
	})
	return k, k.err
}

// load parses the source. Local includes are flattened into it; those of Metal's
// own headers stand for what is built in.
func (l *library) load(from *driver.Library) error {
	l.once.Do(func() {
		text := *from.Source
		unit, errs := parser.Preprocess(from.File, from.File, &parser.Options{
			FollowLines: true,
			ReadFile: func(path string) ([]byte, error) {
				if path == from.File {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			},
		})
		if errs.HasErrors() {
			l.err = errorsOf(errs)
			return
		}
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			l.err = errorsOf(errs)
			return
		}
		if l.program, errs = msl.Analyze(tree); errs.HasErrors() {
			l.err = errorsOf(errs)
		}
	})
	return l.err
}

// errorsOf leaves the warnings out.
func errorsOf(list parser.ErrorList) error {
	var errs parser.ErrorList
	for _, e := range list {
		if !e.Warning {
			errs = append(errs, e)
		}
	}
	return errs
}

// compile makes the program of the kernel with a name.
func (l *library) compile(name string) (*program, error) {
	for _, k := range l.program.Kernels {
		if k.Name != name {
			continue
		}
		if k.Errors.HasErrors() {
			return nil, errorsOf(k.Errors)
		}
		fn, errs := l.program.Body(k)
		if errs.HasErrors() {
			return nil, errorsOf(errs)
		}
		return compile(k, fn)
	}
	return nil, fmt.Errorf("%s has no kernel %s", l.program.Tree.Files[0].Name, name)
}

// threadgroup returns one that nobody uses.
func (k *kernel) threadgroup() *threadgroup {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.idle); n > 0 {
		g := k.idle[n-1]
		k.idle = k.idle[:n-1]
		return g
	}
	return &threadgroup{}
}

func (k *kernel) release(g *threadgroup) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.idle = append(k.idle, g)
}
