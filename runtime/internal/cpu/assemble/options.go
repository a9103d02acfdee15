package assemble

import (
	"fmt"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// width is the number of lanes of a simd-group.
const width = lanes.Width

// Options is how a kernel is compiled.
type Options struct {
	// Hoist has constant arguments loaded once for each simd-group, before all else, which
	// needs all of them to be there.
	Hoist    bool
	Sanitize bool // tell the sanitizer what is touched
	NaN      bool // have it look at the results of operations too
	Shape    bool // have it compare what is touched with stated shapes
	Uninit   bool // have it follow what nothing has written
	Plain    bool // for machine code: functions of integers that it lacks are spelled out
	Pause    bool // let simd-groups stop where a schedule wants it
}

// unsupportedError is what the emitter panics with where it cannot go on.
type unsupportedError struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func unsupported(pos parser.Pos, what string) {
	fail(pos, "the CPU device does not support %s yet", what)
}
