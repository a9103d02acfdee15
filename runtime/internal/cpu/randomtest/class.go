package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

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

// madeOfVectors reports whether a type has vectors in it, or its constructor takes some.
func (w *writer) madeOfVectors(r *typ) bool {
	return slices.ContainsFunc(vectors, r.holds) || slices.ContainsFunc(w.functions, func(f *function) bool {
		return f.simple && f.result == r && slices.ContainsFunc(f.params, func(p parameter) bool {
			return slices.ContainsFunc(vectors, p.typ.holds) || p.typ.form == record && w.madeOfVectors(p.typ)
		})
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

// methodForm is how a method is declared and called.
type methodForm struct {
	declare string // $r is the result, $m the name
	call    string // $s is the class
	params  int    // -1: any
	result  func(w *writer, t *typ) *typ
	pure    bool
}

func anyResult(w *writer, _ *typ) *typ   { return w.valueType() }
func ownResult(_ *writer, t *typ) *typ   { return t }
func boolResult(_ *writer, _ *typ) *typ  { return boolType }
func intResult(_ *writer, _ *typ) *typ   { return intType }
func floatResult(_ *writer, _ *typ) *typ { return floatType }

// methodForms are picked at random, those of operators once in a class.
var methodForms = []methodForm{
	{"$r $m", "$o.$m($a)", -1, anyResult, true},
	{"$r $m", "$o.$m($a)", -1, ownResult, true},
	{"$r $m", "$o.$m($a)", -1, anyResult, false},
	{"$r $m", "$o.$m($a)", -1, anyResult, false},
	{"static $r $m", "$s::$m($a)", -1, anyResult, true},
	{"static $r $m", "$s::$m($a)", -1, anyResult, false},
	{"thread $r& $m", "$o.$m($a)", 1, anyResult, false},
	{"thread $r& $m", "$o.$m($a)", 1, anyResult, false},
	{"thread $r& operator[]", "$o[$a]", 1, anyResult, false},
	{"thread $r& operator*", "(*$o)", 0, anyResult, false},
	{"$r operator+", "($o + $a)", 1, ownResult, true},
	{"$r operator-", "($o - $a)", 1, ownResult, true},
	{"$r operator*", "($o * $a)", 1, anyResult, true},
	{"$r operator-", "(-$o)", 0, ownResult, true},
	{"$r operator!", "(!$o)", 0, boolResult, true},
	{"$r operator==", "($o == $a)", 1, boolResult, true},
	{"$r operator<", "($o < $a)", 1, boolResult, true},
	{"$r operator[]", "$o[$a]", 1, anyResult, true},
	{"$r operator()", "$o($a)", -1, anyResult, true},
	{"$r operator()", "$o($a)", -1, anyResult, false},
	{"$r operator+=", "($o += $a)", 1, ownResult, false},
	{"$r operator^=", "($o ^= $a)", 1, anyResult, false},
	{"$r operator++", "(++$o)", 0, ownResult, false},
	{"operator int", "int($o)", 0, intResult, true},
	{"operator float", "float($o)", 0, floatResult, true},
}

// methods writes methods of a class.
func (w *writer) methods(t *typ) []*piece {
	var list []*piece
	used := map[string]bool{}
	for range 1 + w.random.IntN(4) {
		form := pick(w, methodForms...)
		_, operator, _ := strings.Cut(form.declare, "operator")
		if operator != "" && used[operator] {
			continue
		}
		used[operator] = true
		f, p := w.method(t, form)
		if p != nil {
			w.functions = append(w.functions, f)
			list = append(list, p)
		}
	}
	return list
}

// method writes a method; it returns nil where there is nothing that the result of one
// could refer to.
func (w *writer) method(t *typ, form methodForm) (*function, *piece) {
	name := w.name("f")
	f := &function{call: strings.NewReplacer("$m", name, "$s", t.name).Replace(form.call), of: t, pure: form.pure,
		result: form.result(w, t), reference: strings.HasPrefix(form.declare, "thread"), space: "thread"}
	qualifier := ""
	switch {
	case strings.HasPrefix(form.declare, "static"):
		f.of = nil
	case f.pure:
		qualifier = " const"
	case !f.reference && w.one(5):
		f.space, qualifier = "device", " device"
	}
	var p *piece
	w.inner(f.result, 4, func() {
		if f.of != nil {
			w.fieldsInScope(t, f)
		}
		var referred place
		if f.reference {
			var ok bool
			if referred, ok = w.place(f.result, referable("thread")); !ok || referred.text == "(*this)" {
				return
			}
		}
		text := w.methodParameters(t, f, form.params)
		declared := strings.NewReplacer("$r", f.result.name, "$m", name).Replace(form.declare)
		var body []*piece
		if f.reference {
			body = []*piece{line("return " + referred.text + ";")}
		} else {
			body = w.body(2)
		}
		p = block(declared+"("+text+")"+qualifier, body, "")
		f.weight = 1 + w.weight
	})
	return f, p
}

// methodParameters returns the declarations of n parameters, or of any number.
func (w *writer) methodParameters(t *typ, f *function, n int) string {
	var names []string
	for _, m := range t.fields {
		names = append(names, m.name())
	}
	var text string
	switch {
	case f.reference:
		f.params, text = w.values(n, false, nil)
	case n == 1 && w.one(2):
		own := parameter{t, pick(w, byValue, byConstant)}
		text, f.params = w.parameter(own, w.name("a")), []parameter{own}
	case n == 1:
		f.params, text = w.values(1, false, names)
	case n < 0:
		f.params, text = w.parameters(w.random.IntN(3), f.pure, names...)
	}
	if n == 1 && f.params[0].mode == byValue {
		f.params[0].mode = inBraces // operators of what the object converts to compete
	}
	return text
}

// fieldsInScope puts the object of a method, and its fields, in scope.
func (w *writer) fieldsInScope(t *typ, f *function) {
	for c := t; c != nil; c = c.base {
		for _, m := range c.fields {
			name := pick(w, "", "", "this->") + m.name()
			w.scope = append(w.scope, place{text: name, typ: m.typ, space: f.space, fixed: f.pure})
		}
	}
	w.scope = append(w.scope, place{text: "(*this)", typ: t, space: f.space, fixed: f.pure})
}
