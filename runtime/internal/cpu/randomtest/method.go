package randomtest

import "strings"

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
func (d *declarations) methods(t *typ) []*piece {
	var list []*piece
	used := map[string]bool{}
	for range 1 + d.w.random.IntN(4) {
		form := pick(d.w, methodForms...)
		_, operator, _ := strings.Cut(form.declare, "operator")
		if operator != "" && used[operator] {
			continue
		}
		used[operator] = true
		f, p := d.method(t, form)
		if p != nil {
			d.w.functions = append(d.w.functions, f)
			list = append(list, p)
		}
	}
	return list
}

// method writes a method; it returns nil where there is nothing that the result of one
// could refer to.
func (d *declarations) method(t *typ, form methodForm) (*function, *piece) {
	name := d.w.name("f")
	f := &function{call: strings.NewReplacer("$m", name, "$s", t.name).Replace(form.call), of: t, pure: form.pure,
		result: form.result(d.w, t), reference: strings.HasPrefix(form.declare, "thread"), space: "thread"}
	qualifier := ""
	switch {
	case strings.HasPrefix(form.declare, "static"):
		f.of = nil
	case f.pure:
		qualifier = " const"
	case !f.reference && d.w.one(5):
		f.space, qualifier = "device", " device"
	}
	var p *piece
	d.s.inner(f.result, 4, func() {
		if f.of != nil {
			d.fieldsInScope(t, f)
		}
		var referred place
		if f.reference {
			var ok bool
			if referred, ok = d.w.place(f.result, referable("thread")); !ok || referred.text == "(*this)" {
				return
			}
		}
		text := d.methodParameters(t, f, form.params)
		declared := strings.NewReplacer("$r", f.result.name, "$m", name).Replace(form.declare)
		var body []*piece
		if f.reference {
			body = []*piece{line("return " + referred.text + ";")}
		} else {
			body = d.s.body(2)
		}
		p = block(declared+"("+text+")"+qualifier, body, "")
		f.weight = 1 + d.w.weight
	})
	return f, p
}

// methodParameters returns the declarations of n parameters, or of any number.
func (d *declarations) methodParameters(t *typ, f *function, n int) string {
	var names []string
	for _, m := range t.fields {
		names = append(names, m.name())
	}
	var text string
	switch {
	case f.reference:
		f.params, text = d.values(n, false, nil)
	case n == 1 && d.w.one(2):
		own := parameter{t, pick(d.w, byValue, byConstant)}
		text, f.params = d.w.parameter(own, d.w.name("a")), []parameter{own}
	case n == 1:
		f.params, text = d.values(1, false, names)
	case n < 0:
		f.params, text = d.w.parameters(d.w.random.IntN(3), f.pure, names...)
	}
	if n == 1 && f.params[0].mode == byValue {
		f.params[0].mode = inBraces // operators of what the object converts to compete
	}
	return text
}

// fieldsInScope puts the object of a method, and its fields, in scope.
func (d *declarations) fieldsInScope(t *typ, f *function) {
	for c := t; c != nil; c = c.base {
		for _, m := range c.fields {
			name := pick(d.w, "", "", "this->") + m.name()
			d.w.scope = append(d.w.scope, place{text: name, typ: m.typ, space: f.space, fixed: f.pure})
		}
	}
	d.w.scope = append(d.w.scope, place{text: "(*this)", typ: t, space: f.space, fixed: f.pure})
}
