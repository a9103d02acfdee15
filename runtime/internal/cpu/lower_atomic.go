package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

var atomicBuiltins = makeAtomicBuiltins()

func makeAtomicBuiltins() map[string]lowering {
	m := map[string]lowering{
		"atomic_store_explicit": func(b *builder, e *tree.Builtin) value {
			lowerAtomic(b, e, "exchange")
			return nil
		},
		"atomic_load_explicit": func(b *builder, e *tree.Builtin) value {
			k := e.Type().Scalar
			zero := b.zero(e.Type(), e.Position())[0]
			return value{exchange(b.assembler, e.Args[0].Type(), k, "load", b.value(e.Args[0])[0], zero)}
		},
		"atomic_exchange_explicit": func(b *builder, e *tree.Builtin) value { return lowerAtomic(b, e, "exchange") },
		"atomic_max_explicit": func(b *builder, e *tree.Builtin) value {
			lowerAtomic(b, e, "max")
			return nil
		},
		"atomic_min_explicit": func(b *builder, e *tree.Builtin) value {
			lowerAtomic(b, e, "min")
			return nil
		},
		"atomic_compare_exchange_weak_explicit": lowerCompareExchange,
	}
	for name := range atomicOps {
		m["atomic_fetch_"+name+"_explicit"] = func(b *builder, e *tree.Builtin) value { return lowerAtomic(b, e, name) }
	}
	return m
}

// lowerAtomic lowers a function that takes a pointer and a value and returns what was
// there before.
func lowerAtomic(b *builder, e *tree.Builtin, name string) value {
	p, v := b.value(e.Args[0])[0], b.value(e.Args[1])[0]
	return value{exchange(b.assembler, e.Args[0].Type(), e.Args[1].Type().Scalar, name, p, v)}
}

// exchange emits the operation and what the sanitizer wants to know of it.
func exchange(asm *assembler, pointer *tree.Type, k tree.ScalarKind, name string, p, v int32) int32 {
	asm.touchAtomic(pointer.Space, p, k, name != "load")
	old := exchangeAlone(asm, pointer, k, name, p, v)
	asm.observeAtomic(p, k)
	return old
}

// exchangeAlone emits the operation; bools go through as numbers.
func exchangeAlone(asm *assembler, pointer *tree.Type, k tree.ScalarKind, name string, p, v int32) int32 {
	c := classOf(k)
	if k == tree.Bool {
		c = wordClass
	}
	old := asm.newTemp(c)
	asm.unsetAtomic(pointer, p, k, name, v, old)
	if k == tree.Bool {
		asm.opTo(old, exchangeBool(name), 0, p, asm.convertLeaf(v, tree.Bool, tree.UInt))
		return asm.convertLeaf(old, tree.UInt, tree.Bool)
	}
	if k == tree.Half || k == tree.BFloat || sizes[k] < 4 {
		fail(asm.pos, "the CPU device does not support atomics of less than 32 bits yet")
	}
	if name == "load" {
		if classOf(k) == longClass {
			return asm.opTo(old, loadAtomic[uint64], 0, p)
		}
		return asm.opTo(old, loadAtomic[uint32], 0, p)
	}
	compute := atomicOps[name][operandOf(k)]
	if name == "exchange" {
		compute = func(_, v uint64) uint64 { return v }
	}
	if classOf(k) == longClass {
		return asm.opTo(old, exchangeCell[uint64](compute), 0, p, v)
	}
	return asm.opTo(old, exchangeCell[uint32](compute), 0, p, v)
}

// lowerCompareExchange stores v to the object where that holds what expected points to.
// Otherwise it stores what the object holds to *expected.
func lowerCompareExchange(b *builder, e *tree.Builtin) value {
	p, expected, v := b.value(e.Args[0])[0], b.value(e.Args[1])[0], b.value(e.Args[2])[0]
	t := e.Args[2].Type()
	to := inMemoryAt(t, expected, 0).in(e.Args[1].Type().Space)
	b.decides("computes an address of it", p, expected)
	return value{b.compareExchange(e.Args[0].Type(), leaf{kind: t.Scalar}, p, to, v)}
}

// compareExchange emits the operation on what a pointer of some type points to, with what is
// expected in a place, and returns whether it was there.
func (b *builder) compareExchange(pointer *tree.Type, l leaf, p int32, to place, v int32) int32 {
	k := l.kind
	want := b.loadLeaf(l, to, 0)
	run := operation(compareExchange[uint32])
	if classOf(k) == longClass {
		run = compareExchange[uint64]
	}
	b.touchAtomic(pointer.Space, p, k, true)
	b.decides("compares it by an atomic function", want)
	c := classOf(k)
	if k == tree.Bool {
		c = wordClass
	}
	old := b.newTemp(c)
	b.unsetAtomic(pointer, p, k, "compare_exchange", v, old)
	if k == tree.Bool { // as numbers
		want, v = b.convertLeaf(want, tree.Bool, tree.UInt), b.convertLeaf(v, tree.Bool, tree.UInt)
		b.opTo(old, compareExchangeBool, 0, p, v, want)
		b.observeAtomic(p, k)
		same := b.op(maskClass, equal[uint32], old, want)
		b.storeLeaf(l, to, 0, b.convertLeaf(old, tree.UInt, tree.Bool))
		return same
	}
	b.opTo(old, run, 0, p, v, want)
	b.observeAtomic(p, k)
	b.storeLeaf(l, to, 0, old)
	same := equal[uint32] // of the bits, also of floats
	if classOf(k) == longClass {
		same = equal[uint64]
	}
	return b.op(maskClass, same, old, want)
}
