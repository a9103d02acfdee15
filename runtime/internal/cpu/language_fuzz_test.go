package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The programs of these tests are made at random, as text for the device and as
// closures that compute the same for one thread at a time.

// world is the variables of a thread, or of a call that it makes.
type world struct {
	slots  []*number
	arrays [][]number
}

// formula is an expression: its text, its type, and its value.
type formula struct {
	text string
	kind string
	eval func(w *world) number
}

// leaving says how a statement ends.
type leaving int

const (
	goOn leaving = iota
	breaks
	continues
	returns_
)

// action is a statement; result receives the value of a return.
type action struct {
	text string
	run  func(w *world, result *number) leaving
}

// variableOf is a name in scope.
type variableOf struct {
	name  string
	kind  string
	slot  int
	fixed bool // not to be assigned to
}

type arrayOf struct {
	name, kind string
	slot, size int
}

// helper is a function: it takes an int, a float, and a reference to an int.
type helper struct {
	form helperForm
	kind string
	call func(a, b number, c *number) number
}

// helperForm is how a helper is written and called, from its name, its type and
// its body, and from its arguments.
type helperForm struct{ name, declare, call string }

var helperForms = []helperForm{
	{"f", "KIND NAME(int a, float b, thread int& c) BODY", "NAME(A, B, C)"},
	{"f", "template <typename T, typename U> KIND NAME(T a, U b, thread int& c) BODY", "NAME<int, float>(A, B, C)"},
	{"S", "struct NAME { int a; float b; KIND run(thread int& c) BODY };", "NAME{int(A), float(B)}.run(C)"},
	{"S", `template <typename T> struct NAME { T b; thread int& c; NAME(thread int& c, float b) : b(b), c(c) {}
		KIND operator()(int a) BODY };`, "NAME<float>(C, B)(A)"},
	{"S", `struct NAME { int list[3]; float b; thread int& at(int i) { return list[i]; } KIND run(thread int& c) {
		thread int& a = at(1); BODY } };`, "NAME{{0, int(A)}, float(B)}.run(C)"},
}

// calls are ways to write an assignment of the result of a helper.
var calls = []string{
	"TO = CALL;", "TO = CALL;",
	"[&] { TO = CALL; }();",
	"apply([&](int by) { if (by == 1) TO = CALL; });",
	"{ auto give = [&] { return CALL; }; TO = give(); }",
}

// apply is a function that some calls need.
const apply = "template <typename F> void apply(F f) { for (int by = 0; by < 3; by++) f(by); }\n"

type programmer struct {
	random    *rand.Rand
	scope     []variableOf
	arrays    []arrayOf
	helpers   []helper
	slots     int
	breaks    bool   // break has something to leave
	continues bool   // continue has
	result    string // of the function
	budget    int
}

func (p *programmer) one(n int) bool { return p.random.IntN(n) == 0 }

func pickOf[T any](p *programmer, list ...T) T { return list[p.random.IntN(len(list))] }

func (p *programmer) kind() string {
	if p.one(4) {
		return pickOf(p, allKinds...)
	}
	return pickOf(p, "int", "int", "uint", "float", "long", "bool", "short", "uchar", "half")
}

func (p *programmer) constant(kind string) formula {
	v := pickOf(p, interesting(kind)...)
	if p.one(2) {
		v = integerOf("int", uint64(p.random.IntN(9)-1)).to(kind)
	}
	text, ok := literal(v)
	if !ok {
		v = number{kind: "int", i: 3}.to(kind)
		text, _ = literal(v)
	}
	if kind == "int" && int64(v.i) >= 0 {
		text = fmt.Sprint(v.i)
	}
	return formula{text, kind, func(*world) number { return v }}
}

func (p *programmer) leaf() formula {
	if p.one(4) {
		return p.constant(p.kind())
	}
	v := pickOf(p, p.scope...)
	return formula{v.name, v.kind, func(w *world) number { return *w.slots[v.slot] }}
}

// element is an element of an array whose index is in bounds.
func (p *programmer) element(depth int) (text, kind string, at func(w *world) *number) {
	a := pickOf(p, p.arrays...)
	index := p.integer(depth)
	n := uint64(a.size - 1)
	if p.one(3) {
		fixed := p.random.Uint64N(uint64(a.size))
		return fmt.Sprintf("%s[%d]", a.name, fixed), a.kind, func(w *world) *number { return &w.arrays[a.slot][fixed] }
	}
	return fmt.Sprintf("%s[%s & %d]", a.name, index.text, n), a.kind,
		func(w *world) *number { return &w.arrays[a.slot][index.eval(w).i&n] }
}

