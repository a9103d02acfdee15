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
func (d *declarations) program() *piece {
	d.w.kinds = integers
	list := []*piece{{head: helpers}}
	if d.with.has(Tables) {
		for range 1 + d.w.random.IntN(3) {
			list = append(list, d.table())
		}
	}
	for range 2 + d.w.random.IntN(5) {
		switch n := d.w.random.IntN(10); {
		case n == 0:
			list = append(list, d.union())
		case n < 3 || n < 6 && !d.with.has(Classes):
			list = append(list, d.aggregate())
		case n < 7 && d.with.has(Classes):
			list = append(list, d.class())
		case n < 8:
			list = append(list, d.constant())
		default:
			list = append(list, d.function())
		}
	}
	return &piece{body: append(list, d.kernel())}
}

// constant writes a constant of the program.
func (d *declarations) constant() *piece {
	types := []*typ{intType, shortType, pick(d.w, vectors...), d.w.array(pick(d.w, intType, uintType, shortType), 4)}
	for _, r := range d.w.records {
		if r.table {
			types = append(types, r, r, r)
		}
	}
	t := pick(d.w, types...)
	name := d.w.name("K")
	value := ""
	d.w.plainly(nil, func() {
		if t.form == array {
			value = d.w.braces(t, 0)
		} else {
			value = d.w.expression(t, 1)
		}
	})
	d.w.scope = append(slices.Clone(d.w.scope), place{text: name, typ: t, space: "constant", fixed: true})
	prefix := "constant "
	if !d.w.madeOfVectors(t) {
		prefix = "constant constexpr "
	}
	return line(prefix + t.declare(name) + " = " + value + ";")
}

func (d *declarations) kernel() *piece {
	var body []*piece
	d.s.budget, d.w.weight = 14, 0
	enter := func(t *typ, name, value string) {
		body = append(body, line(t.declare(name)+" = "+value+";"))
		d.w.scope = append(d.w.scope, place{text: name, typ: t, space: "thread"})
	}
	d.w.scope = append(slices.Clone(d.w.scope), place{text: "i", typ: uintType, fixed: true},
		place{text: "same", typ: intType, space: "constant", fixed: true})
	first := len(d.w.scope)
	for k := range intsPerThread {
		enter(pick(d.w, intType, intType, uintType, shortType, longType, ucharType), d.w.name("v"),
			fmt.Sprintf("ints[i * %d + %d]", intsPerThread, k))
	}
	enter(floatType, d.w.name("v"), "floats[i]")
	enter(intType, d.w.name("v"), "i")
	for range 2 + d.w.random.IntN(3) {
		body = append(body, d.s.declaration())
	}
	body = append(body, d.memory()...)
	for range d.w.random.IntN(3) {
		// all threads come here
		d.s.exits = false
		body = append(body, d.s.list(3, 3)...)
		body = append(body, line(fmt.Sprintf("shared[l] = int(%s);", d.w.integer(2))),
			line("threadgroup_barrier(mem_flags::mem_threadgroup);"))
		d.s.budget += 2
		enter(intType, d.w.name("v"), fmt.Sprintf("shared[(l + %d) %% %d]", 1+d.w.random.IntN(19), ThreadsOfGroup))
		body = append(body, line("threadgroup_barrier(mem_flags::mem_threadgroup);"))
	}
	d.s.exits = true
	body = append(body, d.s.list(4, 8)...)
	n := 0
	for _, v := range d.w.scope[first:] {
		d.results(v, &n, &body)
	}
	return block(head, body, "")
}

// memory declares variables in the thread's part of scratch.
func (d *declarations) memory() []*piece {
	if len(d.w.records) == 0 || d.w.one(2) {
		return nil
	}
	t := pick(d.w, d.w.records...)
	name := d.w.name("d")
	declared := line(fmt.Sprintf("device %s* %s = (device %s*)(scratch + i * %d);", t.name, name, t.name, numbersOfThread))
	begun := line(fmt.Sprintf("*%s = %s;", name, d.w.exact(t, 2)))
	d.w.scope = append(d.w.scope, place{text: "(*" + name + ")", typ: t, space: "device"})
	return []*piece{declared, begun}
}

// results writes the scalars of a value to the results of the thread.
func (d *declarations) results(v place, n *int, body *[]*piece) {
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
				d.results(part, n, body)
			}
			continue
		}
		part.text = v.text + p.suffix
		d.results(part, n, body)
	}
}
