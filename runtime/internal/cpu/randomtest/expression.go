package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// The rules are ways to write an expression. A letter after $ stands for another one:
//
//	i  an integer of any type    v  a vector of the type that is asked for
//	f  a float or half           e  a scalar of its element
//	b  a condition               T  its name
//	l  a variable or number, the same wherever it stands in the rule
//	n  a positive number         E  the name of its element
//	K  an integer type           m  a mask of its shift counts
//	z  some components of a vector, in any order
var (
	integerRules = []string{
		"($i + $i)", "($i - $i)", "($i * $i)", "($i & $i)", "($i | $i)", "($i ^ $i)", "($i + $n)", "($i - $n)",
		"($i << ($i & 31))", "($i >> ($i & 31))", "($i << $n)", "($i >> $n)",
		"($i / $n)", "($i % $n)", "($l > 0 ? $i / $l : $i)", "($l > 0 ? $i % $l : $i)", "($l != 0 ? $n / $l : $l)",
		"(-$i)", "(~$i)", "(+$i)", "$K($i)", "$K($i)", "int($b)", "($b ? $i : $i)", "($i, $i)", "$b", "sizeof($R)",
		"whole($f)", "bits($f)", "min(int($i), int($i))", "max(uint($i), uint($i))", "abs(int($i))",
		"clamp(int($i), -$n, $n)", "popcount(uint($i))", "select(int($i), int($i), $b)",
	}
	conditionRules = []string{
		"($i < $i)", "($i > $i)", "($i <= $i)", "($i >= $i)", "($i == $i)", "($i != $i)", "($i > $n)", "(($i & $n) == 0)",
		"($f < $f)", "($f >= $f)", "($f == $f)", "($f != $i)", "($b && $b)", "($b || $b)", "(!$b)", "bool($i)",
		"any$c", "all$c", "($b ? $b : $b)",
	}
	floatRules = []string{
		"($f + $f)", "($f - $f)", "($f * $f)", "($f / $f)", "($f + $i)", "($i * $f)", "($f - $n)", "(-$f)", "float($i)",
		"float($f)", "half($f)", "half($i)", "($b ? $f : $f)", "as_type<float>(uint($i))", "select(float($f), float($f), $b)",
	}
	vectorRules = []string{
		"($v + $v)", "($v - $v)", "($v * $v)", "($v + $v)", "($v - $v)", "($v * $E($e))", "($E($e) - $v)", "(-$v)", "$T($e)",
		"($b ? $v : $v)", "select($v, $v, ($v < $v))", "select($v, $v, ($v == $v))", "$z", "$z",
	}
	integerVectorRules = []string{
		"($v & $v)", "($v | $v)", "($v ^ $v)", "(~$v)", "($v << ($v & $T($m)))", "($v >> ($v & $T($m)))", "($v / $T($n))",
		"($v % $T($n))", "min($v, $v)", "max($v, $v)", "clamp($v, $T($n), $T($n + 100))",
	}
	floatVectorRules = []string{"($v / $v)", "($v * $v)"}

	// what constants are made of
	plainRules      = []string{"($i + $i)", "($i - $i)", "($i * $n)", "($i & $i)", "($b ? $i : $i)"}
	plainConditions = []string{"($i < $i)", "($i == $n)"}
	plainFloats     = []string{"($f + $f)", "($f - $i)", "($i * $f)"}
)

