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
func (w *writer) fields(t *typ) {
	for range 1 + w.random.IntN(4) {
		f := w.valueType()
		switch w.random.IntN(4) {
		case 0:
			f = w.array(pick(w, w.elementTypes()...), 2+w.random.IntN(3))
		case 1:
			f = pick(w, w.kinds...)
		}
		if t.leaves()+f.leaves() > maxLeaves {
			f = intType
		}
		t.fields = append(t.fields, part{"." + w.name("m"), f})
	}
}

// constant reports whether constants of the program can have values of a type in them.
func (t *typ) constant() bool {
	return t.isScalar() || t.form == vector || t.form == record && t.table || t.form == array && t.elem.constant()
}

// name returns the name of a field.
func (p part) name() string { return p.suffix[1:] }

// union writes a union, whose first field covers the others.
func (w *writer) union() *piece {
	t := &typ{name: w.name("U"), form: record}
	first := pick(w, uintType, intType, longType)
	t.fields = []part{{"." + w.name("m"), first}}
	for range 1 + w.random.IntN(3) {
		e := pick(w, integers...)
		if e == boolType {
			e = ucharType
		}
		f := e
		if n := first.bits / e.bits; n > 1 {
			f = w.array(e, min(n, 4))
			if v := vectorOf(e, n); v.form == vector && n != 3 && w.one(2) {
				f = v
			}
		} else if e.bits > first.bits {
			f = first
		}
		t.fields = append(t.fields, part{"." + w.name("m"), f})
	}
	w.records = append(w.records, t)
	w.functions = append(w.functions, &function{call: t.name + "{$a}", params: []parameter{{first, inBraces}}, result: t,
		pure: true, simple: true})
	var body []*piece
	for _, f := range t.fields {
		body = append(body, line(f.typ.declare(f.name())+";"))
	}
	return block("union "+t.name, body, ";")
}

// aggregate writes a struct without constructors.
func (w *writer) aggregate() *piece {
	t := &typ{name: w.name("S"), form: record, table: true}
	w.fields(t)
	f := &function{call: t.name + "{$a}", result: t, pure: true, simple: true}
	var body []*piece
	for _, m := range t.fields {
		body = append(body, line(m.typ.declare(m.name())+";"))
		t.table = t.table && m.typ.constant()
		f.params = append(f.params, parameter{m.typ, inBraces})
	}
	w.functions = append(w.functions, f)
	w.records = append(w.records, t)
	if w.classes {
		body = append(body, w.methods(t)...)
	}
	return block("struct "+t.name, body, ";")
}
