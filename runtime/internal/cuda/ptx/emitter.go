package ptx

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// emitter writes the text of a kernel.
type emitter struct {
	*facts.Facts
	Options
	out     *text.Writer
	module  *abi.Module
	fieldAt map[fieldKey]int

	regOf []string // by value
	uses  []int    // by value, where sums are fused

	addressed []bool       // by object: something takes its address
	padded    []bool       // by object: it has gaps
	mask      string       // the active lanes; "" where nothing needs them
	exact     bool         // something needs them
	everyone  string       // those of the simd-group that the threadgroup has
	parting   map[int]bool // the labels of constructs in which they may part
	phase     string       // the register of how many barriers have been passed; "" without barriers
	exit      string       // the register of where a lane that has left goes on
	construct map[int]*construct
	around    *construct
	together  map[*ir.Instr]*together
	fused     map[*ir.Instr]fusedSum
	within    map[*ir.Instr]bool // products that are part of these, or of pairs

	halves map[ir.Value]string // registers with the bits of a value as half, which it was loaded as
	joint  *rounds             // that are being done together; nil elsewhere

	grid       threads
	lanes      lanes
	matrices   matrices
	several    several
	places     places
	accesses   accesses
	faults     faults
	arithmetic arithmetic
	flow       flow
	textures   textures

	routines  routines
	resources resources
	logs      logs

	noted string     // the predicate of what goes wrong in rounds that are done together; "" elsewhere
	sides []ir.Value // in these, the conditions of branches on whose first sides it is
	only  string     // in these, the predicate of the side of a branch; "" outside of such

	tensor  bool                 // products of matrices go to tensor cores
	packs   map[ir.Value]string  // registers with both elements of a lane, by the first one
	splits  map[string][2]string // what floats are the sums of, by their registers, in this region since a construct
	pairs   map[*ir.Instr]*ir.Instr
	chained map[*ir.Instr]*ir.Instr // pairs that are computed with the one whose sums they go on from
}

func newEmitter(k *ir.Kernel, o Options) *emitter {
	e := &emitter{
		out: text.NewWriter(), Options: o,
		module: &abi.Module{Kernel: k, Entry: entryName(k.Name)}, fieldAt: map[fieldKey]int{},
		regOf:     make([]string, k.Values()),
		construct: map[int]*construct{}, together: map[*ir.Instr]*together{},
		fused: map[*ir.Instr]fusedSum{}, within: map[*ir.Instr]bool{},
		halves: map[ir.Value]string{}, packs: map[ir.Value]string{}, splits: map[string][2]string{},
		pairs: map[*ir.Instr]*ir.Instr{}, chained: map[*ir.Instr]*ir.Instr{},
	}
	e.Align, e.Threads = max(o.Align, 1), cmp.Or(o.Threads, 1024)
	e.Facts = facts.Of(k, e.Threads, o.Bound)
	w := e.out
	e.grid, e.lanes, e.matrices, e.several = threads{w, e}, lanes{w, e}, matrices{w, e}, several{w, e}
	e.places, e.accesses, e.faults = places{w, e}, accesses{w, e}, faults{w, e}
	e.arithmetic, e.flow, e.textures = arithmetic{w, e}, flow{w, e}, textures{w, e}
	return e
}

// reg returns the register of a value. That of a constant is set first.
func (e *emitter) reg(v ir.Value) string {
	if bits, ok := e.Bits(v); ok {
		c := text.ClassOf(e.Type(v))
		r := e.out.Fresh(c)
		e.out.Op("mov.%s %s, %s;", c.Type(), r, text.Immediate(e.Type(v), bits))
		return r
	}
	if e.regOf[v] == "" {
		e.regOf[v] = e.out.Fresh(text.ClassOf(e.Type(v)))
	}
	return e.regOf[v]
}

// operand returns the register of a value, or the text of a constant that is no bool.
func (e *emitter) operand(v ir.Value) string {
	if bits, ok := e.Bits(v); ok && e.Type(v) != ir.Bool {
		return text.Immediate(e.Type(v), bits)
	}
	return e.reg(v)
}

// parameter returns a register with a parameter of a type such as "u64".
func (e *emitter) parameter(kind abi.FieldKind, index, offset int, typ string) string {
	at := e.fieldAt[fieldKey{kind, index}] + offset
	c := text.Word
	if strings.HasSuffix(typ, "64") {
		c = text.Long
	}
	return e.out.Once(fmt.Sprintf("parameter %d", at), c, func(r string) {
		e.out.First("ld.param.%s %s, [args+%d];", typ, r, at)
	})
}