// expand writes an expression after a rule; t is the type that is asked for.
func (w *writer) expand(rule string, t *typ, depth int) string {
	var b strings.Builder
	leaf := ""
	for {
		before, after, found := strings.Cut(rule, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		letter := after[0]
		rule = after[1:]
		if letter == 'l' {
			if leaf == "" {
				leaf = w.leaf(pick(w, w.kinds...))
			}
			b.WriteString(leaf)
			continue
		}
		b.WriteString(w.symbol(letter, t, depth))
	}
}

func (w *writer) symbol(letter byte, t *typ, depth int) string {
	switch letter {
	case 'i':
		return w.integer(depth)
	case 'f':
		return w.float(depth)
	case 'b':
		return w.condition(depth)
	case 'c':
		u := pick(w, vectors...)
		return "(" + w.vector(u, depth) + pick(w, " < ", " >= ", " == ", " != ") + w.vector(u, depth) + ")"
	case 'n':
		return fmt.Sprint(1 + w.random.IntN(7))
	case 'K':
		return pick(w, w.kinds...).name
	case 'R':
		return pick(w, slices.Concat(w.records, vectors[:3])...).name
	case 'v':
		return w.vector(t, depth)
	case 'e':
		return w.expression(t.elem, depth)
	case 'T':
		return t.name
	case 'E':
		return t.elem.name
	case 'm':
		return fmt.Sprint(t.elem.bits - 1)
	case 'z':
		return w.swizzle(t, depth)
	}
	panic("a rule has $" + string(letter))
}

// expression returns an expression whose value converts to a type without losing what is
// undefined. One of a record or vector has that type.
func (w *writer) expression(t *typ, depth int) string {
	switch t.form {
	case integer:
		if p, ok := w.place(t, nil); ok && w.one(3) {
			return p.text
		}
		if t == boolType && w.one(2) {
			return w.condition(depth)
		}
		return w.integer(depth)
	case floating:
		if w.one(4) {
			return w.integer(depth)
		}
		return w.float(depth)
	case vector:
		return w.vector(t, depth)
	}
	return w.object(t, depth)
}

// exact returns an expression of just that type, which is no place.
func (w *writer) exact(t *typ, depth int) string {
	x := w.expression(t, depth)
	if t.isScalar() || t.form == record && w.one(3) {
		return t.name + "(" + x + ")"
	}
	return x
}

func (w *writer) integer(depth int) string {
	if depth <= 0 {
		return w.leaf(pick(w, w.kinds...))
	}
	if w.plain {
		return w.expand(pick(w, plainRules...), nil, depth-1)
	}
	if w.one(4) {
		if x, ok := w.callOf(func(t *typ) bool { return t.form == integer }, depth); ok {
			return x
		}
	}
	if r := w.someRecord(); r != nil && w.one(10) {
		for _, m := range r.fields {
			if m.typ.form == integer {
				return w.object(r, depth-1) + m.suffix
			}
		}
	}
	return w.expand(pick(w, integerRules...), nil, depth-1)
}

// someRecord returns one of the records, or nil where there is none.
func (w *writer) someRecord() *typ {
	if len(w.records) == 0 {
		return nil
	}
	return pick(w, w.records...)
}

func (w *writer) float(depth int) string {
	if depth <= 0 {
		return w.leaf(pick(w, floats...))
	}
	if w.plain {
		return w.expand(pick(w, plainFloats...), nil, depth-1)
	}
	if w.one(5) {
		if x, ok := w.callOf(func(t *typ) bool { return t.form == floating }, depth); ok {
			return x
		}
	}
	return w.expand(pick(w, floatRules...), nil, depth-1)
}

func (w *writer) condition(depth int) string {
	if depth <= 0 {
		return "(" + w.leaf(pick(w, w.kinds...)) + pick(w, " < ", " > ", " != ", " == ") + w.leaf(intType) + ")"
	}
	if w.plain {
		return w.expand(pick(w, plainConditions...), nil, depth-1)
	}
	return w.expand(pick(w, conditionRules...), nil, depth-1)
}

// leaf returns a variable, what is in one, or a number.
func (w *writer) leaf(t *typ) string {
	if !w.one(5) {
		if p, ok := w.place(t, nil); ok {
			return p.text
		}
		if p, ok := w.scalar(t.form); ok {
			return p.text
		}
	}
	return w.literal(t)
}

// literal returns a number of a type, which -x or x - 1 may stand for.
func (w *writer) literal(t *typ) string {
	switch {
	case t == boolType:
		return pick(w, "true", "false")
	case t == floatType:
		return pick(w, "0.0f", "1.0f", "(-0.5f)", "3.25f", "(-7.75f)", "1e10f", "0.1f")
	case t == halfType:
		return "half(" + pick(w, "0.0f", "1.5f", "-2.25f", "0.1f", "100.0f") + ")"
	case w.plain && t.form == integer:
		return t.name + "(" + pick(w, "0", "1", "2", "3", "7", "12") + ")"
	case t == intType:
		return pick(w, "0", "1", "(-1)", "2", "3", "(-5)", "7", "11", "100", "0x7fffffff", "(-0x7fffffff - 1)")
	case t == uintType:
		return pick(w, "0u", "1u", "2u", "5u", "31u", "0xffffffffu", "0x80000000u")
	case t == longType:
		return pick(w, "0l", "1l", "(-3l)", "0x7fffffffffffffffl", "0x123456789l")
	case t.signed:
		return t.name + "(" + pick(w, "0", "1", "-1", "5", "-7", "127", "-128") + ")"
	}
	return t.name + "(" + pick(w, "0", "1", "2", "3", "9", "127", "255") + ")"
}

func (w *writer) vector(t *typ, depth int) string {
	if p, ok := w.place(t, nil); ok && (depth <= 0 || w.one(4)) {
		return p.text
	}
	if depth > 0 && !w.plain && w.one(5) {
		if x, ok := w.callOf(func(r *typ) bool { return r == t }, depth); ok {
			return x
		}
	}
	if depth <= 0 || w.plain || w.one(4) {
		return w.components(t, depth-1)
	}
	own := integerVectorRules
	if t.elem.form == floating {
		own = floatVectorRules
	}
	if w.one(2) {
		own = vectorRules
	}
	return w.expand(pick(w, own...), t, depth-1)
}

// components returns a construction of a vector from smaller ones, or from another of as
// many components.
func (w *writer) components(t *typ, depth int) string {
	if depth > 0 && w.one(3) {
		from := pick(w, vectors...)
		if from = vectorOf(from.elem, t.n); from.elem.form == integer || t.elem.form == floating {
			return t.name + "(" + w.vector(from, depth) + ")"
		}
	}
	var list []string
	for left := t.n; left > 0; {
		n := 1
		if depth > 0 && left < t.n && left > 1 && w.one(3) {
			n = 2 + w.random.IntN(left-1)
		}
		list = append(list, w.exact(vectorOf(t.elem, n), depth))
		left -= n
	}
	return t.name + "(" + strings.Join(list, ", ") + ")"
}

// swizzle returns as many components of a vector as t has.
func (w *writer) swizzle(t *typ, depth int) string {
	from := vectorOf(t.elem, 2+w.random.IntN(3))
	text := w.vector(from, depth)
	p, ok := w.place(from, nil)
	if ok {
		text = p.text
	}
	letters := make([]byte, t.n)
	for i := range letters {
		letters[i] = "xyzw"[w.random.IntN(from.n)]
	}
	return text + "." + string(letters)
}

// object returns an expression of a record.
func (w *writer) object(t *typ, depth int) string {
	p, ok := w.place(t, nil)
	switch {
	case ok && p.sliced:
		return t.name + "(" + p.text + ")"
	case ok && (depth <= 0 || w.one(3)):
		return p.text
	case depth > 1 && w.one(5):
		return "(" + w.condition(1) + " ? " + w.object(t, depth-1) + " : " + w.object(t, depth-1) + ")"
	}
	x, _ := w.callOf(func(r *typ) bool { return r == t }, depth) // every record has a pure way to make it
	return x
}
