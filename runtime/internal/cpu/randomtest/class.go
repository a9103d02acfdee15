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
	scope := w.scope
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
	if w.one(3) {
		name := w.name("N")
		w.scope = append(slices.Clone(scope), place{text: t.name + "::" + name, typ: intType, fixed: true})
		body = append(body, line(fmt.Sprintf("static constexpr constant int %s = %d;", name, w.random.IntN(9)-3)))
	}
	for _, f := range w.constructors(t, given) {
		body = append(body, f)
	}
	w.records = append(w.records, t)
	return block(head, append(body, w.methods(t)...), ";")
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
			w.plain = t.table
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
	declare string // $m is its name
	call    string
	params  int // -1: any
	result  func(w *writer, t *typ) *typ
	pure    bool
}

func anyResult(w *writer, _ *typ) *typ  { return w.valueType() }
func ownResult(_ *writer, t *typ) *typ  { return t }
func boolResult(_ *writer, _ *typ) *typ { return boolType }

// methodForms are tried in random order; those of operators are used once in a class.
var methodForms = []methodForm{
	{"$m", "$o.$m($a)", -1, anyResult, true},
	{"$m", "$o.$m($a)", -1, ownResult, true},
	{"$m", "$o.$m($a)", -1, anyResult, false},
	{"$m", "$o.$m($a)", -1, anyResult, false},
	{"operator+", "($o + $a)", 1, ownResult, true},
	{"operator-", "($o - $a)", 1, ownResult, true},
	{"operator*", "($o * $a)", 1, anyResult, true},
	{"operator-", "(-$o)", 0, ownResult, true},
	{"operator!", "(!$o)", 0, boolResult, true},
	{"operator==", "($o == $a)", 1, boolResult, true},
	{"operator<", "($o < $a)", 1, boolResult, true},
	{"operator[]", "$o[$a]", 1, anyResult, true},
	{"operator()", "$o($a)", -1, anyResult, true},
	{"operator()", "$o($a)", -1, anyResult, false},
	{"operator+=", "($o += $a)", 1, ownResult, false},
	{"operator^=", "($o ^= $a)", 1, anyResult, false},
	{"operator++", "(++$o)", 0, ownResult, false},
	{"operator int", "int($o)", 0, nil, true},
	{"operator float", "float($o)", 0, nil, true},
}

// methods writes methods of a class.
func (w *writer) methods(t *typ) []*piece {
	var list []*piece
	used := map[string]bool{}
	for range 1 + w.random.IntN(4) {
		form := pick(w, methodForms...)
		if used[form.declare] && form.declare != "$m" {
			continue
		}
		used[form.declare] = true
		name := w.name("f")
		f := &function{call: strings.ReplaceAll(form.call, "$m", name), of: t, pure: form.pure}
		f.space = "thread"
		qualifier := ""
		switch {
		case f.pure:
			qualifier = " const"
		case w.one(5):
			f.space, qualifier = "device", " device"
		}
		var result string
		switch form.declare {
		case "operator int":
			f.result = intType
		case "operator float":
			f.result = floatType
		default:
			f.result = form.result(w, t)
			result = f.result.name + " "
		}
		var p *piece
		w.inner(f.result, 4, func() {
			w.fieldsInScope(t, f)
			names := []string{}
			for _, m := range t.fields {
				names = append(names, m.name())
			}
			var text string
			switch n := form.params; {
			case n == 1 && w.one(2):
				own := parameter{t, pick(w, byValue, byConstant)}
				text, f.params = w.parameter(own, w.name("a")), []parameter{own}
			case n == 1:
				f.params, text = w.values(1, false, names)
			case n < 0:
				f.params, text = w.parameters(w.random.IntN(3), f.pure, names...)
			}
			if form.params == 1 && f.params[0].mode == byValue {
				f.params[0].mode = inBraces // operators of what the object converts to compete
			}
			head := result + strings.ReplaceAll(form.declare, "$m", name) + "(" + text + ")" + qualifier
			p = block(head, w.body(2), "")
			f.weight = 1 + w.weight
		})
		w.functions = append(w.functions, f)
		list = append(list, p)
	}
	return list
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