// integer is an expression of an integer type.
func (p *programmer) integer(depth int) formula {
	x := p.expression(depth)
	if m := scalarModels[x.kind]; m.floating || x.kind == "bool" {
		kind := pickOf(p, integerKinds...)
		return formula{fmt.Sprintf("%s(%s)", kind, x.text), kind, func(w *world) number { return x.eval(w).to(kind) }}
	}
	return x
}

func (p *programmer) condition(depth int) formula {
	x, y := p.expression(depth), p.expression(depth)
	op := pickOf(p, compareSigns...)
	return formula{fmt.Sprintf("(%s %s %s)", x.text, op, y.text), "bool", func(w *world) number {
		v, _ := operate(op, x.eval(w), y.eval(w))
		return v
	}}
}

// as is x where a value of a kind is wanted: with a cast where the language converts nothing by itself.
func (x formula) as(kind string) formula {
	if !needsCast(x.kind, kind) {
		return x
	}
	return formula{fmt.Sprintf("%s(%s)", kind, x.text), kind, func(w *world) number { return x.eval(w).to(kind) }}
}

func (p *programmer) expression(depth int) formula {
	if depth <= 0 {
		return p.leaf()
	}
	switch p.random.IntN(12) {
	case 0:
		return p.leaf()
	case 1:
		x := p.expression(depth - 1)
		kind := p.kind()
		return formula{fmt.Sprintf("%s(%s)", kind, x.text), kind, func(w *world) number { return x.eval(w).to(kind) }}
	case 2:
		return p.condition(depth - 1)
	case 3:
		x, y := p.condition(depth-1), p.expression(depth-1)
		if p.one(2) {
			return formula{fmt.Sprintf("(%s && %s)", x.text, y.text), "bool", func(w *world) number {
				return boolNumber(x.eval(w).isTrue() && y.eval(w).isTrue())
			}}
		}
		return formula{fmt.Sprintf("(%s || %s)", x.text, y.text), "bool", func(w *world) number {
			return boolNumber(x.eval(w).isTrue() || y.eval(w).isTrue())
		}}
	case 4:
		c, x, y := p.condition(depth-1), p.expression(depth-1), p.expression(depth-1)
		kind := x.kind
		if y.kind != kind {
			kind = commonKind(x.kind, y.kind)
		}
		return formula{fmt.Sprintf("(%s ? %s : %s)", c.text, x.text, y.text), kind, func(w *world) number {
			if c.eval(w).isTrue() {
				return x.eval(w).to(kind)
			}
			return y.eval(w).to(kind)
		}}
	case 5:
		x := p.expression(depth - 1)
		switch {
		case p.one(3):
			return formula{fmt.Sprintf("(!%s)", x.text), "bool",
				func(w *world) number { return boolNumber(!x.eval(w).isTrue()) }}
		case p.one(2) && !scalarModels[x.kind].floating:
			kind := commonKind(x.kind, x.kind)
			return formula{fmt.Sprintf("(~%s)", x.text), kind, func(w *world) number { return inverted(kind, x.eval(w)) }}
		}
		kind := commonKind(x.kind, x.kind)
		return formula{fmt.Sprintf("(-%s)", x.text), kind, func(w *world) number { return negated(kind, x.eval(w)) }}
	case 6:
		if len(p.arrays) > 0 {
			text, kind, at := p.element(depth - 1)
			return formula{text, kind, func(w *world) number { return *at(w) }}
		}
	case 7: // a division that is guarded
		x, y := p.expression(depth-1), p.leaf()
		if kind := commonKind(x.kind, y.kind); !scalarModels[kind].floating {
			op := pickOf(p, "/", "%")
			return formula{fmt.Sprintf("(%s != 0 ? %s %s %s : %s(7))", y.text, x.text, op, y.text, kind), kind,
				func(w *world) number {
					if v, ok := operate(op, x.eval(w), y.eval(w)); ok {
						return v
					}
					return number{kind: "int", i: 7}.to(kind)
				}}
		}
	}
	x, y := p.expression(depth-1), p.expression(depth-1)
	signs, kind := signsFor(x.kind, y.kind)
	op := pickOf(p, signs...)
	switch {
	case op == "<<" || op == ">>":
		kind = commonKind(x.kind, x.kind)
	case op == "%" || op == "/" && !scalarModels[kind].floating:
		y = p.divisor(kind)
		kind = commonKind(x.kind, y.kind)
	}
	return formula{fmt.Sprintf("(%s %s %s)", x.text, op, y.text), kind, func(w *world) number {
		v, _ := operate(op, x.eval(w), y.eval(w))
		return v
	}}
}

