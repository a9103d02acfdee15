package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// memory writes loads from places and stores to them.
type memory struct {
	out     *emitter
	num     *numbers
	routine int // whose objects those of a thread are, plus 1; 0 in the kernel
	private int // bytes of the variables of a thread

	accesses []ir.Access // to be used
	first    *ir.Access  // of those that belong together
	together int
}

// load returns the value of a place.
func (m *memory) load(p place) value {
	if p.memory {
		return m.loadMemory(p)
	}
	leaves := m.out.leavesOf(p.typ, m.out.Pos())
	v := m.out.newValue(len(leaves))
	for i, l := range leaves {
		if p.chooser == 0 {
			v[i] = m.out.get(p.parts[i], l.held())
		} else {
			v[i] = m.choose(p, i, len(leaves), l.held())
		}
	}
	return v
}

// loadMemory loads scalars of one kind that lie side by side at once.
func (m *memory) loadMemory(p place) value {
	leaves := m.offsets(p)
	v := m.out.newValue(len(leaves))
	p = m.resolved(p)
	m.group()
	for i := 0; i < len(leaves); {
		l := leaves[i]
		if p.bits != 0 {
			v[i] = m.loadBits(p, l)
			i++
			continue
		}
		n := m.side(p, leaves[i:])
		if n == 1 {
			v[i] = m.loadLeaf(l, p, p.offset+int64(l.offset))
		} else {
			copy(v[i:], m.loadScalars(p, l, ir.ScalarOf(l.kind), n, p.offset+int64(l.offset)))
		}
		i += n
	}
	m.end()
	return v
}

// maxSide bounds the scalars of an access.
const maxSide = 16

// side returns how many of the leaves of a place are of one kind and lie side by side.
func (m *memory) side(p place, leaves []leaf) int {
	first := leaves[0]
	if p.packed || first.packed || first.isHandle() {
		return 1
	}
	n := 1
	for ; n < min(len(leaves), maxSide); n++ {
		l := leaves[n]
		if l.kind != first.kind || l.isHandle() || l.packed || l.unit != first.unit ||
			l.offset != first.offset+n*first.kind.Bytes() {
			break
		}
	}
	return n
}

// group and end enclose the accesses that belong together.
func (m *memory) group() { m.first, m.together = nil, 0 }

func (m *memory) end() {
	if m.together > 1 {
		m.first.Whole = m.together
	}
	m.group()
}

// access returns what an instruction does to a place in memory.
func (m *memory) access(p place, l leaf, k ir.Scalar, n int, offset int64) *ir.Access {
	if len(m.accesses) == 0 {
		m.accesses = make([]ir.Access, 32)
	}
	a := &m.accesses[0]
	m.accesses = m.accesses[1:]
	*a = ir.Access{
		Space: p.space, Kind: k, Count: n, Index: p.indexed, Scale: p.scale, Offset: offset,
		Bits: p.bits != 0, Packed: p.packed || l.packed, Unit: l.unit,
		Signed: l.kind.Signed() && !l.isHandle(),
	}
	if m.together++; m.together == 1 {
		m.first = a
	}
	return a
}

// loadScalars loads n scalars side by side.
func (m *memory) loadScalars(p place, l leaf, k ir.Scalar, n int, offset int64) []ir.Value {
	a := m.access(p, l, k, n, offset)
	if p.pos != m.out.Pos() {
		a.Site = p.pos
	}
	var few [maxSide]ir.Type
	types := few[:n]
	for i := range types {
		types[i] = k.Held()
	}
	return m.out.write(ir.Instr{Op: ir.OpLoad, Type: k.Held(), Args: m.where(p), Aux: a}, types...).Results
}

// where returns the operands that say where an access is.
func (m *memory) where(p place) []ir.Value {
	if p.indexed == ir.Void {
		return m.out.args(p.pointer)
	}
	return m.out.args(p.pointer, p.index)
}

func (m *memory) loadLeaf(l leaf, p place, offset int64) ir.Value {
	switch {
	case l.isHandle() && p.set():
		from := handleKind(l.handle)
		l.handle = tree.Void
		bits := m.loadLeaf(l, p, offset)
		return m.out.write(ir.Instr{Op: ir.OpFromMem, Type: ir.Ptr, Args: m.out.args(bits), Aux: from}, ir.Ptr).Result()
	case (p.packed || l.packed) && l.kind.Bytes() > 1:
		return m.loadBytes(l, p, offset)
	}
	return m.loadScalars(p, l, scalarOf(l), 1, offset)[0]
}

