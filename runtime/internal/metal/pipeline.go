package metal

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// pipelines are those of one kernel: one for each set of function constants.
type pipelines struct {
	mu  sync.Mutex
	all map[string]*pipeline // by the bytes of the constants
	// plain is the one of a kernel without constants, found without a lock.
	plain *pipeline
}

// pipeline is a kernel ready to be dispatched.
type pipeline struct {
	once   sync.Once
	id     objc.ID
	err    error
	kernel *driver.Kernel

	maxThreads   int // of a threadgroup
	staticMemory int // bytes of threadgroup memory that the kernel declares itself

	label label
}

func (p *pipelines) release() {
	for _, one := range p.all {
		one.id.Release()
		one.label.release()
	}
}

// pipeline makes the pipeline of a dispatch at its first use.
func (d *Device) pipeline(from *driver.Dispatch) (*pipeline, error) {
	d.mu.Lock()
	ps := d.pipelines[from.Kernel]
	if ps == nil {
		ps = &pipelines{all: map[string]*pipeline{}}
		d.pipelines[from.Kernel] = ps
	}
	d.mu.Unlock()

	ps.mu.Lock()
	p := ps.plain
	if p == nil || len(from.Constants) > 0 {
		key := keyOf(from.Constants)
		if p = ps.all[key]; p == nil {
			p = &pipeline{kernel: from.Kernel}
			ps.all[key] = p
		}
		if len(from.Constants) == 0 {
			ps.plain = p
		}
	}
	ps.mu.Unlock()
	p.once.Do(func() {
		objc.WithPool(func() { p.err = p.make(d, from.Constants) })
	})
	return p, p.err
}

// keyOf tells sets of function constants apart.
func keyOf(constants []driver.Value) string {
	var b strings.Builder
	for _, c := range constants {
		fmt.Fprintf(&b, "%d:%x,", c.Arg.Index, c.Bytes)
	}
	return b.String()
}

func (p *pipeline) make(d *Device, constants []driver.Value) error {
	lib, err := d.library(p.kernel.Library)
	if err != nil {
		return err
	}
	name, err := objc.NewString(p.kernel.Name)
	if err != nil {
		return err
	}
	defer name.Release()
	var function objc.ID
	if len(constants) == 0 {
		function = objc.ID(lib.id.Send(selNewFunction, uintptr(name)))
		if function == 0 {
			return fmt.Errorf("%s has no kernel %s", p.kernel.Library.File, p.kernel.Name)
		}
	} else {
		values, err := constantValues(constants)
		if err != nil {
			return err
		}
		defer values.Release()
		word, err := lib.id.SendError(selNewFunctionConstants, uintptr(name), uintptr(values))
		if err != nil {
			return fmt.Errorf("%s: %w", p.kernel.Name, err)
		}
		function = objc.ID(word)
	}
	defer function.Release()
	word, err := d.id.SendError(selNewPipeline, uintptr(function))
	if err != nil {
		return fmt.Errorf("%s: %w", p.kernel.Name, err)
	}
	p.id = objc.ID(word)
	p.maxThreads = int(p.id.Send(selMaxTotalThreads))
	p.staticMemory = int(p.id.Send(selStaticThreadgroup))
	return nil
}

// constantValues makes the MTLFunctionConstantValues of a set of constants.
func constantValues(constants []driver.Value) (objc.ID, error) {
	class, err := objc.Class("MTLFunctionConstantValues")
	if err != nil {
		return 0, err
	}
	values := objc.ID(objc.ID(class.Send(selAlloc)).Send(selInit))
	s := objc.NewSender()
	defer s.Free()
	for i := range constants {
		c := &constants[i]
		typ, ok := dataTypes[c.Arg.Type]
		if !ok {
			values.Release()
			return 0, fmt.Errorf("function constant %s: Metal takes no constants of type %s", c.Arg.Name, c.Arg.Type)
		}
		s.Send(values, selSetConstantValue, s.Hold(unsafe.Pointer(unsafe.SliceData(c.Bytes))), typ, uintptr(c.Arg.Index))
	}
	return values, nil
}

// dataTypes are the MTLDataType of the types that function constants may have
// (Apple: MTLArgument.h).
var dataTypes = map[string]uintptr{
	"float": 3, "float2": 4, "float3": 5, "float4": 6,
	"half": 16, "half2": 17, "half3": 18, "half4": 19,
	"int": 29, "int2": 30, "int3": 31, "int4": 32,
	"uint": 33, "uint2": 34, "uint3": 35, "uint4": 36,
	"short": 37, "short2": 38, "short3": 39, "short4": 40,
	"ushort": 41, "ushort2": 42, "ushort3": 43, "ushort4": 44,
	"char": 45, "char2": 46, "char3": 47, "char4": 48,
	"uchar": 49, "uchar2": 50, "uchar3": 51, "uchar4": 52,
	"bool": 53, "bool2": 54, "bool3": 55, "bool4": 56,
	"long": 81, "long2": 82, "long3": 83, "long4": 84,
	"ulong": 85, "ulong2": 86, "ulong3": 87, "ulong4": 88,
	"bfloat": 121, "bfloat2": 122, "bfloat3": 123, "bfloat4": 124,
}
