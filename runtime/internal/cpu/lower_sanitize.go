package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Where the device has a sanitizer, a program has an instruction before each access to
// memory that says what it is going to touch, and barriers say what they order. A value
// of several scalars is touched at once. Where the device has a schedule, simd-groups may
// stop before each access.

// touch adds what says that the leaves of a place are touched.
// stored are the registers of what is stored to them, nil where they are loaded.
func (acc *accesses) touch(p place, leaves []leaf, run operation, stored value) {
	acc.mayPause()
	acc.notes(p.space, stored != nil)
	acc.decidesAddress(p)
	if !acc.sanitize || p.object != 0 {
		return
	}
	for start := 0; start < len(leaves); {
		first, end := start, leaves[start].offset
		for start < len(leaves) && leaves[start].offset == end {
			end += sizes[leaves[start].kind]
			start++
		}
		in := access(run, p, p.offset+int64(leaves[first].offset))
		in.d = int32(end - leaves[first].offset)
		if p.packed && p.bits != 0 {
			in.d = int32(packedBytes(p))
		}
		if acc.shape && p.set() {
			acc.compareExtent(acc.positionOf(p), in, stored != nil)
		}
		var s site
		if !p.packed && p.bits == 0 {
			s.leaves = leaves[first:start]
			if stored != nil {
				s.stored = stored[first:start]
			}
		}
		acc.emitSite(acc.positionOf(p), in, s)
	}
}

// emitSite adds an instruction that says what is touched at a site.
func (asm *assembler) emitSite(pos parser.Pos, in instruction, s site) {
	in.scope = int32(len(asm.program.sites))
	asm.emitAt(pos, in)
	s.pos = asm.program.code[len(asm.program.code)-1].pos
	asm.program.sites = append(asm.program.sites, s)
}

// compareExtent adds what compares an access with the shape of its buffer.
func (asm *assembler) compareExtent(pos parser.Pos, in instruction, writes bool) {
	in.run = extentReads
	if writes {
		in.run = extentWrites
	}
	asm.emitAt(pos, in)
}

// mayPause adds a place where a schedule may stop the simd-group.
func (asm *assembler) mayPause() {
	if asm.pause {
		asm.emit(instruction{flow: flowPause})
	}
}

// touchAtomic adds what says that an atomic in an address space is touched.
func (asm *assembler) touchAtomic(space string, pointer int32, k tree.ScalarKind, writes bool) {
	asm.mayPause()
	asm.notes(space, false)
	if writes {
		asm.notes(space, true)
	}
	if !asm.sanitize {
		return
	}
	run := touchAtomicLoads
	if writes {
		run = touchAtomicWrites
	}
	in := instruction{run: run, a: pointer, d: int32(sizes[k])}
	if asm.shape {
		asm.compareExtent(asm.pos, in, writes)
	}
	asm.emitSite(asm.pos, in, site{leaves: []leaf{{kind: k}}})
}

// observeAtomic adds what says that an atomic was touched.
func (asm *assembler) observeAtomic(pointer int32, k tree.ScalarKind) {
	if asm.sanitize {
		asm.emit(instruction{run: observeAtomic, a: pointer, d: int32(sizes[k])})
	}
}

// touchMatrix adds what says that the elements of a simdgroup_matrix are touched.
func (b *builder) touchMatrix(o *matrixOperands, e *tree.Builtin) {
	b.mayPause()
	b.notes(e.Args[1].Type().Space, e.Name == "simdgroup_store")
	if !b.sanitize {
		return
	}
	run := func(f *frame, in *instruction) { touchMatrix(f, in, o) }
	in := instruction{run: run, d: int32(sizes[e.Args[0].Type().Scalar])}
	if e.Name == "simdgroup_store" {
		in.c = 1
	}
	if b.shape {
		b.emit(instruction{run: touchMatrixExtent(o, int64(in.d), in.c != 0)})
	}
	b.emitSite(b.pos, in, site{})
}

// flags returns the register of the flags of a barrier.
func (b *builder) flags(e *tree.Builtin) int32 {
	if !b.sanitize {
		return 0
	}
	return b.value(e.Args[0])[0]
}

// simdgroupBarrier adds simdgroup_barrier, which only the sanitizer needs.
func (b *builder) simdgroupBarrier(e *tree.Builtin) {
	if b.sanitize {
		b.emit(instruction{run: passSimdgroupBarrier, a: b.flags(e)})
	}
}

// fence adds atomic_thread_fence, which only the sanitizer needs: the device's atomics order
// all memory.
func (b *builder) fence(e *tree.Builtin) {
	if !b.sanitize {
		return
	}
	b.program.fences = true
	args := b.operands(e.Args...)
	b.emit(instruction{run: passFence, a: args[0][0], b: args[1][0], c: args[2][0]})
}
