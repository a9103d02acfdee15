package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// statements writes the statements of functions.
type statements struct {
	w         *writer
	result    *typ // of the function, nil for none
	exits     bool // a return may stand here
	breaks    bool // so may a break
	continues bool
	budget    int
}

// statements writes up to n statements, with a scope of their own.
func (s *statements) statements(depth, n int) []*piece {
	scope, functions := s.w.scope, s.w.functions
	s.w.scope, s.w.functions = slices.Clone(scope), slices.Clip(functions)
	s.w.level++
	list := s.list(depth, n)
	s.w.scope, s.w.functions = scope, functions
	s.w.level--
	return list
}

// list writes up to n statements, whose variables stay in scope.
func (s *statements) list(depth, n int) []*piece {
	var list []*piece
	for range 1 + s.w.random.IntN(n) {
		list = append(list, s.statement(depth)...)
	}
	return list
}

// statement writes a statement, and the declarations that it needs.
func (s *statements) statement(depth int) []*piece {
	s.budget--
	s.w.weight++
	if s.budget < 0 || depth <= 0 {
		return s.assignment()
	}
	switch s.w.random.IntN(16) {
	case 0, 1:
		return []*piece{s.choice(depth)}
	case 2:
		return []*piece{s.loop(depth)}
	case 3:
		return []*piece{s.switchOver(depth)}
	case 4, 5, 6:
		return []*piece{s.declaration()}
	case 7:
		if p := s.alias(); p != nil {
			return []*piece{p}
		}
	case 8, 9, 10:
		if p := s.impure(); p != nil {
			return []*piece{p}
		}
	case 11:
		if p := s.leave(); p != nil {
			return []*piece{p}
		}
	case 12:
		return []*piece{s.lambda(depth)}
	}
	return s.assignment()
}

// declared returns the name of a new variable, which may be that of one further out. That
// one is out of scope from here on.
func (s *statements) declared() string {
	name := s.w.name("v")
	if len(s.w.scope) == 0 || !s.w.one(12) {
		return name
	}
	if p := pick(s.w, s.w.scope...); len(p.text) > 1 && p.level < s.w.level &&
		strings.Trim(p.text, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		name = p.text
		s.w.hide(name)
	}
	return name
}

// enter puts a variable in scope and returns its declaration.
func (s *statements) enter(t *typ, name, value string) *piece {
	fixed := s.w.one(4)
	s.w.scope = append(s.w.scope, place{text: name, typ: t, space: "thread", fixed: fixed, level: s.w.level})
	text := t.declare(name) + value + ";"
	if fixed {
		text = "const " + text
	}
	return line(text)
}

