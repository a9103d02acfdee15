package cpu

import (
	"fmt"
	"os"
	"sync"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// library is a source, parsed once a device.
type library struct {
	once    sync.Once
	program *msl.Program
	err     error
}

// kernel is a compiled kernel.
type kernel struct {
	device  *Device
	text    *string // of its source
	once    sync.Once
	checked *tree.Kernel
	fn      *tree.Func
	program *program
	err     error
	pools   [2]pool // of program, and of the careful one

	carefulOnce    sync.Once
	carefulProgram *program
	carefulErr     error
}

// kernel returns the compiled form of a kernel. Of several callers at once, one
// compiles and the others wait.
func (d *Device) kernel(from *driver.Kernel) (*kernel, error) {
	d.mu.Lock()
	k := d.kernels[from]
	if k == nil {
		k = &kernel{device: d, text: from.Library.Source}
		d.kernels[from] = k
	}
	lib := d.libraries[from.Library]
	if lib == nil {
		lib = &library{}
		d.libraries[from.Library] = lib
	}
	d.mu.Unlock()
	k.once.Do(func() {
		defer recoverInternal(&k.err, from.Name)
		if k.err = lib.load(from.Library, d.define); k.err != nil {
			return
		}
		if k.checked, k.fn, k.err = lib.check(from.Name); k.err != nil {
			return
		}
		k.program, k.err = compile(k.checked, k.fn, true, d.sanitize != 0, nil)
	})
	return k, k.err
}

// careful returns the program for dispatches in which something is missing that the
// other one loads whether or not it is needed.
func (k *kernel) careful() (*program, error) {
	k.carefulOnce.Do(func() {
		defer recoverInternal(&k.carefulErr, k.checked.Name)
		k.carefulProgram, k.carefulErr = compile(k.checked, k.fn, false, k.device.sanitize != 0, nil)
	})
	return k.carefulProgram, k.carefulErr
}

// load parses the source. Local includes are flattened into it; those of Metal's
// own headers stand for what is built in.
func (l *library) load(from *driver.Library, define []string) error {
	l.once.Do(func() {
		defer recoverInternal(&l.err, from.File)
		text := *from.Source
		unit, errs := preprocess.Run(from.File, from.File, &preprocess.Options{
			Define:      define,
			FollowLines: true,
			ReadFile: func(path string) ([]byte, error) {
				if path == from.File {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			},
		})
		if errs.HasErrors() {
			l.err = compileError(from.File, errs)
			return
		}
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			l.err = compileError(from.File, errs)
			return
		}
		if l.program, errs = msl.Analyze(tree); errs.HasErrors() {
			l.err = compileError(from.File, errs)
		}
	})
	return l.err
}

// compileError returns errors of the parser or the checker as those of a device.
func compileError(file string, list parser.ErrorList) error {
	c := &driver.CompileError{File: file}
	for _, e := range list {
		c.Diagnostics = append(c.Diagnostics, driver.Diagnostic{Pos: position(e.Pos), Warning: e.Warning, Msg: e.Msg})
	}
	return c
}

// check returns a kernel with its checked body.
func (l *library) check(name string) (*tree.Kernel, *tree.Func, error) {
	for _, k := range l.program.Kernels {
		if k.Name != name {
			continue
		}
		if k.Errors.HasErrors() {
			return nil, nil, compileError(l.program.Tree.Files[0].Name, k.Errors)
		}
		fn, errs := l.program.Body(k)
		if errs.HasErrors() {
			return nil, nil, compileError(l.program.Tree.Files[0].Name, errs)
		}
		return k, fn, nil
	}
	return nil, nil, fmt.Errorf("%s has no kernel %s", l.program.Tree.Files[0].Name, name)
}
