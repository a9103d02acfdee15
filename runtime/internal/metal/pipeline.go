package metal

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// pipelines are those of one kernel: one for each set of function constants.
type pipelines struct {
	mu  sync.Mutex
	all map[string]*pipeline // by the key of the constants
	// plain is the one of a kernel without constants, found without a key.
	plain *pipeline
}

// pipeline is a kernel ready to be dispatched.
type pipeline struct {
	attempt
	id     objc.ID
	kernel *driver.Kernel
	table  int // buffers and values up to the last index

	from       objc.ID // an MTLFunction
	inCommands inCommands

	placeholder  *memory
	maxThreads   int // of a threadgroup
	staticMemory int // bytes of threadgroup memory that the kernel declares itself

	label label
	logs  bool // it may write messages
}

func (p *pipelines) release() {
	for _, one := range p.all {
		one.id.Release()
		one.from.Release()
		one.inCommands.id.Release()
		one.label.release()
	}
}

// pipeline makes the pipeline of a dispatch at its first use. Nothing is locked
// meanwhile but the pipeline, and its library where that is compiled too: others
// are made at the same time.
func (d *Device) pipeline(from *driver.Dispatch) (*pipeline, error) {
	d.mu.Lock()
	ps := d.pipelines[from.Kernel]
	if ps == nil {
		ps = &pipelines{all: map[string]*pipeline{}}
		d.pipelines[from.Kernel] = ps
	}
	d.mu.Unlock()

	p := ps.of(from)
	err := p.do(func() (err error) {
		return d.options.Measure(from.Kernel.Name, from.For, func() error {
			objc.WithPool(func() { err = p.make(d, from) })
			return err
		})
	})
	return p, err
}

// of finds the pipeline of a dispatch, or the place where it will be made.
func (ps *pipelines) of(from *driver.Dispatch) *pipeline {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.plain != nil && len(from.Constants) == 0 {
		return ps.plain
	}
	var space [128]byte // no allocation in the steady state
	key := appendKey(space[:0], from.Constants)
	p := ps.all[string(key)]
	if p == nil {
		p = &pipeline{kernel: from.Kernel, table: tableOf(from.Kernel)}
		ps.all[string(key)] = p
	}
	if len(from.Constants) == 0 {
		ps.plain = p
	}
	return p
}

func (p *pipeline) make(d *Device, from *driver.Dispatch) (err error) {
	constants := from.Constants
	if p.placeholder, err = d.placeholderFor(p.kernel); err != nil {
		return err
	}
	lib, err := d.library(p.kernel.Library, from.For)
	if err != nil {
		return err
	}
	name, err := objc.NewString(p.kernel.Name)
	if err != nil {
		return err
	}
	defer name.Release()
	function, err := p.function(lib, name, constants)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			function.Release()
		}
	}()
	path := d.archives.pathOf(p, lib, constants)
	id, reflection, err := d.newPipeline(function, name, path)
	if err != nil {
		return fmt.Errorf("no pipeline from Metal: %w", err)
	}
	static := int(id.Send(selStaticThreadgroup))
	if err := drift(p.kernel, bindings(reflection), static > 0); err != nil {
		id.Release()
		return err
	}
	if width := int(id.Send(selExecutionWidth)); p.kernel.Simd && width != driver.SimdWidth {
		id.Release()
		return &driver.SimdWidthError{Kernel: p.kernel.Name, Need: driver.SimdWidth, Have: width}
	}
	p.id, p.from, p.staticMemory, p.logs = id, function, static, lib.logs
	p.maxThreads = int(id.Send(selMaxTotalThreads))
	return nil
}

// function makes the MTLFunction of the kernel, with its constants set.
func (p *pipeline) function(lib *library, name objc.ID, constants []driver.Value) (objc.ID, error) {
	general := objc.ID(lib.id.Send(selNewFunction, uintptr(name)))
	if general == 0 {
		return 0, fmt.Errorf("%s has no kernel %s", p.kernel.Library.File, p.kernel.Name)
	}
	if needed := functionConstants(general); len(needed) > 0 {
		defer general.Release()
		return p.specialise(lib, name, needed, constants)
	}
	return general, nil
}

// What newPipeline wants to know beside. Apple: MTLPipelineOption in MTLDevice.h.
const (
	optionArgumentInfo      = 1 << 0
	optionBufferTypeInfo    = 1 << 1
	optionFailOnArchiveMiss = 1 << 2
)

// newPipeline makes an MTLComputePipelineState that carries a label, by way of an archive where it has a path, and
// returns what Metal says of its arguments, which the pool holds.
func (d *Device) newPipeline(function, label objc.ID, archive string) (state, reflection objc.ID, err error) {
	descriptor, err := objc.New("MTLComputePipelineDescriptor")
	if err != nil {
		return 0, 0, err
	}
	defer descriptor.Release()
	descriptor.Send(selSetComputeFunction, uintptr(function))
	descriptor.Send(selSetPipelineLabel, uintptr(label))
	if archive != "" {
		if state, reflection, err := d.archivedPipeline(archive, descriptor); err == nil {
			return state, reflection, nil
		}
		descriptor.Send(selSetBinaryArchives, 0)
	}
	return d.makePipeline(descriptor, 0)
}

func (d *Device) makePipeline(descriptor objc.ID, options uintptr) (state, reflection objc.ID, err error) {
	s := objc.NewSender()
	defer s.Free()
	out := new(objc.ID)
	options |= optionArgumentInfo | optionBufferTypeInfo
	word, err := s.SendError(d.id, selNewPipelineWithDescriptor, uintptr(descriptor), options, s.Hold(unsafe.Pointer(out)))
	return objc.ID(word), *out, err
}