// divisor is a constant that is not zero.
func (p *programmer) divisor(kind string) formula {
	for {
		if c := p.constant(kind); c.eval(nil).isTrue() {
			return c
		}
	}
}

func (p *programmer) slot() int { p.slots++; return p.slots - 1 }

// block is statements with a scope of their own.
func (p *programmer) block(depth, n int) action {
	outer := len(p.scope)
	var list []action
	for range 1 + p.random.IntN(n) {
		list = append(list, p.statement(depth))
	}
	p.scope = p.scope[:outer]
	var text strings.Builder
	for _, s := range list {
		text.WriteString(s.text)
	}
	return action{"{\n" + text.String() + "}\n", func(w *world, result *number) leaving {
		for _, s := range list {
			if l := s.run(w, result); l != goOn {
				return l
			}
		}
		return goOn
	}}
}

// target is a variable that may be assigned to.
func (p *programmer) target() variableOf {
	for {
		if v := pickOf(p, p.scope...); !v.fixed {
			return v
		}
	}
}

func (p *programmer) statement(depth int) action {
	p.budget--
	if p.budget < 0 || depth <= 0 {
		return p.assignment()
	}
	switch p.random.IntN(11) {
	case 0, 1:
		c, then, otherwise := p.condition(2), p.block(depth-1, 3), p.block(depth-1, 3)
		if p.one(3) {
			return action{fmt.Sprintf("if %s %s", c.text, then.text), func(w *world, result *number) leaving {
				if c.eval(w).isTrue() {
					return then.run(w, result)
				}
				return goOn
			}}
		}
		return action{fmt.Sprintf("if %s %selse %s", c.text, then.text, otherwise.text),
			func(w *world, result *number) leaving {
				if c.eval(w).isTrue() {
					return then.run(w, result)
				}
				return otherwise.run(w, result)
			}}
	case 2, 3:
		return p.loop(depth)
	case 4:
		return p.switchOver(depth)
	case 5:
		kind := p.kind()
		x := p.expression(2).as(kind)
		v := variableOf{name: fmt.Sprintf("n%d", p.slots), kind: kind, slot: p.slot()}
		p.scope = append(p.scope, v)
		return action{fmt.Sprintf("%s %s = %s;\n", kind, v.name, x.text), func(w *world, _ *number) leaving {
			value := x.eval(w).to(kind)
			w.slots[v.slot] = &value
			return goOn
		}}
	case 6:
		switch c := p.condition(1); {
		case p.breaks && p.one(2):
			return action{fmt.Sprintf("if %s break;\n", c.text), leaveIf(c, breaks)}
		case p.continues:
			return action{fmt.Sprintf("if %s continue;\n", c.text), leaveIf(c, continues)}
		}
	case 7:
		if p.one(3) {
			c := p.condition(1)
			if p.result == "" {
				return action{fmt.Sprintf("if %s return;\n", c.text), leaveIf(c, returns_)}
			}
			x := p.expression(1)
			return action{fmt.Sprintf("if %s return %s;\n", c.text, x.text), func(w *world, result *number) leaving {
				if c.eval(w).isTrue() {
					*result = x.eval(w).to(p.result)
					return returns_
				}
				return goOn
			}}
		}
	case 8:
		if len(p.helpers) > 0 {
			return p.call()
		}
	}
	return p.assignment()
}

func leaveIf(c formula, how leaving) func(w *world, _ *number) leaving {
	return func(w *world, _ *number) leaving {
		if c.eval(w).isTrue() {
			return how
		}
		return goOn
	}
}