func (s *statements) declaration() *piece {
	name := s.declared()
	switch n := s.w.random.IntN(12); {
	case n < 2:
		t := s.w.array(pick(s.w, s.w.elementTypes()...), 2+s.w.random.IntN(3))
		return s.enter(t, name, " = "+s.w.braces(t, 1))
	case n < 4:
		t := pick(s.w, vectors...)
		return s.enter(t, name, " = "+s.w.vector(t, 3))
	case n < 8 && len(s.w.records) > 0:
		t := pick(s.w, s.w.records...)
		f, x := s.w.callAny(3, func(f *function) bool { return f.result == t && f.call == t.name+"($a)" })
		if f == nil || len(f.params) == 0 || s.w.one(2) {
			return s.enter(t, name, " = "+s.w.object(t, 3))
		}
		// parentheses around the first argument, lest it declares a function
		first, rest := cutArgument(x[len(t.name)+1 : len(x)-1])
		return s.enter(t, name, "(("+first+")"+rest+")")
	}
	t := pick(s.w, append(slices.Clone(s.w.kinds), floats...)...)
	return s.enter(t, name, " = "+s.w.expression(t, 3))
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
func (s *statements) alias() *piece {
	fixed := s.w.one(3)
	space := pick(s.w, "thread", "thread", "thread", "device")
	suits := referable(space)
	if fixed {
		suits = readable(space)
	}
	t := s.w.valueType()
	p, ok := s.w.place(t, suits)
	if !ok {
		return nil
	}
	name := s.w.name("r")
	text, target := name, p.text
	prefix := space + " "
	if fixed {
		prefix = "const " + space + " "
	}
	if s.w.one(2) {
		text = "(*" + name + ")"
		if q, ok := s.w.place(t, suits); ok && !p.sliced && !q.sliced && s.w.one(3) {
			target = fmt.Sprintf("(%s ? &%s : &%s)", s.w.condition(1), p.text, q.text)
		} else {
			target = "&" + p.text
		}
		name = "* " + name
	} else {
		name = "& " + name
	}
	s.w.scope = append(s.w.scope, place{text: text, typ: t, space: space, fixed: fixed, level: s.w.level})
	return line(prefix + t.name + name + " = " + target + ";")
}

// assignment writes something to a place.
func (s *statements) assignment() []*piece {
	t := s.w.valueType()
	if s.w.one(2) {
		t = pick(s.w, s.w.kinds...)
	}
	p, ok := s.w.place(t, assignable)
	for range 4 {
		if ok {
			break
		}
		t = pick(s.w, intType, uintType, floatType, longType, s.w.valueType())
		p, ok = s.w.place(t, assignable)
	}
	if !ok {
		return []*piece{s.declaration()}
	}
	if t.isScalar() || t.form == vector {
		if s.w.one(3) {
			return []*piece{line(s.compound(p))}
		}
		if t.form == vector && s.w.one(3) {
			return []*piece{line(s.someComponents(p))}
		}
	}
	if q, ok := s.w.place(t, assignable); ok && !p.moves && !q.moves && s.w.one(8) {
		return []*piece{line(p.text + " = " + q.text + " = " + s.w.expression(t, 3) + ";")}
	}
	return []*piece{line(p.text + " = " + s.w.expression(t, 3) + ";")}
}

// compound changes a scalar or vector by an operator.
func (s *statements) compound(p place) string {
	t := p.typ
	scalar := t
	if t.form == vector {
		scalar = t.elem
	}
	operators := []string{"+=", "-=", "*=", "+="}
	switch {
	case t == boolType:
		return p.text + pick(s.w, " &= ", " |= ", " ^= ") + s.w.condition(2) + ";"
	case t.isScalar() && s.w.one(4):
		op := pick(s.w, "++", "--")
		return pick(s.w, op+p.text, p.text+op) + ";"
	case t.form == integer && s.w.one(4):
		return p.text + pick(s.w, " <<= ", " >>= ") + "(" + s.w.integer(1) + pick(s.w, " & 7);", " & 15);")
	case scalar.form == integer:
		if s.w.one(4) {
			n := "7"
			if t.form == vector {
				n = t.name + "(3)"
			}
			return p.text + pick(s.w, " /= ", " %= ") + n + ";"
		}
		operators = append(operators, "&=", "|=", "^=")
	default:
		operators = append(operators, "/=")
	}
	return p.text + " " + pick(s.w, operators...) + " " + s.w.expression(t, 2) + ";"
}

// someComponents writes to some components of a vector.
func (s *statements) someComponents(p place) string {
	n := 1 + s.w.random.IntN(p.typ.n)
	letters := ""
	for _, i := range s.w.random.Perm(p.typ.n)[:n] {
		letters += "xyzw"[i : i+1]
	}
	t := vectorOf(p.typ.elem, n)
	return p.text + "." + letters + pick(s.w, " = ", " = ", " += ") + s.w.exact(t, 2) + ";"
}

// impure calls a function that changes something.
func (s *statements) impure() *piece {
	f, text := s.w.callAny(2, func(f *function) bool { return !f.pure })
	switch {
	case f == nil:
		return nil
	case f.reference && !s.w.one(4):
		return line(text + " = " + s.w.expression(f.result, 2) + ";")
	case s.w.one(3):
		return line(text + ";")
	case f.result.isScalar() && s.w.one(3):
		return block("if ("+text+" > 3)", s.statements(1, 2), "")
	case s.w.one(2):
		if p, ok := s.w.place(f.result, func(p place) bool { return assignable(p) && !p.moves }); ok {
			return line(p.text + " = " + text + ";")
		}
	}
	return s.enter(f.result, s.w.name("v"), " = "+text)
}

func (s *statements) choice(depth int) *piece {
	then := block("if ("+s.w.condition(2)+")", s.statements(depth-1, 3), "")
	if s.w.one(2) {
		return then
	}
	otherwise := block("else", s.statements(depth-1, 3), "")
	return &piece{body: []*piece{then, otherwise}}
}

// leave writes a statement that leaves something.
func (s *statements) leave() *piece {
	head := "if (" + s.w.condition(1) + ") "
	switch {
	case s.breaks && s.w.one(2):
		return line(head + "break;")
	case s.continues && s.w.one(2):
		return line(head + "continue;")
	case s.exits && s.result == nil:
		return line(head + "return;")
	case s.exits:
		return line(head + "return " + s.returned() + ";")
	}
	return nil
}

// loop writes a loop of at most four turns.
func (s *statements) loop(depth int) *piece {
	limit := pick(s.w, "2", "3", "4", "int("+s.w.leaf(intType)+" & 3)")
	k := s.w.name("k")
	scope, breaks, continues := s.w.scope, s.breaks, s.continues
	s.w.scope = append(slices.Clone(scope), place{text: k, typ: intType, space: "thread", fixed: true,
		level: s.w.level + 1})
	s.breaks, s.continues = true, true
	weight := s.w.weight
	body := s.statements(depth-1, 3)
	s.w.weight += 2 * (s.w.weight - weight)
	s.breaks, s.continues = breaks, continues
	while := s.w.condition(1)
	s.w.scope = scope
	switch s.w.random.IntN(4) {
	case 0:
		return block("{ int "+k+" = "+limit+"; while ("+k+"-- > 0 && "+while+")", body, " }")
	case 1:
		return block("{ int "+k+" = "+limit+"; do", body, " while (--"+k+" > 0 && "+while+"); }")
	}
	return block(fmt.Sprintf("for (int %s = 0; %s < %s; %s++)", k, k, limit, k), body, "")
}

func (s *statements) switchOver(depth int) *piece {
	var cases []*piece
	breaks := s.breaks
	s.breaks = true
	labels := s.w.random.Perm(8)
	rest := s.w.random.IntN(5)
	for i := range 1 + s.w.random.IntN(4) {
		label := ""
		for range 1 + s.w.random.IntN(2) {
			label += fmt.Sprintf("case %d: ", labels[0])
			labels = labels[1:]
		}
		if i == rest {
			label += "default: "
		}
		end := ""
		if s.w.one(2) {
			end = " break;"
		}
		cases = append(cases, block(label, s.statements(depth-1, 2), end))
	}
	s.breaks = breaks
	return block("switch (int("+s.w.integer(2)+" & 7))", cases, "")
}

// lambda declares a lambda that may change what is around it.
func (s *statements) lambda(depth int) *piece {
	name := s.w.name("g")
	f := &function{call: name + "($a)", result: s.w.valueType()}
	var p *piece
	s.inner(f.result, min(s.budget, 3), func() {
		params, text := s.w.parameters(s.w.random.IntN(3), true)
		f.params = params
		body := s.list(depth-1, 2)
		body = append(body, line("return "+s.w.exact(s.result, 2)+";"))
		p = block(fmt.Sprintf("auto %s = [&](%s) -> %s", name, text, f.result.name), body, ";")
		f.weight = 1 + s.w.weight
	})
	s.w.functions = append(s.w.functions[:len(s.w.functions):len(s.w.functions)], f)
	return p
}