// scalarOf returns how memory holds a leaf.
func scalarOf(l leaf) ir.Scalar {
	if l.isHandle() {
		return ir.Address64
	}
	return ir.ScalarOf(l.kind)
}

func handleKind(k tree.Kind) ir.HandleKind {
	switch k {
	case tree.Texture:
		return ir.TextureHandle
	case tree.Sampler:
		return ir.SamplerHandle
	}
	return ir.PointerHandle
}

// choose loads leaf i, of n, of the part that the chooser of a place picks.
func (m *memory) choose(p place, i, n int, t ir.Type) ir.Value {
	args := m.out.List(1 + p.count)
	args[0] = p.chooser
	for part := range p.count {
		args[1+part] = m.out.get(p.parts[part*n+i], t)
	}
	pos := m.out.Pos()
	if t == ir.Bool {
		pos = m.positionOf(p)
	}
	return m.out.writeAt(pos, ir.Instr{Op: ir.OpPick, Type: t, Args: args, Aux: auxOf(p.named)}, t).Result()
}

// auxOf returns parts as an Aux.
func auxOf(parts *ir.Parts) any {
	if parts == nil {
		return nil
	}
	return parts
}

// checkChooser makes a chooser that picks no part a fault.
func (m *memory) checkChooser(p place) {
	m.out.writeAt(m.positionOf(p),
		ir.Instr{Op: ir.OpCheckIndex, Imm: int64(p.count), Args: m.out.args(p.chooser), Aux: auxOf(p.named)})
}

// positionOf returns the position of a place, or the current one for a place that no
// expression denotes.
func (m *memory) positionOf(p place) parser.Pos {
	if p.pos == (parser.Pos{}) {
		return m.out.Pos()
	}
	return p.pos
}

// offsets returns the leaves of a place in memory, with their offsets from its pointer.
func (m *memory) offsets(p place) []leaf {
	leaves := m.out.leavesOf(p.typ, m.out.Pos())
	if p.words {
		return wordsIn(leaves, p.typ.Align)
	}
	if p.elements == nil {
		return leaves
	}
	moved := make([]leaf, len(leaves))
	for i, l := range leaves {
		l.offset = p.elements[i]
		moved[i] = l
	}
	return moved
}

// threadObject returns a new object in the memory of a thread.
func (m *memory) threadObject(name string, t *tree.Type, pos parser.Pos) int {
	if m.private += (t.Size + 7) &^ 7; m.private > maxPrivate {
		fail(pos, "the variables of a thread take more than the %d bytes that %s has for them", maxPrivate,
			m.out.device)
	}
	o := objectOf(ir.ThreadVariable, name, t, pos)
	o.Routine = m.routine - 1
	return m.out.AddObject(o)
}

// newObject returns a place in the memory of a thread for a value without a variable.
func (m *memory) newObject(t *tree.Type, pos parser.Pos) place {
	return ofObject(t, m.threadObject("", t, pos), ir.Thread)
}

// address returns a pointer to an object.
func (em *emitter) address(object int) ir.Value { return em.opImm(ir.OpAddress, ir.Ptr, int64(object)) }

// resolved returns a place with the pointer to its object.
func (m *memory) resolved(p place) place {
	if p.object != 0 {
		p.pointer, p.object = m.out.address(p.object), 0
	}
	return p
}

// addressOf returns a pointer to a place.
func (m *memory) addressOf(p place, pos parser.Pos) ir.Value {
	if !p.memory {
		m.out.unsupported(pos, "the address of this")
	}
	pointer := m.settled(p)
	if p.offset == 0 {
		return pointer
	}
	return m.out.opImm(ir.OpMove, ir.S64, 1, pointer, m.out.long(uint64(p.offset)))
}

// settled returns the pointer of a place in memory, moved by its index.
func (m *memory) settled(p place) ir.Value {
	p = m.resolved(p)
	if p.indexed == ir.Void {
		return p.pointer
	}
	return m.out.opImm(ir.OpMove, p.indexed, int64(p.scale), p.pointer, p.index)
}
