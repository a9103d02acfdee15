package cpu

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// building is how a kernel is compiled.
type building struct {
	// hoist has constant arguments loaded once for each simd-group, before all else, which
	// needs all of them to be there.
	hoist    bool
	sanitize bool // tell the sanitizer what is touched
	nan      bool // have it look at the results of operations too
	shape    bool // have it compare what is touched with stated shapes
	uninit   bool // have it follow what nothing has written
	pause    bool // let simd-groups stop where a schedule wants it
}

// compile returns the program of a kernel. It ends with errStopped where stop, which may be
// nil, says so.
func compile(k *tree.Kernel, fn *tree.Func, how building, stop func() bool) (*code, error) {
	out, err := build.Kernel(k, fn, build.Options{Device: "the CPU device", Stop: stop})
	if err != nil {
		return nil, err
	}
	if err := pass.Run(out, pass.Options{Uninit: how.uninit, NaN: how.nan, Stop: stop, Each: eachPass}); err != nil {
		return nil, err
	}
	p, err := assemble(out, how, stop)
	if err != nil {
		return nil, err
	}
	return load(p), nil
}

// eachPass is called after each pass. Tests verify kernels there.
var eachPass func(p pass.Pass, k *ir.Kernel) error

// unsupportedError is what the emitter panics with where it cannot go on.
type unsupportedError struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func unsupported(pos parser.Pos, what string) {
	fail(pos, "the CPU device does not support %s yet", what)
}