func (p *programmer) assignment() action {
	v := p.target()
	name, kind := v.name, v.kind
	at := func(w *world) *number { return w.slots[v.slot] }
	if len(p.arrays) > 0 && p.one(5) {
		name, kind, at = p.element(1)
	}
	if kind != "bool" && p.one(6) {
		op := pickOf(p, "+", "-")
		text := name + op + op
		if p.one(2) {
			text = op + op + name
		}
		return action{text + ";\n", func(w *world, _ *number) leaving {
			to := at(w)
			r, _ := operate(op, *to, number{kind: "int", i: 1})
			*to = r.to(kind)
			return goOn
		}}
	}
	x := p.expression(3)
	if p.one(3) {
		signs, common := signsFor(kind, x.kind)
		if needsCast(common, kind) || needsCast(x.kind, kind) {
			x = x.as(kind)
			signs, common = signsFor(kind, kind)
		}
		op := pickOf(p, signs...)
		if op == "%" || op == "/" && !scalarModels[common].floating {
			x = p.divisor(common)
		}
		return action{fmt.Sprintf("%s %s= %s;\n", name, op, x.text), func(w *world, _ *number) leaving {
			r, _ := operate(op, *at(w), x.eval(w))
			*at(w) = r.to(kind)
			return goOn
		}}
	}
	x = x.as(kind)
	return action{fmt.Sprintf("%s = %s;\n", name, x.text), func(w *world, _ *number) leaving {
		value := x.eval(w).to(kind)
		*at(w) = value
		return goOn
	}}
}

func (p *programmer) loop(depth int) action {
	// the count is the same for all lanes or not
	limit := p.constant("int")
	for limit.eval(nil).i > 5 {
		limit = p.constant("int")
	}
	if p.one(2) {
		x := p.integer(1)
		limit = formula{fmt.Sprintf("int(%s & 3)", x.text), "int",
			func(w *world) number { return integerOf("int", x.eval(w).i&3) }}
	}
	outer := len(p.scope)
	v := variableOf{name: fmt.Sprintf("n%d", p.slots), kind: "int", slot: p.slot(), fixed: true}
	p.scope = append(p.scope, v)
	breaksBefore, continuesBefore := p.breaks, p.continues
	p.breaks, p.continues = true, true
	body := p.block(depth-1, 3)
	p.breaks, p.continues = breaksBefore, continuesBefore
	while := p.condition(1)
	p.scope = p.scope[:outer]
	bump := func(w *world, by uint64) { *w.slots[v.slot] = integerOf("int", w.slots[v.slot].i+by) }
	switch p.random.IntN(3) {
	case 0:
		return action{fmt.Sprintf("for (int %s = 0; %s < %s; %s++) %s", v.name, v.name, limit.text, v.name, body.text),
			func(w *world, result *number) leaving {
				for w.slots[v.slot] = &(number{kind: "int"}); int64(w.slots[v.slot].i) < int64(limit.eval(w).i); bump(w, 1) {
					if l := body.run(w, result); l == breaks {
						break
					} else if l == returns_ {
						return l
					}
				}
				return goOn
			}}
	case 1:
		return action{fmt.Sprintf("{ int %s = %s;\nwhile (%s-- > 0 && %s) %s}\n", v.name, limit.text, v.name, while.text,
			body.text), func(w *world, result *number) leaving {
			start := limit.eval(w)
			w.slots[v.slot] = &start
			for {
				more := int64(w.slots[v.slot].i) > 0
				bump(w, ^uint64(0))
				if !more || !while.eval(w).isTrue() {
					return goOn
				}
				if l := body.run(w, result); l == breaks {
					return goOn
				} else if l == returns_ {
					return l
				}
			}
		}}
	}
	return action{fmt.Sprintf("{ int %s = %s;\ndo %swhile (--%s > 0 && %s);\n}\n", v.name, limit.text, body.text, v.name,
		while.text), func(w *world, result *number) leaving {
		start := limit.eval(w)
		w.slots[v.slot] = &start
		for {
			if l := body.run(w, result); l == breaks {
				return goOn
			} else if l == returns_ {
				return l
			}
			bump(w, ^uint64(0))
			if int64(w.slots[v.slot].i) <= 0 || !while.eval(w).isTrue() {
				return goOn
			}
		}
	}}
}

