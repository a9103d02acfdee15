package randomtest

import (
	"fmt"
	"slices"
)

// helpers make numbers of floats without what is undefined, or differs between machines.
const helpers = `int whole(float x) { return x > -2e9f && x < 2e9f ? int(x) : 7; }
int bits(float x) { return x == x ? as_type<int>(x) : 0; }
`

// head begins the kernel; prelude.h calls it.
const head = `kernel void test(device const int* ints, device const float* floats, constant int& same,
	device long* results, device long* scratch, threadgroup int* shared, uint i [[thread_position_in_grid]],
	uint l [[thread_index_in_threadgroup]])`

// program writes a program.
func (w *writer) program() *piece {
	w.kinds = integers
	list := []*piece{{head: helpers}}
	for range 2 + w.random.IntN(5) {
		switch n := w.random.IntN(10); {
		case n == 0:
			list = append(list, w.union())
		case n < 3 || n < 6 && !w.classes:
			list = append(list, w.aggregate())
		case n < 7 && w.classes:
			list = append(list, w.class())
		case n < 8:
			list = append(list, w.constant())
		default:
			list = append(list, w.function())
		}
	}
	return &piece{body: append(list, w.kernel())}
}

// constant writes a constant of the program.
func (w *writer) constant() *piece {
	types := []*typ{intType, shortType, pick(w, vectors...), w.array(pick(w, intType, uintType, shortType), 4)}
	for _, r := range w.records {
		if r.table {
			types = append(types, r, r, r)
		}
	}
	t := pick(w, types...)
	name := w.name("K")
	value := ""
	w.plainly(nil, func() {
		if t.form == array {
			value = w.braces(t, 0)
		} else {
			value = w.expression(t, 1)
		}
	})
	w.scope = append(slices.Clone(w.scope), place{text: name, typ: t, space: "constant", fixed: true})
	prefix := "constant "
	if !w.madeOfVectors(t) {
		prefix = "constant constexpr "
	}
	return line(prefix + t.declare(name) + " = " + value + ";")
}

func (w *writer) kernel() *piece {
	var body []*piece
	w.budget, w.weight = 14, 0
	enter := func(t *typ, name, value string) {
		body = append(body, line(t.declare(name)+" = "+value+";"))
		w.scope = append(w.scope, place{text: name, typ: t, space: "thread"})
	}
	w.scope = append(slices.Clone(w.scope), place{text: "i", typ: uintType, fixed: true},
		place{text: "same", typ: intType, space: "constant", fixed: true})
	first := len(w.scope)
	for k := range intsPerThread {
		enter(pick(w, intType, intType, uintType, shortType, longType, ucharType), w.name("v"),
			fmt.Sprintf("ints[i * %d + %d]", intsPerThread, k))
	}
	enter(floatType, w.name("v"), "floats[i]")
	enter(intType, w.name("v"), "i")
	for range 2 + w.random.IntN(3) {
		body = append(body, w.declaration())
	}
	body = append(body, w.memory()...)
	for range w.random.IntN(3) {
		// all threads come here
		w.exits = false
		body = append(body, w.list(3, 3)...)
		body = append(body, line(fmt.Sprintf("shared[l] = int(%s);", w.integer(2))),
			line("threadgroup_barrier(mem_flags::mem_threadgroup);"))
		w.budget += 2
		enter(intType, w.name("v"), fmt.Sprintf("shared[(l + %d) %% %d]", 1+w.random.IntN(19), ThreadsOfGroup))
		body = append(body, line("threadgroup_barrier(mem_flags::mem_threadgroup);"))
	}
	w.exits = true
	body = append(body, w.list(4, 8)...)
	n := 0
	for _, v := range w.scope[first:] {
		w.results(v, &n, &body)
	}
	return block(head, body, "")
}

// memory declares variables in the thread's part of scratch.
func (w *writer) memory() []*piece {
	if len(w.records) == 0 || w.one(2) {
		return nil
	}
	t := pick(w, w.records...)
	name := w.name("d")
	declared := line(fmt.Sprintf("device %s* %s = (device %s*)(scratch + i * %d);", t.name, name, t.name, numbersOfThread))
	begun := line(fmt.Sprintf("*%s = %s;", name, w.exact(t, 2)))
	w.scope = append(w.scope, place{text: "(*" + name + ")", typ: t, space: "device"})
	return []*piece{declared, begun}
}

// results writes the scalars of a value to the results of the thread.
func (w *writer) results(v place, n *int, body *[]*piece) {
	if v.typ.isScalar() {
		if *n == numbersOfThread {
			return
		}
		value := v.text
		if v.typ.form == floating {
			value = "bits(" + value + ")"
		}
		*body = append(*body, line(fmt.Sprintf("results[i * %d + %d] = %s;", numbersOfThread, *n, value)))
		*n++
		return
	}
	for k, p := range v.typ.parts() {
		part := v
		part.typ = p.typ
		switch {
		case v.typ.form == vector && k == 0:
			continue
		case v.typ.form == array:
			for k := range v.typ.n {
				part.text = fmt.Sprintf("%s[%d]", v.text, k)
				w.results(part, n, body)
			}
			continue
		}
		part.text = v.text + p.suffix
		w.results(part, n, body)
	}
}
