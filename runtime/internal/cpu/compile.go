package cpu

import (
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sanitize"
)

// compile returns the program of a kernel. It ends with ir.ErrStopped where stop, which may be
// nil, says so.
func compile(k *tree.Kernel, fn *tree.Func, how assemble.Options, stop func() bool) (*interp.Code, error) {
	out, err := build.Kernel(k, fn, build.Options{Device: "the CPU device", Stop: stop})
	if err != nil {
		return nil, err
	}
	o := pass.Options{
		Uninit: how.Uninit, NaN: how.NaN, Hoist: how.Hoist, Invariant: !how.Sanitize, Plain: how.Plain, Stop: stop,
	}
	if err := pass.Run(out, o); err != nil {
		return nil, err
	}
	p, err := assemble.Program(out, how, stop)
	if err != nil {
		return nil, err
	}
	if len(p.Textures) > 0 {
		makeTexelCode()
	}
	if how.Sanitize {
		return interp.Load(p, sanitize.Operations()), nil
	}
	return interp.Load(p, nil), nil
}
