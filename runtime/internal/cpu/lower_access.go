package cpu

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// accesses lowers loads from places and stores to them.
type accesses struct {
	*assembler
	masks    *masks
	uniforms map[uniformLoad]int32 // what the prologue loads already
	locals   *routineInfo          // of the routine that is being lowered; nil in the kernel
}

// offsets returns the leaves of a place in memory, with their offsets from its pointer.
func (acc *accesses) offsets(p place, pos parser.Pos) []leaf {
	leaves := acc.leaves(p.typ, pos)
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

// load returns the value of a place.
func (acc *accesses) load(p place, pos parser.Pos) value {
	if p.memory {
		leaves := acc.offsets(p, pos)
		acc.touch(p, leaves, touchReads, nil)
		v := make(value, len(leaves))
		for i, l := range leaves {
			acc.program.forging = acc.program.forging || l.isHandle()
			if p.bits != 0 {
				v[i] = acc.loadBits(p, l)
				continue
			}
			if p.object != 0 && !p.packed && !l.packed {
				v[i] = acc.uniformLoad(p.object, p.offset+int64(l.offset), l)
				continue
			}
			v[i] = acc.loadLeaf(l, p, p.offset+int64(l.offset))
		}
		return v
	}
	if p.chooser < 0 {
		return slices.Clone(p.regs) // callers may put other registers into it
	}
	leaves := acc.leaves(p.typ, pos)
	v := make(value, len(leaves))
	for i, l := range leaves {
		v[i] = acc.choose(p, i, len(leaves), l.class())
	}
	return v
}

// choose loads leaf i, of n, of the part of registers that p.chooser picks.
func (acc *accesses) choose(p place, i, n int, c class) int32 {
	if c == maskClass {
		acc.checkChooser(p)
		r := acc.truth(false)
		for part := range p.count {
			is := acc.op(maskClass, equal[uint32], p.chooser, acc.word(uint32(part)))
			r = acc.opBy(unsetChoice, maskClass, selectMask, 0, p.regs[part*n+i], r, is)
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
		first, stride = acc.row(p, i, n, c)
	}
	run := elementOf[uint32]
	if c == longClass {
		run = elementOf[uint64]
	}
	d := acc.newTemp(c)
	acc.chooseUnset(p, i, n, d)
	acc.emit(instruction{run: run, d: d, a: p.chooser, b: first, c: int32(p.count), imm: int64(stride)})
	acc.nameParts(p)
	return d
}

// nameParts notes for a fault of the last instruction what it picks a part of.
func (acc *accesses) nameParts(p place) {
	if p.parts.of == "" {
		return
	}
	prog := acc.program
	if prog.parts == nil {
		prog.parts = map[int32]parts{}
	}
	prog.parts[prog.code[len(prog.code)-1].pos] = p.parts
}

// checkChooser makes a chooser that picks no part a fault.
func (acc *accesses) checkChooser(p place) {
	acc.decides("computes an index of it", p.chooser)
	acc.emitAt(acc.positionOf(p), instruction{run: checkIndex, a: p.chooser, c: int32(p.count)})
	acc.nameParts(p)
}

// positionOf returns the position of a place, or the current one for a place that no
// expression denotes.
func (acc *accesses) positionOf(p place) parser.Pos {
	return cmp.Or(p.pos, acc.pos)
}

// store assigns a value to a place in the active lanes.
func (acc *accesses) store(p place, v value) {
	pos := acc.pos
	if p.memory {
		leaves := acc.offsets(p, pos)
		acc.touch(p, leaves, touchWrites, v)
		for i, l := range leaves {
			if p.bits != 0 {
				acc.storeBits(p, l, v[i])
				continue
			}
			acc.storeLeaf(l, p, p.offset+int64(l.offset), v[i])
		}
		return
	}
	leaves := acc.leaves(p.typ, pos)
	if p.chooser < 0 {
		if len(leaves) > 1 {
			v = apart(acc.assembler, leaves, v, p.regs)
		}
		acc.assignAll(leaves, p.regs, v, p.scope)
		return
	}
	acc.checkChooser(p)
	for i, l := range leaves {
		if slices.Contains(p.regs, v[i]) {
			v[i] = acc.copyOf(l.class(), v[i])
		}
	}
	for part := range p.count {
		is := acc.op(maskClass, equal[uint32], p.chooser, acc.word(uint32(part)))
		acc.masks.branch(is, func() {
			acc.assignAll(leaves, p.regs[part*len(leaves):], v, p.scope)
		}, nil, false)
	}
}

// uniformLoad is a load of the prologue: of what no thread can change.
type uniformLoad struct {
	object int
	offset int64
	leaf   leaf
}

// uniformLoad loads from a constant argument once for each simd-group.
func (acc *accesses) uniformLoad(object int, offset int64, l leaf) int32 {
	l.offset = 0
	key := uniformLoad{object, offset, l}
	if r, ok := acc.uniforms[key]; ok {
		return r
	}
	acc.checkCode()
	r := acc.permanently(l.class())
	load := instruction{run: loads[l.kind], d: r, a: acc.pointer(object), imm: offset, pos: acc.positionIndex()}
	acc.program.prologue = append(acc.program.prologue, load)
	if l.isHandle() {
		acc.program.addresses = true
		acc.program.prologue = append(acc.program.prologue, instruction{run: fromMemory[l.handle], d: r, a: r})
	}
	acc.program.hoisted = append(acc.program.hoisted, hoistedLoad{object, offset + int64(sizes[l.kind])})
	acc.uniforms[key] = r
	return r
}

func (acc *accesses) loadLeaf(l leaf, p place, offset int64) int32 {
	if l.isHandle() && p.set() {
		acc.program.addresses = true
		from := fromMemory[l.handle]
		l.handle = tree.Void
		return acc.op(longClass, from, acc.loadLeaf(l, p, offset))
	}
	if (p.packed || l.packed) && sizes[l.kind] > 1 {
		return acc.loadBytes(l, p, offset)
	}
	in := access(loads[l.kind], p, offset)
	in.d = acc.newTemp(l.class())
	acc.loadUnset(l, p, offset, in.d)
	acc.emitTo(in)
	return in.d
}

func (acc *accesses) storeLeaf(l leaf, p place, offset int64, v int32) {
	if l.isHandle() && p.set() {
		acc.program.addresses = true
		l.handle = tree.Void
		v = acc.op(longClass, toMemory, v)
	}
	if (p.packed || l.packed) && sizes[l.kind] > 1 {
		acc.storeBytes(l, p, offset, v)
		return
	}
	acc.storeUnset(l, p, offset, v)
	in := access(stores[l.kind], p, offset)
	in.d = v
	acc.emitAt(acc.positionOf(p), in)
}

// access returns an instruction that loads from a place in memory or stores to it.
func access(run operation, p place, offset int64) instruction {
	return instruction{run: run, a: p.pointer, b: p.index, c: p.indexed, target: p.scale, imm: offset}
}

// loads and stores are the operations for the scalars in memory.
var loads = [...]operation{
	tree.Bool: loadBool, tree.Char: loadInt8, tree.UChar: loadUint8, tree.Short: loadInt16, tree.UShort: loadUint16,
	tree.Int: load32, tree.UInt: load32, tree.Long: load64, tree.ULong: load64,
	tree.Half: loadHalf, tree.BFloat: loadBFloat, tree.Float: load32,
}

var stores = [...]operation{
	tree.Bool: storeBool, tree.Char: storeUint8, tree.UChar: storeUint8, tree.Short: storeUint16, tree.UShort: storeUint16,
	tree.Int: store32, tree.UInt: store32, tree.Long: store64, tree.ULong: store64,
	tree.Half: storeHalf, tree.BFloat: storeBFloat, tree.Float: store32,
}

// threadObject returns the pointer to a new object in the memory of a thread.
func (acc *accesses) threadObject(name string, t *tree.Type, pos parser.Pos) int32 {
	taken := &acc.program.private
	if acc.locals != nil {
		taken = &acc.locals.memory
	}
	offset := *taken
	*taken += (t.Size + 7) &^ 7
	if *taken > maxPrivate {
		fail(pos, "the variables of a thread take more than the %d bytes that the CPU device has for them", maxPrivate)
	}
	memory := threadMemory{size: t.Size, offset: offset}
	info := elementsOf(name, t, pos, memory)
	if acc.locals == nil {
		return acc.pointer(acc.program.addObject(info))
	}
	pointer := acc.fresh(longClass) // the call sets it: nothing else may have it before
	acc.fixed[pointer], acc.permanent[pointer] = true, true
	acc.locals.locals = append(acc.locals.locals, local{info: info, memory: memory, pointer: pointer})
	return pointer
}

// newObject returns a place in the memory of a thread for a value without a variable.
func (acc *accesses) newObject(name string, t *tree.Type, pos parser.Pos) place {
	return inMemoryAt(t, acc.threadObject(name, t, pos), 0)
}

// address returns a pointer to a place.
func (acc *accesses) address(p place, pos parser.Pos) int32 {
	if !p.memory || p.regs != nil {
		unsupported(pos, "the address of this")
	}
	pointer := acc.settled(p)
	if p.offset == 0 {
		return pointer
	}
	return acc.opImm(longClass, addPointerLong, 1, pointer, acc.long(uint64(p.offset)))
}

// settled returns the pointer of a place in memory, moved by its index.
func (acc *accesses) settled(p place) int32 {
	if p.indexed == noIndex {
		return p.pointer
	}
	runs := [...]operation{
		intIndex: addPointerWord[int32], uintIndex: addPointerWord[uint32], longIndex: addPointerLong,
	}
	return acc.opImm(longClass, runs[p.indexed], int64(p.scale), p.pointer, p.index)
}

// row copies leaf i, of n, of all parts of a place in registers side by side.
func (acc *accesses) row(p place, i, n int, c class) (first, stride int32) {
	first, stride = acc.extend(c, p.count), classSizes[c]
	for part := range p.count {
		acc.copyTo(c, first+int32(part)*stride, p.regs[part*n+i])
	}
	return first, stride
}

// apart copies those registers of v that writing dst one after the other would
// change before they are read, as in v.xy = v.yx.
func apart(asm *assembler, leaves []leaf, v, dst value) value {
	written := map[int32]bool{}
	safe := make(value, len(v))
	for i := range v {
		safe[i] = v[i]
		if written[v[i]] {
			safe[i] = asm.copyOf(leaves[i].class(), v[i])
		}
		written[dst[i]] = true
	}
	return safe
}
