package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// statements writes up to n statements, with a scope of their own.
func (w *writer) statements(depth, n int) []*piece {
	scope, functions := w.scope, w.functions
	w.scope, w.functions = slices.Clone(scope), slices.Clip(functions)
	w.level++
	list := w.list(depth, n)
	w.scope, w.functions = scope, functions
	w.level--
	return list
}

// list writes up to n statements, whose variables stay in scope.
func (w *writer) list(depth, n int) []*piece {
	var list []*piece
	for range 1 + w.random.IntN(n) {
		list = append(list, w.statement(depth)...)
	}
	return list
}

// statement writes a statement, and the declarations that it needs.
func (w *writer) statement(depth int) []*piece {
	w.budget--
	w.weight++
	if w.budget < 0 || depth <= 0 {
		return w.assignment()
	}
	switch w.random.IntN(16) {
	case 0, 1:
		return []*piece{w.choice(depth)}
	case 2:
		return []*piece{w.loop(depth)}
	case 3:
		return []*piece{w.switchOver(depth)}
	case 4, 5, 6:
		return []*piece{w.declaration()}
	case 7:
		if p := w.alias(); p != nil {
			return []*piece{p}
		}
	case 8, 9, 10:
		if p := w.impure(); p != nil {
			return []*piece{p}
		}
	case 11:
		if p := w.leave(); p != nil {
			return []*piece{p}
		}
	case 12:
		return []*piece{w.lambda(depth)}
	}
	return w.assignment()
}

// declared returns the name of a new variable, which may be that of one further out. That
// one is out of scope from here on.
func (w *writer) declared() string {
	name := w.name("v")
	if len(w.scope) == 0 || !w.one(12) {
		return name
	}
	if p := pick(w, w.scope...); len(p.text) > 1 && p.level < w.level &&
		strings.Trim(p.text, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		name = p.text
		w.hide(name)
	}
	return name
}

// enter puts a variable in scope and returns its declaration.
func (w *writer) enter(t *typ, name, value string) *piece {
	fixed := w.one(4)
	w.scope = append(w.scope, place{text: name, typ: t, space: "thread", fixed: fixed, level: w.level})
	text := t.declare(name) + value + ";"
	if fixed {
		text = "const " + text
	}
	return line(text)
}

func (w *writer) declaration() *piece {
	name := w.declared()
	switch n := w.random.IntN(12); {
	case n < 2:
		t := w.array(pick(w, w.elementTypes()...), 2+w.random.IntN(3))
		return w.enter(t, name, " = "+w.braces(t, 1))
	case n < 4:
		t := pick(w, vectors...)
		return w.enter(t, name, " = "+w.vector(t, 3))
	case n < 8 && len(w.records) > 0:
		t := pick(w, w.records...)
		f, x := w.callAny(3, func(f *function) bool { return f.result == t && f.call == t.name+"($a)" })
		if f == nil || len(f.params) == 0 || w.one(2) {
			return w.enter(t, name, " = "+w.object(t, 3))
		}
		// parentheses around the first argument, lest it declares a function
		first, rest := cutArgument(x[len(t.name)+1 : len(x)-1])
		return w.enter(t, name, "(("+first+")"+rest+")")
	}
	t := pick(w, append(slices.Clone(w.kinds), floats...)...)
	return w.enter(t, name, " = "+w.expression(t, 3))
}

// cutArgument cuts the first argument from a list.
func cutArgument(list string) (first, rest string) {
	depth := 0
	for i, c := range list {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 0 && list[i+1] == ' ': // those of templates have no space
			return list[:i], list[i:]
		}
	}
	return list, ""
}

// alias declares a reference or pointer to something.
func (w *writer) alias() *piece {
	fixed := w.one(3)
	space := pick(w, "thread", "thread", "thread", "device")
	suits := referable(space)
	if fixed {
		suits = readable(space)
	}
	t := w.valueType()
	p, ok := w.place(t, suits)
	if !ok {
		return nil
	}
	name := w.name("r")
	text, target := name, p.text
	prefix := space + " "
	if fixed {
		prefix = "const " + space + " "
	}
	if w.one(2) {
		text = "(*" + name + ")"
		if q, ok := w.place(t, suits); ok && !p.sliced && !q.sliced && w.one(3) {
			target = fmt.Sprintf("(%s ? &%s : &%s)", w.condition(1), p.text, q.text)
		} else {
			target = "&" + p.text
		}
		name = "* " + name
	} else {
		name = "& " + name
	}
	w.scope = append(w.scope, place{text: text, typ: t, space: space, fixed: fixed, level: w.level})
	return line(prefix + t.name + name + " = " + target + ";")
}

// assignment writes something to a place.
func (w *writer) assignment() []*piece {
	t := w.valueType()
	if w.one(2) {
		t = pick(w, w.kinds...)
	}
	p, ok := w.place(t, assignable)
	for range 4 {
		if ok {
			break
		}
		t = pick(w, intType, uintType, floatType, longType, w.valueType())
		p, ok = w.place(t, assignable)
	}
	if !ok {
		return []*piece{w.declaration()}
	}
	if t.isScalar() || t.form == vector {
		if w.one(3) {
			return []*piece{line(w.compound(p))}
		}
		if t.form == vector && w.one(3) {
			return []*piece{line(w.someComponents(p))}
		}
	}
	if q, ok := w.place(t, assignable); ok && !p.moves && !q.moves && w.one(8) {
		return []*piece{line(p.text + " = " + q.text + " = " + w.expression(t, 3) + ";")}
	}
	return []*piece{line(p.text + " = " + w.expression(t, 3) + ";")}
}

