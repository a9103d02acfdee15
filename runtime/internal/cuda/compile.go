package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/drift"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// kernel is a kernel as ir, and the functions of the GPU that were made of it.
type kernel struct {
	device *Device
	from   *driver.Kernel
	once   sync.Once
	ir     *ir.Kernel
	shows  bool // it has textures or samplers
	finds  bool // it has some in memory
	counts bool // it has atomic functions of textures
	exact  bool // it is compiled for each number of threads, on which depends what its matrices reach
	err    error

	mu       sync.Mutex
	variants map[variantKey]*variant
}

// kernel returns a kernel, which is compiled to ir unless that has been done. Its mistakes are returned each time.
func (d *Device) kernel(from *driver.Kernel) (*kernel, error) {
	d.mu.Lock()
	if d.stopped.Load() {
		d.mu.Unlock()
		return nil, &driver.StoppedError{}
	}
	k := d.kernels[from]
	if k == nil {
		k = &kernel{device: d, from: from, variants: map[variantKey]*variant{}}
		d.kernels[from] = k
	}
	lib := d.libraries[from.Library]
	if lib == nil {
		version := d.language()
		lib = frontend.NewLibrary(frontend.Source{File: from.Library.File, Text: *from.Library.Source, Define: d.define,
			Version: int(version>>16)*100 + int(version&0xffff)*10})
		d.libraries[from.Library] = lib
	}
	d.mu.Unlock()
	k.once.Do(func() { k.ir, k.err = k.build(lib) })
	return k, k.err
}

// build makes ir of the source.
func (k *kernel) build(lib *frontend.Library) (out *ir.Kernel, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: internal error: %v", k.from.Name, r)
		}
		err = k.explain(err)
	}()
	d := k.device
	if err := k.from.Library.Check(d.language()); err != nil {
		return nil, err
	}
	checked, fn, err := lib.Kernel(k.from.Name, d.stopped.Load)
	if err != nil {
		return nil, err
	}
	if err := drift.Check(k.from, checked, lib, d.stopped.Load); err != nil {
		return nil, err
	}
	if out, err = build.Kernel(checked, fn, build.Options{Device: "the CUDA device", Stop: d.stopped.Load}); err != nil {
		return nil, err
	}
	k.shows = slices.ContainsFunc(out.Objects, func(o *ir.Object) bool {
		return o != nil && (o.Kind == ir.TextureArgument || o.Kind == ir.SamplerArgument)
	})
	for in := range out.All() {
		k.exact = k.exact || in.Op == ir.OpMatrix
		handle, ok := in.Aux.(ir.HandleKind)
		k.finds = k.finds || ok && handle != ir.PointerHandle
		call, ok := in.Aux.(*ir.TextureCall)
		k.counts = k.counts || ok && call.Method == tree.TextureAtomic
	}
	return out, pass.Run(out, pass.Options{Stop: d.stopped.Load})
}

// explain returns the error of the front end, or of what the device lacks, as one with the line that it is about.
func (k *kernel) explain(err error) error {
	var list parser.ErrorList
	if one, ok := errors.AsType[*parser.Error](err); ok {
		list = parser.ErrorList{one}
	}
	if many, ok := errors.AsType[parser.ErrorList](err); ok {
		list = many
	}
	switch {
	case errors.Is(err, ir.ErrStopped):
		return &driver.StoppedError{}
	case list == nil:
		return err
	}
	c := &driver.CompileError{File: k.from.Library.File}
	source := frontend.Source{File: k.from.Library.File, Text: *k.from.Library.Source}
	quote := source.Quotes()
	for _, e := range list {
		c.Diagnostics = append(c.Diagnostics, driver.Diagnostic{
			Pos: position(e.Pos), Warning: e.Warning, Msg: e.Msg, Quote: quote(e.Pos),
		})
	}
	return c
}

// position returns a position as messages name it.
func position(p parser.Pos) string {
	if p.Line == 0 {
		return p.Filename
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}
