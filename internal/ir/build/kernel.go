// Package build makes ir of the checked tree of a kernel: everything that MSL means, and nothing about the
// machine that executes it.
//
// Read kernel.go first, then storage.go and place.go, where variables are and what lvalues denote; expression.go and
// statement.go walk the tree. load.go, store.go and bits.go reach memory, emitter.go, operator.go and convert.go
// compute. A function of the library that is one operation needs no more than its row in the table of package ir; those
// that are made of several are in library.go and the files of the tables that it names.
//
// Each expression is written in the order in which MSL evaluates it, and a value is what it was then. A
// function is written where it is called, but one that calls itself becomes a routine (recursion.go).
package build

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Options say how a kernel is built.
type Options struct {
	// Device is what messages call the machine: "the CPU device".
	Device string
	// Stop, which may be nil, is asked now and then whether the kernel is of no use any more.
	Stop func() bool
}

// Kernel returns the ir of a kernel, whose checked body is that of fn. What the kernel needs and is not there is a
// parser.Error.
func Kernel(k *tree.Kernel, fn *tree.Func, opts Options) (out *ir.Kernel, err error) {
	defer func() {
		r := recover()
		if f, ok := r.(failure); ok {
			out, err = nil, f.err
		} else if r != nil {
			panic(r)
		}
	}()
	out = ir.NewKernel(k.Name, fn.Pos)
	b := newBuilder(out, opts)
	b.kernel, b.params = k, fn.Params
	b.out.At(fn.Pos)
	b.vars.know(fn)
	out.Volatile = fn.Volatile
	if b.vars.pointed != nil {
		b.vars.findPointed()
	}
	for i, param := range k.Params {
		b.vars.parameter(param, fn.Params[i])
	}
	b.block(fn.Body.List)
	if !b.out.Ended() {
		b.out.Emit(ir.Instr{Op: ir.OpReturn})
	}
	b.writeRoutines()
	if len(out.Objects) > maxObjects {
		fail(fn.Pos, "the kernel has more than %d constants and variables in memory", maxObjects)
	}
	if b.castsConst {
		for _, o := range out.Objects[1:] {
			o.ReadOnly = o.ReadOnly && o.Space == ir.ConstantSpace
		}
	}
	return out, nil
}

// builder walks the tree. What it writes goes through its parts, each of which knows only those before it.
type builder struct {
	out    *emitter   // instructions
	num    *numbers   // operations on scalars, vectors and matrices
	flow   *flow      // constructs
	consts *constants // what the source says once and for all
	mem    *memory    // loads and stores
	vars   *variables // where the variables are

	kernel *tree.Kernel
	params []*tree.Var // its parameters

	routines map[*tree.Func]*routine
	waiting  []*routine // to be written
	inside   *routine   // that is being written; nil in the kernel
	calls    int        // that are inlined in one another
	// castsConst is set where the kernel makes a pointer to what is not const of one to what is, and so may
	// write arguments that it says it only reads.
	castsConst bool
}

func newBuilder(k *ir.Kernel, opts Options) *builder {
	out := &emitter{Writer: ir.NewWriter(k), leaves: leafCache{}, device: opts.Device}
	out.stop = opts.Stop
	num := &numbers{out}
	consts := &constants{out: out, samplers: map[*tree.SamplerState]int{}}
	mem := &memory{out: out, num: num}
	return &builder{
		out: out, num: num, flow: &flow{out: out}, consts: consts, mem: mem,
		vars:     newVariables(out, num, consts, mem),
		routines: map[*tree.Func]*routine{},
	}
}

// failure is what building panics with, deep in a tree, where it cannot go on.
type failure struct{ err error }

func fail(pos parser.Pos, format string, args ...any) {
	panic(failure{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

// unsupported fails where the source needs what is not there.
func (em *emitter) unsupported(pos parser.Pos, what string) {
	fail(pos, "%s does not support %s yet", em.device, what)
}
