package cuda

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// variantKey says for which calls a kernel is compiled.
type variantKey struct {
	align   int // of all buffers
	ragged  bool
	whole   bool   // threadgroups consist of whole simd-groups
	threads int    // that a threadgroup has at most: 256, 512 or 1024, or just as many as it has
	bound   string // the objects of values that come as buffers
	shown   string // textures and samplers
}

// variant is a function of the GPU.
type variant struct {
	*abi.Module
	module     libcuda.Module
	function   libcuda.Function
	maxThreads int
	found      []abi.Texture // the kinds of textures that it finds in memory
	err        error
}

// variant returns the function of the GPU for calls like one, which is compiled unless that has been done.
func (k *kernel) variant(key variantKey, from *driver.Dispatch) (*variant, error) {
	var shown shown
	key.shown, shown = k.shown(from)
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.variants[key]
	if v == nil {
		v = &variant{found: shown.found}
		v.err = k.device.options.Measure(k.from.Name, from.For, func() error {
			o := ptx.Options{Align: key.align, Ragged: key.ragged, Whole: key.whole, Threads: key.threads, Bound: map[int]bool{},
				Textures: shown.textures, Samplers: shown.samplers, Found: shown.found, FoundSamplers: shown.all,
				Unchecked: k.device.options.Unchecked,
				Fast:      k.device.options.Math != driver.MathSafe, Capability: k.device.capability}
			for _, object := range []byte(key.bound) {
				o.Bound[int(object)] = true
			}
			return k.compile(v, o)
		})
		k.variants[key] = v
	}
	return v, v.err
}

// compile has the driver compile the kernel.
func (k *kernel) compile(v *variant, o ptx.Options) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: internal error: %v", k.from.Name, r)
		}
	}()
	if v.Module, err = ptx.Write(k.ir, o); err != nil {
		return k.explain(err)
	}
	d := k.device
	var log string
	err = d.try(func() (string, libcuda.Result) {
		var r libcuda.Result
		if v.module, log, r = d.lib.ModuleLoadData(v.Text); r != libcuda.Success {
			return "cuModuleLoadDataEx", r
		}
		if v.function, r = d.lib.ModuleGetFunction(v.module, v.Entry); r != libcuda.Success {
			return "cuModuleGetFunction", r
		}
		v.maxThreads, r = d.lib.FuncGetAttribute(libcuda.FuncMaxThreadsPerBlock, v.function)
		return "cuFuncGetAttribute", r
	})
	if err != nil && log != "" {
		err = fmt.Errorf("%w: %s", err, log)
	}
	if err != nil {
		return &driver.CompileError{File: k.from.Library.File, Diagnostics: []driver.Diagnostic{{
			Pos: position(k.ir.Pos), Msg: "the driver's compiler rejects the kernel: " + err.Error(),
		}}}
	}
	return nil
}

// unload ends the functions of a kernel. The context is current.
func (k *kernel) unload() {
	for _, v := range k.variants {
		if v.module != 0 {
			k.device.lib.ModuleUnload(v.module)
		}
	}
}
