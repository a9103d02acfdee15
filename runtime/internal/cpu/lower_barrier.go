package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Where not all threads come to a barrier, a message says why not: which of the constructs
// around the barrier they are not in. Masks say that of the lanes of one simd-group. The
// sanitizer counts how often each simd-group enters the constructs that have a barrier in
// them, and notes where lanes leave them early.

// around is a construct around a barrier.
type around struct {
	kind   constructKind
	id     int32
	pos    int32 // index of its position
	active int32 // its mask
	count  int32 // the number of its counter
}

// threadgroupBarrier adds threadgroup_barrier.
func (b *builder) threadgroupBarrier(e *tree.Builtin) {
	in := instruction{flow: flowBarrier, a: b.flags(e), imm: int64(len(b.program.barriers))}
	var all []around
	for _, c := range b.constructs {
		b.hasBarrier(c)
		outer := b.pos
		b.pos = c.pos
		all = append(all, around{kind: c.kind, id: c.id, pos: b.positionIndex(), active: c.active, count: c.count})
		b.pos = outer
	}
	b.program.barriers = append(b.program.barriers, all)
	flags, known := constantIndex(e.Args[0])
	if !known {
		flags = memDevice
	}
	b.order.flags |= flags
	b.emit(in)
}

// prepared is an instruction that takes the place of one that does nothing.
type prepared struct {
	at int32
	in instruction
}

// ifBarrier adds an instruction for the sanitizer that is there where a construct has a
// barrier in it, which shows later.
func (m *masks) ifBarrier(c *construct, in instruction) {
	if !m.sanitize {
		return
	}
	c.ifBarrier = append(c.ifBarrier, prepared{int32(len(m.program.code)), in})
	m.emit(instruction{run: nothing})
	if c.barrier {
		m.hasBarrier(c)
	}
}

// hasBarrier says that a construct has a barrier in it.
func (m *masks) hasBarrier(c *construct) {
	if !c.barrier {
		c.barrier, c.count = true, int32(m.program.counters)
		m.program.counters++
	}
	for _, p := range c.ifBarrier {
		in := &m.program.code[p.at]
		p.in.pos, p.in.b = in.pos, c.count
		*in = p.in
	}
	c.ifBarrier = nil
}

// entered adds what counts how often the construct is entered.
func (m *masks) entered(c *construct) { m.ifBarrier(c, instruction{run: countEntry, c: c.id}) }

// noteLeave adds what notes where lanes leave a construct early, or in a loop a round of it. ends
// accepts it.
func (b *builder) noteLeave(how departure, ends func(*construct) bool) {
	for _, c := range slices.Backward(b.constructs) {
		if ends(c) {
			b.ifBarrier(c, instruction{run: noteLeave, c: c.id, imm: int64(how)})
			return
		}
	}
}
