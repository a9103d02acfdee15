package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// offsets are where the leaves of a place in memory are.
func (b *builder) offsets(p place, pos parser.Pos) []leaf {
	leaves := b.leaves(p.typ, pos)
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

// load gives the value at a place.
func (b *builder) load(p place, pos parser.Pos) value {
	if p.memory {
		leaves := b.offsets(p, pos)
		v := make(value, len(leaves))
		for i, l := range leaves {
			if p.bits != 0 {
				v[i] = b.loadBits(p, l)
				continue
			}
			if p.object != 0 {
				v[i] = b.uniformLoad(p.object, p.offset+int64(l.offset), l)
				continue
			}
			v[i] = b.loadLeaf(l, p, p.offset+int64(l.offset))
		}
		return v
	}
	if p.chooser < 0 {
		return slices.Clone(p.regs) // callers may put other registers into it
	}
	leaves := b.leaves(p.typ, pos)
	v := make(value, len(leaves))
	for i, l := range leaves {
		v[i] = b.choose(p, i, len(leaves), l.class())
	}
	return v
}

// choose loads leaf i, of n, of the part of registers that p.chooser picks.
func (b *builder) choose(p place, i, n int, c class) int32 {
	if c == maskClass {
		b.checkChooser(p)
		r := b.truth(false)
		for part := range p.count {
			is := b.op(maskClass, equal[uint32], p.chooser, b.word(uint32(part)))
			r = b.op(maskClass, selectMask, p.regs[part*n+i], r, is)
		}
		return r
	}
	first := p.regs[i]
	stride := int32(0)
	if p.count > 1 {
		stride = p.regs[n+i] - first
	}
	for part := range p.count {
		if p.regs[part*n+i] != first+int32(part)*stride {
			stride = 0
			break
		}
	}
	if stride == 0 && p.count > 1 {
		first, stride = b.row(p, i, n, c)
	}
	run := elementOf[uint32]
	if c == longClass {
		run = elementOf[uint64]
	}
	d := b.newTemp(c)
	b.emit(instruction{run: run, d: d, a: p.chooser, b: first, c: int32(p.count), imm: int64(stride)})
	return d
}

// checkChooser makes a chooser that picks no part a fault.
func (b *builder) checkChooser(p place) {
	outer := b.pos
	if p.pos != 0 {
		b.pos = p.pos
	}
	b.emit(instruction{run: checkIndex, a: p.chooser, c: int32(p.count)})
	b.pos = outer
}

// row copies leaf i of all parts side by side.
func (b *builder) row(p place, i, n int, c class) (first, stride int32) {
	first, stride = b.size, classSizes[c]
	b.size += int32(p.count) * stride
	for part := range p.count {
		b.copyTo(c, first+int32(part)*stride, p.regs[part*n+i])
	}
	return first, stride
}

// store assigns a value to a place, for the active lanes.
func (b *builder) store(p place, v value) {
	pos := b.program.positions[b.pos]
	if p.memory {
		for i, l := range b.offsets(p, pos) {
			if p.bits != 0 {
				b.storeBits(p, l, v[i])
				continue
			}
			b.storeLeaf(l, p, p.offset+int64(l.offset), v[i])
		}
		return
	}
	leaves := b.leaves(p.typ, pos)
	if p.chooser < 0 {
		if len(leaves) > 1 {
			v = b.apart(leaves, v, p.regs)
		}
		b.assignAll(leaves, p.regs, v, p.scope)
		return
	}
	b.checkChooser(p)
	for i, l := range leaves {
		if slices.Contains(p.regs, v[i]) {
			v[i] = b.copyOf(l.class(), v[i])
		}
	}
	for part := range p.count {
		is := b.op(maskClass, equal[uint32], p.chooser, b.word(uint32(part)))
		b.branch(is, func() {
			b.assignAll(leaves, p.regs[part*len(leaves):], v, p.scope)
		}, nil, false)
	}
}

// apart copies those registers of v that writing dst one after the other would
// change before they are read, as in v.xy = v.yx.
func (b *builder) apart(leaves []leaf, v, dst value) value {
	written := map[int32]bool{}
	safe := make(value, len(v))
	for i := range v {
		safe[i] = v[i]
		if written[v[i]] {
			safe[i] = b.copyOf(leaves[i].class(), v[i])
		}
		written[dst[i]] = true
	}
	return safe
}

// copyOf gives a register of its own that holds what r does.
func (b *builder) copyOf(c class, r int32) int32 {
	if b.fixed[r] {
		return r
	}
	t := b.newTemp(c)
	b.copyTo(c, t, r)
	return t
}

// uniformLoad is a load of the prologue: of what no thread can change.
type uniformLoad struct {
	object int
	offset int64
	leaf   leaf
}

// uniformLoad loads from a constant argument once for each simd-group.
func (b *builder) uniformLoad(object int, offset int64, l leaf) int32 {
	l.offset = 0
	key := uniformLoad{object, offset, l}
	if r, ok := b.uniforms[key]; ok {
		return r
	}
	r := b.size
	b.size += classSizes[l.class()]
	b.prologue = append(b.prologue, instruction{run: loadRun(l), d: r, a: b.pointer(object), imm: offset, pos: b.pos})
	b.program.hoisted = append(b.program.hoisted, hoistedLoad{object, offset + int64(sizes[l.kind])})
	b.uniforms[key] = r
	b.fixed[r], b.permanent[r] = true, true
	return r
}

func (b *builder) loadLeaf(l leaf, p place, offset int64) int32 {
	d := b.newTemp(l.class())
	b.emit(instruction{run: loadRun(l), d: d, a: p.pointer, b: p.index, c: p.indexed, target: p.scale, imm: offset})
	b.last = d
	return d
}

func (b *builder) storeLeaf(l leaf, p place, offset int64, v int32) {
	outer := b.pos
	b.pos = p.pos
	b.emit(instruction{run: storeRun(l), d: v, a: p.pointer, b: p.index, c: p.indexed, target: p.scale, imm: offset})
	b.pos = outer
}

// loads and stores are the operations for the scalars in memory.
var loads = [...]func(*frame, *instruction){
	msl.Bool: loadBool, msl.Char: loadInt8, msl.UChar: loadUint8, msl.Short: loadInt16, msl.UShort: loadUint16,
	msl.Int: load32, msl.UInt: load32, msl.Long: load64, msl.ULong: load64,
	msl.Half: loadHalf, msl.BFloat: loadBFloat, msl.Float: load32,
}

var stores = [...]func(*frame, *instruction){
	msl.Bool: storeBool, msl.Char: storeUint8, msl.UChar: storeUint8, msl.Short: storeUint16, msl.UShort: storeUint16,
	msl.Int: store32, msl.UInt: store32, msl.Long: store64, msl.ULong: store64,
	msl.Half: storeHalf, msl.BFloat: storeBFloat, msl.Float: store32,
}

func loadRun(l leaf) func(*frame, *instruction) { return loads[l.kind] }

func storeRun(l leaf) func(*frame, *instruction) { return stores[l.kind] }