// switchOver has labels in any order; some cases fall through.
func (p *programmer) switchOver(depth int) action {
	x := p.integer(2)
	type part struct {
		labels []uint64
		rest   bool // default
		body   action
		ends   bool
	}
	var parts []part
	var text strings.Builder
	fmt.Fprintf(&text, "switch (int(%s & 7)) {\n", x.text)
	labels := p.random.Perm(8)
	hasDefault := p.one(4)
	for range 1 + p.random.IntN(4) {
		var c part
		for range 1 + p.random.IntN(2) {
			c.labels = append(c.labels, uint64(labels[0]))
			fmt.Fprintf(&text, "case %d:\n", labels[0])
			labels = labels[1:]
		}
		if !hasDefault && p.one(3) {
			hasDefault, c.rest = true, true
			text.WriteString("default:\n")
		}
		before := p.breaks
		p.breaks = true
		c.body = p.block(depth-1, 2)
		p.breaks = before
		text.WriteString(c.body.text)
		if c.ends = p.one(2); c.ends {
			text.WriteString("break;\n")
		}
		parts = append(parts, c)
	}
	text.WriteString("}\n")
	return action{text.String(), func(w *world, result *number) leaving {
		v := x.eval(w).i & 7
		from := -1
		for i, c := range parts {
			for _, label := range c.labels {
				if label == v {
					from = i
				}
			}
		}
		for i, c := range parts {
			if from < 0 && c.rest {
				from = i
			}
		}
		if from < 0 {
			return goOn
		}
		for _, c := range parts[from:] {
			l := c.body.run(w, result)
			if l == continues || l == returns_ {
				return l
			}
			if l == breaks || c.ends {
				break
			}
		}
		return goOn
	}}
}

// call assigns the result of a function to a variable; the call changes another one.
func (p *programmer) call() action {
	h := pickOf(p, p.helpers...)
	a, b := p.expression(2), p.expression(1)
	var changed []variableOf
	for _, v := range p.scope {
		if v.kind == "int" && !v.fixed {
			changed = append(changed, v)
		}
	}
	if len(changed) == 0 {
		return p.assignment()
	}
	c, to := pickOf(p, changed...), p.target()
	text := strings.NewReplacer("A", a.text, "B", b.text, "C", c.name).Replace(h.form.call)
	if needsCast(h.kind, to.kind) {
		text = to.kind + "(" + text + ")"
	}
	text = strings.NewReplacer("TO", to.name, "CALL", text).Replace(pickOf(p, calls...))
	return action{text + "\n", func(w *world, _ *number) leaving {
		value := h.call(a.eval(w).to("int"), b.eval(w).to("float"), w.slots[c.slot])
		*w.slots[to.slot] = value.to(to.kind)
		return goOn
	}}
}

// function makes a helper that the functions after it may call.
func (p *programmer) function(n int) string {
	kind := pickOf(p, "int", "float", "uint", "short")
	q := &programmer{random: p.random, helpers: p.helpers, result: kind, budget: 6}
	for _, v := range []variableOf{{name: "a", kind: "int"}, {name: "b", kind: "float"}, {name: "c", kind: "int"}} {
		v.slot = q.slot()
		q.scope = append(q.scope, v)
	}
	body := q.block(3, 4)
	last := q.expression(2)
	form := pickOf(p, helperForms...)
	name := fmt.Sprintf("%s%d", form.name, n)
	form.call = strings.ReplaceAll(form.call, "NAME", name)
	p.helpers = append(p.helpers, helper{form, kind, func(a, b number, c *number) number {
		w := &world{slots: make([]*number, q.slots)}
		w.slots[0], w.slots[1], w.slots[2] = &a, &b, c
		var result number
		if body.run(w, &result) != returns_ {
			result = last.eval(w).to(kind)
		}
		return result
	}})
	whole := strings.TrimSuffix(body.text, "}\n") + "return " + last.text + ";\n}"
	return strings.NewReplacer("KIND", kind, "NAME", name, "BODY", whole).Replace(form.declare) + "\n"
}

