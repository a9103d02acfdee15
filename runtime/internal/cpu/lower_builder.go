package cpu

import (
	"math"
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// builder makes the program of a kernel, one function of the source after the
// other: calls are inlined, as Metal's compiler does.
type builder struct {
	program *program
	code    []instruction

	pos       int32 // of what is being lowered
	positions map[parser.Pos]int32

	size      int32            // of a frame so far
	free      [classes][]int32 // registers to use again
	temp      map[int32]class  // registers that nothing but the value at hand uses
	fixed     map[int32]bool   // registers that do not change while they have a name
	permanent map[int32]bool   // registers that never change, nor are given back
	// temps are the registers to give back at the end of the statement.
	temps []int32
	// last is the destination of the last instruction where that is a register
	// nobody else knows of, else -1: an assignment may make it its own.
	last int32

	constants   map[constant]int32
	uniforms    map[uniformLoad]int32 // of the prologue
	prologue    []instruction
	vars        map[*msl.Var]*storage
	constructs  []*construct
	depth       int                           // of inlined calls
	changing    map[*msl.Var]bool             // variables that are assigned to
	captures    map[*msl.Func]bool            // see know; has all functions whose variables are in changing
	objects     map[*msl.Var]int              // of variables in memory
	constantsOf map[*msl.FunctionConstant]int // index into program.values
	hoist       bool                          // see compile
	leafCache   map[*msl.Type][]leaf
}

// value is the registers of the leaves of a value.
type value []int32

// construct is a statement that changes which lanes are active, or an inlined
// call. entry is the mask from before it, without the lanes that have left it for
// good; active the mask inside, without those that have left it for now.
type construct struct {
	kind          constructKind
	entry, active int32
	resume        *label // where lanes go on that are to leave what is inside
	result        value  // of a call
}

type constructKind uint8

const (
	branchConstruct constructKind = iota
	loopConstruct
	switchConstruct
	callConstruct
	kernelConstruct
)

// label is an instruction that others lead to.
type label struct {
	at   int32
	refs []int32
}

func newLabel() *label { return &label{at: -1} }

// place puts the label before the next instruction.
func (b *builder) place(l *label) {
	l.at = int32(len(b.code))
	for _, ref := range l.refs {
		b.code[ref].target = l.at
	}
	b.last = -1
}

// emit adds an instruction.
func (b *builder) emit(in instruction) {
	if len(b.code) >= maxCode {
		b.fail(b.program.positions[b.pos], "the kernel comes to more than %d instructions with its calls inlined", maxCode)
	}
	in.pos = b.pos
	b.code = append(b.code, in)
	b.last = -1
}

// maxCode bounds a program: calls of calls of calls multiply.
const maxCode = 1 << 20

// flow adds an instruction that may lead to l.
func (b *builder) flow(in instruction, l *label) {
	if l != nil {
		in.target = l.at
		if l.at < 0 {
			l.refs = append(l.refs, int32(len(b.code)))
		}
	}
	b.emit(in)
}

// op adds an instruction with a destination of its own, and gives that.
func (b *builder) op(c class, run func(*frame, *instruction), operands ...int32) int32 {
	return b.opImm(c, run, 0, operands...)
}

func (b *builder) opImm(c class, run func(*frame, *instruction), imm int64, operands ...int32) int32 {
	in := instruction{run: run, imm: imm, d: b.newTemp(c)}
	for i, field := range []*int32{&in.a, &in.b, &in.c, &in.target} {
		if i < len(operands) {
			*field = operands[i]
		}
	}
	b.emit(in)
	b.last = in.d
	return in.d
}

// allocate gives a register or a mask.
func (b *builder) allocate(c class) int32 {
	if n := len(b.free[c]); n > 0 {
		r := b.free[c][n-1]
		b.free[c] = b.free[c][:n-1]
		return r
	}
	r := b.size
	b.size += classSizes[c]
	return r
}

// newTemp gives a register until the end of the statement.
func (b *builder) newTemp(c class) int32 {
	r := b.allocate(c)
	b.temp[r] = c
	b.temps = append(b.temps, r)
	return r
}

// release gives the registers back that were made since there were so many.
func (b *builder) release(mark int) {
	for _, r := range b.temps[mark:] {
		if c, ok := b.temp[r]; ok {
			b.free[c] = append(b.free[c], r)
			delete(b.temp, r)
		}
	}
	b.temps = b.temps[:mark]
	b.last = -1
}

// constantOf gives a register that always holds the same bits.
func (b *builder) constantOf(c class, bits uint64) int32 {
	key := constant{wide: c == longClass, bits: bits}
	if r, ok := b.constants[key]; ok {
		return r
	}
	r := b.size
	b.size += classSizes[c]
	b.constants[key] = r
	b.fixed[r], b.permanent[r] = true, true
	key.at = r
	b.program.constants = append(b.program.constants, key)
	return r
}

func (b *builder) word(bits uint32) int32   { return b.constantOf(wordClass, uint64(bits)) }
func (b *builder) long(bits uint64) int32   { return b.constantOf(longClass, bits) }
func (b *builder) float(v float32) int32    { return b.word(math.Float32bits(v)) }
func (b *builder) pointer(object int) int32 { return b.long(pointerTo(object)) }

// truth gives the mask of a known bool.
func (b *builder) truth(v bool) int32 {
	run := maskNone
	if v {
		run = maskAll
	}
	return b.op(maskClass, run)
}

// at makes what follows carry a position of the source.
func (b *builder) at(pos parser.Pos) {
	i, ok := b.positions[pos]
	if !ok {
		i = int32(len(b.program.positions))
		b.program.positions = append(b.program.positions, pos)
		b.positions[pos] = i
	}
	b.pos = i
}

// scope is the mask of the innermost construct: of the lanes for which what is
// declared here lives.
func (b *builder) scope() int32 { return b.constructs[len(b.constructs)-1].active }

// resume is where the lanes go on that leave the innermost construct's inside.
func (b *builder) resume() *label { return b.constructs[len(b.constructs)-1].resume }

// push opens a construct with masks of its own.
func (b *builder) push(kind constructKind) *construct {
	c := &construct{kind: kind, entry: b.allocate(maskClass), active: b.allocate(maskClass), resume: newLabel()}
	b.constructs = append(b.constructs, c)
	return c
}

func (b *builder) pop() {
	c := b.constructs[len(b.constructs)-1]
	b.constructs = b.constructs[:len(b.constructs)-1]
	b.free[maskClass] = append(b.free[maskClass], c.entry, c.active)
}

// leave makes the active lanes leave all constructs inside the one that ends
// finds, and of that one its active lanes unless they stay.
func (b *builder) leave(ends func(*construct) bool, stay bool) bool {
	var slots []int32
	for i := len(b.constructs) - 1; i >= 0; i-- {
		c := b.constructs[i]
		if ends(c) {
			if !stay {
				slots = append(slots, c.active)
			}
			b.program.leaves = append(b.program.leaves, slots)
			b.flow(instruction{flow: flowLeave, imm: int64(len(b.program.leaves) - 1)}, b.resume())
			return true
		}
		slots = append(slots, c.entry, c.active)
	}
	return false
}

// assign makes the active lanes of a variable's register hold what src does.
// scope is the mask for which the variable lives.
func (b *builder) assign(c class, dst, src, scope int32) {
	if dst == src {
		return
	}
	if c == maskClass {
		b.emit(instruction{run: moveMask, d: dst, a: src})
		return
	}
	copyRun, blendRun := copyWord[uint32], blendWord[uint32]
	if c == longClass {
		copyRun, blendRun = copyWord[uint64], blendWord[uint64]
	}
	if _, isTemp := b.temp[src]; isTemp && b.last == src {
		in := &b.code[len(b.code)-1]
		if in.masked == nil {
			in.masked = &[2]instruction{*in, {run: blendRun, d: dst, a: src, pos: in.pos}}
			in.d, in.scope = dst, scope
			b.last = -1
			return
		}
	}
	b.emit(instruction{run: copyRun, d: dst, a: src, scope: scope, masked: &[2]instruction{
		{run: blendRun, d: dst, a: src, pos: b.pos}, {run: nothing, pos: b.pos},
	}})
}

// assignAll is assign for all leaves of a value.
func (b *builder) assignAll(leaves []leaf, dst, src value, scope int32) {
	for i, l := range leaves {
		if slices.Contains(src[i+1:], src[i]) {
			b.last = -1 // as in v = float4(x): what is read again must stay in its own register
		}
		b.assign(l.class(), dst[i], src[i], scope)
	}
}

// copyTo makes all lanes of a register hold what src does.
func (b *builder) copyTo(c class, dst, src int32) {
	run := copyWord[uint32]
	switch c {
	case maskClass:
		run = copyMask
	case longClass:
		run = copyWord[uint64]
	}
	b.emit(instruction{run: run, d: dst, a: src})
}
