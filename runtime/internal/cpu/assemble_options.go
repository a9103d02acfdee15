package cpu

import (
	"fmt"

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

// unsupportedError is what the emitter panics with where it cannot go on.
type unsupportedError struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func unsupported(pos parser.Pos, what string) {
	fail(pos, "the CPU device does not support %s yet", what)
}