// runProgram makes the program of a seed and compares the device with the model.
func runProgram(t *testing.T, seed uint64) {
	t.Helper()
	const n = 100
	p := &programmer{random: rand.New(rand.NewPCG(seed, 1)), budget: 14}
	var source strings.Builder
	source.WriteString(apply)
	for k := range p.random.IntN(3) {
		source.WriteString(p.function(k))
	}
	source.WriteString(`kernel void test(device const int* ints, device const float* floats, constant int& same,
	device long* r, device float* s, uint i [[thread_position_in_grid]]) {
`)
	ints, floats := make([]int32, n), make([]float32, n)
	for k := range ints {
		ints[k] = int32(p.random.IntN(41) - 20)
		if p.one(8) {
			ints[k] = int32(p.random.Uint32())
		}
		floats[k] = float32(p.random.IntN(100)-50) / 4
		if p.one(8) {
			floats[k] = math.Float32frombits(p.random.Uint32())
		}
	}
	same := int32(p.random.IntN(20) - 10)
	// what variables begin with: the thread's index, a load, one value for all
	type start func(i int) number
	var starts []start
	begin := func(v variableOf, text string, s start) {
		v.slot = p.slot()
		p.scope = append(p.scope, v)
		starts = append(starts, s)
		if text != "" {
			fmt.Fprintf(&source, "%s %s = %s;\n", v.kind, v.name, text)
		}
	}
	index := func(i int) number { return number{kind: "uint", i: uint64(i)} }
	begin(variableOf{name: "i", kind: "uint", fixed: true}, "", index)
	begin(variableOf{name: "same", kind: "int", fixed: true}, "",
		func(int) number { return integerOf("int", uint64(same)) })
	begin(variableOf{name: "loaded", kind: "int"}, "ints[i]",
		func(i int) number { return integerOf("int", uint64(ints[i])) })
	begin(variableOf{name: "fraction", kind: "float"}, "floats[i]",
		func(i int) number { return number{kind: "float", f: float64(floats[i])} })
	for k := range 6 {
		kind := p.kind()
		name := fmt.Sprintf("v%d", k)
		v := variableOf{name: name, kind: kind}
		switch p.random.IntN(4) {
		case 0:
			begin(v, "i", func(i int) number { return index(i).to(kind) })
		case 1:
			c := p.constant(kind)
			begin(v, c.text, func(int) number { return c.eval(nil) })
		case 2:
			by, plus := p.random.Uint64N(9)-4, p.random.Uint64N(100)-50
			begin(v, fmt.Sprintf("%s(int(i) * %d + %d)", kind, int64(by), int64(plus)),
				func(i int) number { return integerOf("int", uint64(i)*by+plus).to(kind) })
		default:
			begin(v, fmt.Sprintf("%s(ints[i])", kind), func(i int) number { return integerOf("int", uint64(ints[i])).to(kind) })
		}
	}
	for k := range p.random.IntN(3) {
		a := arrayOf{fmt.Sprintf("t%d", k), p.kind(), k, 4}
		p.arrays = append(p.arrays, a)
		fmt.Fprintf(&source, "%s %s[%d] = {};\n", a.kind, a.name, a.size)
	}
	outputs := append([]variableOf(nil), p.scope...)
	body := p.block(4, 8)
	source.WriteString(body.text)
	for k, v := range outputs {
		if scalarModels[v.kind].floating {
			fmt.Fprintf(&source, "s[i * %d + %d] = %s;\n", len(outputs), k, v.name)
		} else {
			fmt.Fprintf(&source, "r[i * %d + %d] = %s;\n", len(outputs), k, v.name)
		}
	}
	source.WriteString("}\n")

	r, s := make([]int64, n*len(outputs)), make([]float32, n*len(outputs))
	grid := threads(n)
	if p.one(2) {
		grid.Threadgroups[0], grid.Threads[0] = 2, n/2
	}
	if err := execute(t, source.String(), grid, ints, floats, same, r, s); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source.String())
	}
	for i := range n {
		w := &world{slots: make([]*number, p.slots)}
		for k, s := range starts {
			v := s(i)
			w.slots[k] = &v
		}
		for _, a := range p.arrays {
			list := make([]number, a.size)
			for k := range list {
				list[k].kind = a.kind
			}
			w.arrays = append(w.arrays, list)
		}
		ended := body.run(w, nil) == returns_
		for k, v := range outputs {
			want, got := w.slots[k].to("long"), number{kind: "long", i: uint64(r[i*len(outputs)+k])}
			if scalarModels[v.kind].floating {
				want, got = w.slots[k].to("float"), number{kind: "float", f: float64(s[i*len(outputs)+k])}
			}
			if ended {
				want = number{kind: want.kind}
			}
			if !got.same(want) {
				t.Fatalf("seed %d, thread %d: %s is %v, want %v\n%s", seed, i, v.name, got, want, source.String())
			}
		}
	}
}

// TestRandomProgramsComputeWhatTheModelDoes is deterministic.
func TestRandomProgramsComputeWhatTheModelDoes(t *testing.T) {
	t.Parallel()
	count := uint64(40)
	if *long {
		count = 150
	}
	for seed := range count {
		runProgram(t, seed)
	}
}

func FuzzRandomPrograms(f *testing.F) {
	f.Add(uint64(12345))
	f.Fuzz(func(t *testing.T, seed uint64) { runProgram(t, seed) })
}
