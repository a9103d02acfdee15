package cpu

import (
	"errors"
	"fmt"

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
func compile(k *tree.Kernel, fn *tree.Func, how building, stop func() bool) (p *program, err error) {
	if !how.uninit {
		return compileWith(k, fn, how, nil, stop)
	}
	known := &suspects{numbers: map[int]bool{}}
	for round := 1; ; round++ {
		n := len(known.numbers)
		known.all = round == maxRounds
		p, err = compileWith(k, fn, how, known, stop)
		if err != nil || known.all || len(known.numbers) == n {
			return p, err
		}
	}
}

func compileWith(
	k *tree.Kernel, fn *tree.Func, how building, known *suspects, stop func() bool,
) (p *program, err error) {
	defer func() {
		r := recover()
		if e, ok := r.(unsupportedError); ok {
			p, err = nil, e.err
		} else if r != nil {
			panic(r)
		}
	}()
	b := newBuilder(k.Name, how)
	if known != nil {
		b.unsets = unsets{of: map[int32]int32{}, joins: map[int32]int{}, suspects: known}
	}
	b.stop = stop
	b.at(fn.Pos)
	b.know(fn)
	if !how.uninit { // which says where an element was read
		b.findArrays(&b.unrolling)
	}
	if b.pointed != nil {
		b.findPointed()
	}
	for i, param := range k.Params {
		b.parameter(param, fn.Params[i])
	}
	b.block(fn.Body.List)
	b.here(b.resume())
	b.emit(instruction{flow: flowStop})
	b.lowerRoutines()
	if len(b.program.objects) > maxObjects {
		fail(fn.Pos, "the kernel has more than %d constants and variables in memory", maxObjects)
	}
	b.program.size = b.size
	b.findOrders()
	if known != nil {
		b.program.number()
	}
	return b.program, nil
}

// unsupportedError is what lowering panics with, deep in a tree, where it cannot go on.
type unsupportedError struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(unsupportedError{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func unsupported(pos parser.Pos, what string) {
	fail(pos, "the CPU device does not support %s yet", what)
}

var errNotConstant = errors.New("its value is not known when compiling")
