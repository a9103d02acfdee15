package randomtest

import "slices"

// maxLeaves bounds the scalars in a record.
const maxLeaves = 20

// leaves returns how many scalars a value has.
func (t *typ) leaves() int {
	if t.form == vector || t.form == array {
		return t.n * t.elem.leaves()
	}
	if t.isScalar() {
		return 1
	}
	n := 0
	for _, p := range t.parts() {
		n += p.typ.leaves()
	}
	return n
}

// elementTypes are the types that arrays have.
func (w *writer) elementTypes() []*typ {
	return slices.Concat(w.kinds, w.records, floats, vectors[:6])
}

// array returns the type of an array.
func (w *writer) array(elem *typ, n int) *typ {
	for _, t := range w.arrays {
		if t.elem == elem && t.n == n {
			return t
		}
	}
	w.arrays = append(w.arrays, &typ{form: array, elem: elem, n: n})
	return w.arrays[len(w.arrays)-1]
}

// fields chooses the fields of a record.
func (d *declarations) fields(t *typ) {
	for range 1 + d.w.random.IntN(4) {
		f := d.w.valueType()
		switch d.w.random.IntN(4) {
		case 0:
			f = d.w.array(pick(d.w, d.w.elementTypes()...), 2+d.w.random.IntN(3))
		case 1:
			f = pick(d.w, d.w.kinds...)
		}
		if t.leaves()+f.leaves() > maxLeaves {
			f = intType
		}
		t.fields = append(t.fields, part{"." + d.w.name("m"), f})
	}
}

// constant reports whether constants of the program can have values of a type in them.
func (t *typ) constant() bool {
	return t.isScalar() || t.form == vector || t.form == record && t.table || t.form == array && t.elem.constant()
}

// name returns the name of a field.
func (p part) name() string { return p.suffix[1:] }

// union writes a union, whose first field covers the others.
func (d *declarations) union() *piece {
	t := &typ{name: d.w.name("U"), form: record}
	first := pick(d.w, uintType, intType, longType)
	t.fields = []part{{"." + d.w.name("m"), first}}
	for range 1 + d.w.random.IntN(3) {
		e := pick(d.w, integers...)
		if e == boolType {
			e = ucharType
		}
		f := e
		if n := first.bits / e.bits; n > 1 {
			f = d.w.array(e, min(n, 4))
			if v := vectorOf(e, n); v.form == vector && n != 3 && d.w.one(2) {
				f = v
			}
		} else if e.bits > first.bits {
			f = first
		}
		t.fields = append(t.fields, part{"." + d.w.name("m"), f})
	}
	d.w.records = append(d.w.records, t)
	d.w.functions = append(d.w.functions, &function{call: t.name + "{$a}", result: t,
		params: []parameter{{first, inBraces}},
		pure:   true, simple: true})
	var body []*piece
	for _, f := range t.fields {
		body = append(body, line(f.typ.declare(f.name())+";"))
	}
	return block("union "+t.name, body, ";")
}

// aggregate writes a struct without constructors.
func (d *declarations) aggregate() *piece {
	t := &typ{name: d.w.name("S"), form: record, table: true}
	d.fields(t)
	f := &function{call: t.name + "{$a}", result: t, pure: true, simple: true}
	var body []*piece
	for _, m := range t.fields {
		body = append(body, line(m.typ.declare(m.name())+";"))
		t.table = t.table && m.typ.constant()
		f.params = append(f.params, parameter{m.typ, inBraces})
	}
	d.w.functions = append(d.w.functions, f)
	d.w.records = append(d.w.records, t)
	if d.with.has(Classes) {
		body = append(body, d.methods(t)...)
	}
	return block("struct "+t.name, body, ";")
}
