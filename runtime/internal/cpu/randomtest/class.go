package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// class writes a class with constructors and methods.
func (w *writer) class() *piece {
	t := &typ{name: w.name("S"), form: record, table: w.one(3)}
	head := "struct " + t.name
	scope, kinds, functions := w.scope, w.kinds, w.functions
	w.functions = slices.Clip(functions)
	var param *typ
	if w.one(4) {
		param = w.templateParameters()
		head = templateHead + head
	}
	var bases []*typ
	for _, r := range w.records {
		if r.name[0] == 'S' && (r.table || !t.table) && r.leaves() < maxLeaves {
			bases = append(bases, r)
		}
	}
	if len(bases) > 0 && w.one(3) {
		t.base = pick(w, bases...)
		head += " : " + pick(w, "", "public ") + t.base.name
	}
	w.fields(t)
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
		given = append(given, w.one(4))
		if given[len(given)-1] {
			w.plainly(nil, func() {
				if m.typ.form == array {
					value = " = " + w.braces(m.typ, 0)
				} else {
					value = " = " + w.exact(m.typ, 0)
				}
			})
		}
		body = append(body, line(m.typ.declare(m.name())+value+";"))
	}
	if w.one(2) {
		body = append(body, w.static(t))
	}
	body = append(body, w.constructors(t, given)...)
	w.records = append(w.records, t)
	body = append(body, w.methods(t)...)
	if param != nil {
		w.scope, w.kinds = scope, kinds
		w.classInstances(t, param, len(functions))
	}
	return block(head, body, ";")
}

// static writes a constant of a class.
func (w *writer) static(t *typ) *piece {
	types := []*typ{intType, ushortType}
	for _, r := range w.records {
		if r.table && !w.madeOfVectors(r) { // of which C++ computes no components at compile time
			types = append(types, r, r)
		}
	}
	of, name, value := pick(w, types...), w.name("N"), ""
	w.plainly(nil, func() { value = w.expression(of, 1) })
	w.scope = append(slices.Clone(w.scope), place{text: t.name + "::" + name, typ: of, space: "constant", fixed: true})
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
func (w *writer) constructors(t *typ, given []bool) []*piece {
	var list []*piece
	counts := w.random.Perm(4)
	for i := range 1 + w.random.IntN(3) {
		f := &function{call: t.name + "($a)", result: t, pure: true, simple: i == 0}
		names := make([]string, len(t.fields))
		for k, m := range t.fields {
			names[k] = m.name()
		}
		var p *piece
		made := w.functions
		w.inner(nil, 3, func() {
			if w.plain = t.table; w.plain {
				w.scope = slices.DeleteFunc(w.scope, func(p place) bool { return w.madeOfVectors(p.typ) })
			}
			text := ""
			if n := counts[i]; n > 0 && i > 0 && w.one(2) {
				// from another object, and more
				own := parameter{t, pick(w, byValue, byConstant)}
				if t.table || n == 1 {
					own.typ = intType
				}
				text = w.parameter(own, w.name("a"))
				f.params = []parameter{own}
				if n > 1 {
					more, rest := w.values(n-1, t.table, names)
					f.params, text = append(f.params, more...), text+", "+rest
				}
			} else {
				f.params, text = w.values(n, t.table, names)
			}
			var initial []string
			if t.base != nil {
				_, x := w.callAny(1, func(f *function) bool { return f.simple && f.result == t.base })
				initial = append(initial, x)
			}
			delegates := i > 0 && w.one(4)
			if delegates {
				w.functions = made
				_, x := w.callAny(0, func(f *function) bool { return f.simple && f.result == t })
				initial = []string{x}
			}
			for k, m := range t.fields {
				hidden := slices.ContainsFunc(w.scope, func(p place) bool { return p.text == m.name() })
				switch {
				case delegates || given[k] && w.one(2):
				case m.typ.form == array:
					initial = append(initial, m.name()+w.braces(m.typ, 1))
				default:
					initial = append(initial, m.name()+"("+w.expression(m.typ, 2)+")")
				}
				field := place{text: m.name(), typ: m.typ, space: "thread"}
				if hidden {
					field.text = "this->" + field.text
				}
				w.scope = append(w.scope, field)
			}
			head := fmt.Sprintf("%s(%s) : %s", t.name, text, strings.Join(initial, ", "))
			head = strings.TrimSuffix(head, " : ")
			if t.table {
				p = line("constexpr " + head + " {}")
				return
			}
			w.scope = append(w.scope, place{text: "(*this)", typ: t, space: "thread"})
			var body []*piece
			if w.one(2) {
				body = w.list(2, 2)
			}
			p = block(head, body, "")
			f.weight = w.weight
		})
		w.functions = append(w.functions[:len(w.functions):len(w.functions)], f)
		list = append(list, p)
	}
	return list
}

// values returns parameters of constructors that anything can be passed to.
func (w *writer) values(n int, table bool, names []string) ([]parameter, string) {
	var list []parameter
	var texts []string
	for i := range n {
		p := parameter{typ: w.valueType()}
		for table && !p.typ.constant() {
			p.typ = pick(w, w.kinds...)
		}
		if !table && w.one(3) {
			p.mode = byConstant
		}
		name := w.name("a")
		if i < len(names) && w.one(2) {
			name = names[i]
		}
		texts = append(texts, w.parameter(p, name))
		list = append(list, p)
	}
	return list, strings.Join(texts, ", ")
}