// compound changes a scalar or vector by an operator.
func (w *writer) compound(p place) string {
	t := p.typ
	scalar := t
	if t.form == vector {
		scalar = t.elem
	}
	operators := []string{"+=", "-=", "*=", "+="}
	switch {
	case t == boolType:
		return p.text + pick(w, " &= ", " |= ", " ^= ") + w.condition(2) + ";"
	case t.isScalar() && w.one(4):
		op := pick(w, "++", "--")
		return pick(w, op+p.text, p.text+op) + ";"
	case t.form == integer && w.one(4):
		return p.text + pick(w, " <<= ", " >>= ") + "(" + w.integer(1) + pick(w, " & 7);", " & 15);")
	case scalar.form == integer:
		if w.one(4) {
			n := "7"
			if t.form == vector {
				n = t.name + "(3)"
			}
			return p.text + pick(w, " /= ", " %= ") + n + ";"
		}
		operators = append(operators, "&=", "|=", "^=")
	default:
		operators = append(operators, "/=")
	}
	return p.text + " " + pick(w, operators...) + " " + w.expression(t, 2) + ";"
}

// someComponents writes to some components of a vector.
func (w *writer) someComponents(p place) string {
	n := 1 + w.random.IntN(p.typ.n)
	letters := ""
	for _, i := range w.random.Perm(p.typ.n)[:n] {
		letters += "xyzw"[i : i+1]
	}
	t := vectorOf(p.typ.elem, n)
	return p.text + "." + letters + pick(w, " = ", " = ", " += ") + w.exact(t, 2) + ";"
}

// impure calls a function that changes something.
func (w *writer) impure() *piece {
	f, text := w.callAny(2, func(f *function) bool { return !f.pure })
	switch {
	case f == nil:
		return nil
	case f.reference && !w.one(4):
		return line(text + " = " + w.expression(f.result, 2) + ";")
	case w.one(3):
		return line(text + ";")
	case f.result.isScalar() && w.one(3):
		return block("if ("+text+" > 3)", w.statements(1, 2), "")
	case w.one(2):
		if p, ok := w.place(f.result, func(p place) bool { return assignable(p) && !p.moves }); ok {
			return line(p.text + " = " + text + ";")
		}
	}
	return w.enter(f.result, w.name("v"), " = "+text)
}

func (w *writer) choice(depth int) *piece {
	then := block("if ("+w.condition(2)+")", w.statements(depth-1, 3), "")
	if w.one(2) {
		return then
	}
	otherwise := block("else", w.statements(depth-1, 3), "")
	return &piece{body: []*piece{then, otherwise}}
}

// leave writes a statement that leaves something.
func (w *writer) leave() *piece {
	head := "if (" + w.condition(1) + ") "
	switch {
	case w.breaks && w.one(2):
		return line(head + "break;")
	case w.continues && w.one(2):
		return line(head + "continue;")
	case w.exits && w.result == nil:
		return line(head + "return;")
	case w.exits:
		return line(head + "return " + w.returned() + ";")
	}
	return nil
}

// loop writes a loop of at most four turns.
func (w *writer) loop(depth int) *piece {
	limit := pick(w, "2", "3", "4", "int("+w.leaf(intType)+" & 3)")
	k := w.name("k")
	scope, breaks, continues := w.scope, w.breaks, w.continues
	w.scope = append(slices.Clone(scope), place{text: k, typ: intType, space: "thread", fixed: true,
		level: w.level + 1})
	w.breaks, w.continues = true, true
	weight := w.weight
	body := w.statements(depth-1, 3)
	w.weight += 2 * (w.weight - weight)
	w.breaks, w.continues = breaks, continues
	while := w.condition(1)
	w.scope = scope
	switch w.random.IntN(4) {
	case 0:
		return block("{ int "+k+" = "+limit+"; while ("+k+"-- > 0 && "+while+")", body, " }")
	case 1:
		return block("{ int "+k+" = "+limit+"; do", body, " while (--"+k+" > 0 && "+while+"); }")
	}
	return block(fmt.Sprintf("for (int %s = 0; %s < %s; %s++)", k, k, limit, k), body, "")
}

func (w *writer) switchOver(depth int) *piece {
	var cases []*piece
	breaks := w.breaks
	w.breaks = true
	labels := w.random.Perm(8)
	rest := w.random.IntN(5)
	for i := range 1 + w.random.IntN(4) {
		label := ""
		for range 1 + w.random.IntN(2) {
			label += fmt.Sprintf("case %d: ", labels[0])
			labels = labels[1:]
		}
		if i == rest {
			label += "default: "
		}
		end := ""
		if w.one(2) {
			end = " break;"
		}
		cases = append(cases, block(label, w.statements(depth-1, 2), end))
	}
	w.breaks = breaks
	return block("switch (int("+w.integer(2)+" & 7))", cases, "")
}

// lambda declares a lambda that may change what is around it.
func (w *writer) lambda(depth int) *piece {
	name := w.name("g")
	f := &function{call: name + "($a)", result: w.valueType()}
	var p *piece
	w.inner(f.result, min(w.budget, 3), func() {
		params, text := w.parameters(w.random.IntN(3), true)
		f.params = params
		body := w.list(depth-1, 2)
		body = append(body, line("return "+w.exact(w.result, 2)+";"))
		p = block(fmt.Sprintf("auto %s = [&](%s) -> %s", name, text, f.result.name), body, ";")
		f.weight = 1 + w.weight
	})
	w.functions = append(w.functions[:len(w.functions):len(w.functions)], f)
	return p
}
