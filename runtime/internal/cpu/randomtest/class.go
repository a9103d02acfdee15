package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// class writes a class with constructors and methods.
func (d *declarations) class() *piece {
	t := &typ{name: d.w.name("S"), form: record, table: d.w.one(3)}
	head := "struct " + t.name
	scope, kinds, functions := d.w.scope, d.w.kinds, d.w.functions
	d.w.functions = slices.Clip(functions)
	var param *typ
	if d.w.one(4) {
		param = d.templateParameters()
		head = templateHead + head
	}
	var bases []*typ
	for _, r := range d.w.records {
		if r.name[0] == 'S' && (r.table || !t.table) && r.leaves() < maxLeaves {
			bases = append(bases, r)
		}
	}
	if len(bases) > 0 && d.w.one(3) {
		t.base = pick(d.w, bases...)
		head += " : " + pick(d.w, "", "public ") + t.base.name
	}
	d.fields(t)
	if t.table {
		for i := range t.fields {
			if !t.fields[i].typ.constant() {
				t.fields[i].typ = intType
			}
		}
	}
	var body []*piece
	var given []bool // fields with a value of their own
	for _, m := range t.fields {
		value := ""
		given = append(given, d.w.one(4))
		if given[len(given)-1] {
			d.w.plainly(nil, func() {
				if m.typ.form == array {
					value = " = " + d.w.braces(m.typ, 0)
				} else {
					value = " = " + d.w.exact(m.typ, 0)
				}
			})
		}
		body = append(body, line(m.typ.declare(m.name())+value+";"))
	}
	if d.w.one(2) {
		body = append(body, d.static(t))
	}
	body = append(body, d.constructors(t, given)...)
	d.w.records = append(d.w.records, t)
	body = append(body, d.methods(t)...)
	if param != nil {
		d.w.scope, d.w.kinds = scope, kinds
		d.classInstances(t, param, len(functions))
	}
	return block(head, body, ";")
}

// static writes a constant of a class.
func (d *declarations) static(t *typ) *piece {
	types := []*typ{intType, ushortType}
	for _, r := range d.w.records {
		if r.table && !d.w.madeOfVectors(r) { // whose components C++ does not compute at compile time
			types = append(types, r, r)
		}
	}
	of, name, value := pick(d.w, types...), d.w.name("N"), ""
	d.w.plainly(nil, func() { value = d.w.expression(of, 1) })
	constant := place{text: t.name + "::" + name, typ: of, space: "constant", fixed: true}
	d.w.scope = append(slices.Clone(d.w.scope), constant)
	return line(fmt.Sprintf("static constexpr constant %s = %s;", of.declare(name), value))
}

// madeOfVectors reports whether a value has vectors in it, or is constructed from some.
func (w *writer) madeOfVectors(t *typ) bool {
	return t.form == vector ||
		slices.ContainsFunc(t.parts(), func(p part) bool { return w.madeOfVectors(p.typ) }) ||
		slices.ContainsFunc(w.functions, func(f *function) bool {
			return f.simple && f.result == t &&
				slices.ContainsFunc(f.params, func(p parameter) bool { return w.madeOfVectors(p.typ) })
		})
}

// plainly writes what constants are made of, from variables.
func (w *writer) plainly(scope []place, write func()) {
	before, plain := w.scope, w.plain
	w.scope, w.plain = scope, true
	write()
	w.scope, w.plain = before, plain
}

// constructors writes constructors that differ in the number of their parameters, and the
// first of which takes values.
func (d *declarations) constructors(t *typ, given []bool) []*piece {
	var list []*piece
	counts := d.w.random.Perm(4)
	for i := range 1 + d.w.random.IntN(3) {
		f := &function{call: t.name + "($a)", result: t, pure: true, simple: i == 0}
		names := make([]string, len(t.fields))
		for k, m := range t.fields {
			names[k] = m.name()
		}
		var p *piece
		made := d.w.functions
		d.s.inner(nil, 3, func() {
			if d.w.plain = t.table; d.w.plain {
				d.w.scope = slices.DeleteFunc(d.w.scope, func(p place) bool { return d.w.madeOfVectors(p.typ) })
			}
			text := ""
			if n := counts[i]; n > 0 && i > 0 && d.w.one(2) {
				// from another object, and more
				own := parameter{t, pick(d.w, byValue, byConstant)}
				if t.table || n == 1 {
					own.typ = intType
				}
				text = d.w.parameter(own, d.w.name("a"))
				f.params = []parameter{own}
				if n > 1 {
					more, rest := d.values(n-1, t.table, names)
					f.params, text = append(f.params, more...), text+", "+rest
				}
			} else {
				f.params, text = d.values(n, t.table, names)
			}
			var initial []string
			if t.base != nil {
				_, x := d.w.callAny(1, func(f *function) bool { return f.simple && f.result == t.base })
				initial = append(initial, x)
			}
			delegates := i > 0 && d.w.one(4)
			if delegates {
				d.w.functions = made
				_, x := d.w.callAny(0, func(f *function) bool { return f.simple && f.result == t })
				initial = []string{x}
			}
			for k, m := range t.fields {
				hidden := slices.ContainsFunc(d.w.scope, func(p place) bool { return p.text == m.name() })
				switch {
				case delegates || given[k] && d.w.one(2):
				case m.typ.form == array:
					initial = append(initial, m.name()+d.w.braces(m.typ, 1))
				default:
					initial = append(initial, m.name()+"("+d.w.expression(m.typ, 2)+")")
				}
				field := place{text: m.name(), typ: m.typ, space: "thread"}
				if hidden {
					field.text = "this->" + field.text
				}
				d.w.scope = append(d.w.scope, field)
			}
			head := fmt.Sprintf("%s(%s) : %s", t.name, text, strings.Join(initial, ", "))
			head = strings.TrimSuffix(head, " : ")
			if t.table {
				p = line("constexpr " + head + " {}")
				return
			}
			d.w.scope = append(d.w.scope, place{text: "(*this)", typ: t, space: "thread"})
			var body []*piece
			if d.w.one(2) {
				body = d.s.list(2, 2)
			}
			p = block(head, body, "")
			f.weight = d.w.weight
		})
		d.w.functions = append(d.w.functions[:len(d.w.functions):len(d.w.functions)], f)
		list = append(list, p)
	}
	return list
}

// values returns parameters of constructors that anything can be passed to.
func (d *declarations) values(n int, table bool, names []string) ([]parameter, string) {
	var list []parameter
	var texts []string
	for i := range n {
		p := parameter{typ: d.w.valueType()}
		for table && !p.typ.constant() {
			p.typ = pick(d.w, d.w.kinds...)
		}
		if !table && d.w.one(3) {
			p.mode = byConstant
		}
		name := d.w.name("a")
		if i < len(names) && d.w.one(2) {
			name = names[i]
		}
		texts = append(texts, d.w.parameter(p, name))
		list = append(list, p)
	}
	return list, strings.Join(texts, ", ")
}
