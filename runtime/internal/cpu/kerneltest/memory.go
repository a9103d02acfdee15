package kerneltest

import "fmt"

// unions writes a union: one member is set and another read.
func (w *writer) unions() {
	w.has(Union)
	u := w.name("u")
	w.linef("U %s; %[1]s.u = %s;", u, w.expression(uintType, 2))
	switch w.random.IntN(3) {
	case 0:
		w.linef("%s.b[%s & 3] ^= uchar(%s);", u, w.expression(uintType, 1), w.expression(uintType, 1))
	case 1:
		w.linef("%s.h[%d] = ushort(%s);", u, w.random.IntN(2), w.expression(intType, 1))
	}
	name := w.name("v")
	w.linef("uint %s = %s.u + %[2]s.b[%d] * %[2]s.h[1];", name, u, w.random.IntN(4))
	w.vars = append(w.vars, variable{name, uintType, false})
}

// references changes something through a reference.
func (w *writer) references() {
	x := w.expression(uintType, 2)
	if w.kernelBody && w.one(2) {
		w.has(DeviceReference)
		r := w.name("r")
		w.linef("device uint& %s = %s; %[1]s = %[1]s * 3u + %[3]s;", r, w.word(w.random.IntN(wordsOfThread)), x)
		return
	}
	v, ok := w.target()
	if !ok || v.typ == boolType {
		return
	}
	w.has(ThreadReference)
	r := w.name("r")
	w.linef("thread %s& %s = %s;", v.typ.name, r, v.name)
	w.linef("%s = %s;", r, w.expression(v.typ, 2))
	if v.typ == uintType {
		w.linef("raise(%s, %s);", v.name, x)
	}
}

// array writes an array whose elements are chosen by index.
func (w *writer) array() {
	w.has(Array)
	t := pick(w, intType, uintType, longType, floatType, shortType, ucharType)
	a, n := w.name("a"), pick(w, 2, 4, 8, 16)
	w.linef("%s %s[%d] = {%s, %s};", t.name, a, n, w.expression(t, 1), w.expression(t, 1))
	index := func() string { return fmt.Sprintf("%s & %d", w.expression(uintType, 1), n-1) }
	for range 1 + w.random.IntN(2) {
		w.linef("%s[%s] = %s;", a, index(), w.expression(t, 2))
	}
	if w.one(2) {
		w.has(ThreadPointer)
		p := w.name("q")
		w.linef("thread %s* %s = &%s[%s]; *%[2]s = %[5]s;", t.name, p, a, index(), w.expression(t, 1))
	}
	name := w.name("v")
	w.linef("%s %s = %s[%s];", t.name, name, a, index())
	w.vars = append(w.vars, variable{name, t, false})
}

// pointers moves pointers into the inputs.
func (w *writer) pointers() {
	if !w.kernelBody {
		return
	}
	w.has(Pointer)
	q, half := w.name("q"), Inputs/4
	w.linef("device const uint* %s = in + (%s & %d);", q, w.expression(pick(w, integerTypes...), 2), half-1)
	switch w.random.IntN(4) {
	case 0:
		w.linef("%s += lane;", q)
	case 1:
		w.linef("if (%s) %s += %s & %d;", w.condition(1), q, w.expression(uintType, 1), half-1)
	case 2:
		w.linef("%s = %s ? %[1]s : in + tid;", q, w.condition(1))
	}
	name := w.name("v")
	if w.one(3) {
		w.linef("uint %s = ((device const uchar*)%s)[%s & %d] + ((device const ushort*)%[2]s)[lane];", name, q,
			w.expression(uintType, 1), half-1)
	} else {
		w.linef("uint %s = %s[%s & %d] + *%[2]s + uint(%[2]s - in);", name, q, w.expression(uintType, 1), half-1)
	}
	w.vars = append(w.vars, variable{name, uintType, false})
}

// atomic changes a sum of all threads.
func (w *writer) atomic() {
	if !w.kernelBody {
		return
	}
	w.has(DeviceAtomic)
	n := w.random.IntN(Sums) // each has one operation, so that their order does not matter
	f := [...]string{"add", "max", "min", "or", "xor", "and", "sub", "add"}[n/2]
	w.linef("atomic_fetch_%s_explicit(&sums[%d], %s, memory_order_relaxed);", f, n, w.expression(uintType, 2))
}

// exchange has threads read what others have written.
func (w *writer) exchange() {
	w.has(Barrier)
	w.linef("shared[tid] = %s;", w.expression(uintType, 2))
	if w.one(3) {
		w.has(GroupReference)
		r := w.name("r")
		w.linef("threadgroup uint& %s = shared[tid]; %[1]s += %s;", r, w.expression(uintType, 1))
	}
	w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
	name := w.name("v")
	w.linef("uint %s = shared[(tid + %s) %% members];", name, w.leaf(uintType))
	w.vars = append(w.vars, variable{name, uintType, false})
	w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
}

// exchangeInLoop is exchange in a loop that all threads go through as often.
func (w *writer) exchangeInLoop() {
	w.has(BarrierInLoop)
	name, k := w.name("v"), w.name("k")
	w.linef("uint %s = %s;", name, w.expression(uintType, 1))
	w.vars = append(w.vars, variable{name, uintType, false})
	w.block(fmt.Sprintf("for (uint %s = 0; %[1]s < p.b + %du; %[1]s++)", k, w.random.IntN(2)), func() {
		w.vars = append(w.vars, variable{k, uintType, true})
		w.linef("shared[tid] = %s;", w.expression(uintType, 2))
		w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
		w.linef("%s = %[1]s * 5u + shared[(tid + %s + 1u) %% members];", name, k)
		w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
		w.statements(1, 1)
	})
}

// countTogether has atomics in threadgroup memory.
func (w *writer) countTogether() {
	w.has(GroupAtomic)
	w.line("if (tid < 4u) shared[tid] = tid; threadgroup_barrier(mem_flags::mem_threadgroup);")
	f := pick(w, "add", "max", "xor", "or")
	w.linef("atomic_fetch_%s_explicit((threadgroup atomic_uint*)&shared[%s & 3u], %s, memory_order_relaxed);", f,
		w.expression(uintType, 1), w.expression(uintType, 2))
	w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
	name := w.name("v")
	w.linef("uint %s = shared[lane & 3u];", name)
	w.vars = append(w.vars, variable{name, uintType, false})
	w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
}

// shuffle reads what other lanes hold.
func (w *writer) shuffle() {
	if !w.whole {
		w.exchange()
		return
	}
	w.has(Shuffle)
	t := pick(w, intType, uintType, floatType, shortType)
	by := pick(w, "lane", fmt.Sprintf("%d", w.random.IntN(32)), "p.c", "in[lane]")
	f := pick(w, "simd_shuffle", "simd_shuffle_down", "simd_shuffle_up", "simd_shuffle_xor", "simd_shuffle_rotate_down",
		"simd_broadcast")
	name := w.name("v")
	w.linef("%s %s = %s(%s, ushort(%s & 31u));", t.name, name, f, w.expression(t, 2), by)
	w.vars = append(w.vars, variable{name, t, false})
}

// matrices multiplies matrices.
func (w *writer) matrices() {
	if !w.whole {
		w.exchange()
		return
	}
	w.has(Matrix)
	t := pick(w, "float", "float", "half", "bfloat")
	a, b, c, m := w.name("m"), w.name("m"), w.name("m"), w.name("w")
	transposed := func() string {
		if w.one(2) {
			w.has(MatrixTransposed)
			return ", 0, true"
		}
		return ""
	}
	w.linef("threadgroup %s* %s = (threadgroup %[1]s*)(shared + sg * 256u);", t, m)
	w.linef("for (uint z = 0; z < 4u; z++) %s[lane * 4u + z] = %s(%s) + %[2]s(z);", m, t, w.expression(floatType, 1))
	w.line("simdgroup_barrier(mem_flags::mem_threadgroup);")
	w.linef("simdgroup_matrix<%[1]s, 8, 8> %[2]s, %[3]s(%[1]s(%[4]d)), %[5]s(%[1]s(0.5f));", t, a, b,
		w.random.IntN(4), c)
	w.linef("simdgroup_load(%s, %s + %d, %s%s);", a, m, w.random.IntN(9), pick(w, "8", "9", "p.d + 3"), transposed())
	if w.one(2) {
		w.linef("%s.thread_elements()[%d] = %s(%s);", b, w.random.IntN(2), t, w.expression(floatType, 1))
	}
	loop := pick(w, "", "for (uint z = 0; z < p.b; z++) ")
	w.linef("%ssimdgroup_multiply_accumulate(%s, %s, %s, %[2]s);", loop, c, a, b)
	w.line("simdgroup_barrier(mem_flags::mem_threadgroup);")
	w.linef("simdgroup_store(%s, %s + %d, %s%s);", c, m, w.random.IntN(9), pick(w, "8", "10", "p.c + 5"), transposed())
	w.line("simdgroup_barrier(mem_flags::mem_threadgroup);")
	name := w.name("v")
	w.linef("float %s = float(%s[lane * 2u]) + float(%s.thread_elements()[1]);", name, m, c)
	w.vars = append(w.vars, variable{name, floatType, false})
	w.line("threadgroup_barrier(mem_flags::mem_threadgroup);")
}
