package msl

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// operators are the binary operators with what they ask of their operands.
var operators = map[string]struct {
	op      Op
	integer bool // not for fractions
	compare bool
}{
	"+": {op: Add}, "-": {op: Sub}, "*": {op: Mul}, "/": {op: Div}, "%": {op: Mod, integer: true},
	"&": {op: And, integer: true}, "|": {op: Or, integer: true}, "^": {op: Xor, integer: true},
	"<<": {op: Shl, integer: true}, ">>": {op: Shr, integer: true},
	"==": {op: Equal, compare: true}, "!=": {op: NotEqual, compare: true}, "<": {op: Less, compare: true},
	"<=": {op: LessEqual, compare: true}, ">": {op: Greater, compare: true}, ">=": {op: GreaterEqual, compare: true},
}

// binary checks X Op Y.
func (c *checker) binary(e *parser.Binary) Expr {
	switch {
	case e.Op == ",":
		x, y := c.expr(e.X), c.expr(e.Y)
		if x == nil || y == nil {
			return nil
		}
		return &Comma{node{e.Pos, y.Type()}, x, y}
	case e.Op == "&&", e.Op == "||":
		return c.logical(e)
	case e.Op == "=":
		return c.assign(e)
	}
	if op, ok := strings.CutSuffix(e.Op, "="); ok && operators[e.Op].op == 0 {
		return c.compound(e, op)
	}
	x, y := c.expr(e.X), c.expr(e.Y)
	if z, ok := c.userOperator(e.Op, []Expr{x, y}, e.Pos); ok {
		return z
	}
	return c.operate(e.Op, x, y, e.Pos)
}

// logical checks && and ||. On vectors of bool they work element by element, and
// then evaluate both sides (section 3.1).
func (c *checker) logical(e *parser.Binary) Expr {
	x, y := c.expr(e.X), c.expr(e.Y)
	vector := scalarType(Bool)
	for _, side := range []Expr{x, y} {
		if side != nil && isVector(side.Type()) && side.Type().Scalar == Bool {
			if t := side.Type(); isVector(vector) && t.Len != vector.Len {
				return c.badOperands(e.Op, vector, t, e.Pos)
			}
			vector = vectorType(Bool, side.Type().Len)
		}
	}
	what := "an operand of " + e.Op
	operand := func(side Expr) Expr {
		if side != nil && same(side.Type(), vector) {
			return side
		}
		return c.condition(side, what)
	}
	x, y = operand(x), operand(y)
	if x == nil || y == nil {
		return nil
	}
	op, elementwise := LogicalAnd, And
	if e.Op == "||" {
		op, elementwise = LogicalOr, Or
	}
	if isVector(vector) {
		return &Binary{node{e.Pos, vector}, elementwise, c.convert(x, vector), c.convert(y, vector)}
	}
	return c.facts.folded(&Binary{node{e.Pos, vector}, op, x, y})
}

// operate applies an operator to checked operands.
func (c *checker) operate(op string, x, y Expr, pos parser.Pos) Expr {
	x, y = c.plain(x), c.plain(y)
	if x = c.value(x); x == nil {
		return nil
	}
	if y = c.value(y); y == nil {
		return nil
	}
	a, b := x.Type(), y.Type()
	o, known := operators[op]
	switch {
	case !known:
		return c.fail(pos, "operator %s is not supported", op)
	case a.Kind == Pointer || b.Kind == Pointer:
		return c.pointerOp(op, x, y, pos)
	case a.Kind == EnumType && same(a, b) && a.Enum.Scoped:
		if o.compare {
			return c.facts.folded(&Binary{node{pos, scalarType(Bool)}, o.op, x, y})
		}
		if a.Enum.Flags && (o.op == And || o.op == Or || o.op == Xor) {
			return c.facts.folded(&Binary{node{pos, a}, o.op, x, y})
		}
	case a.Kind == SimdgroupMatrix && same(a, b) && o.op == Mul:
		return &Builtin{node: node{pos, a}, Name: "simdgroup_matrix_product", Args: []Expr{x, y}}
	case a.Kind == Matrix || b.Kind == Matrix:
		return c.matrixOp(op, x, y, pos)
	case o.op == Shl || o.op == Shr:
		return c.shift(op, x, y, pos)
	}
	t := commonType(a, b)
	if t == nil || o.integer && t.Scalar.floating() || !o.compare && !bitwise(o.op) && isVector(t) && t.Scalar == Bool {
		return c.badOperands(op, a, b, pos)
	}
	result := t
	if o.compare {
		result = vectorType(Bool, width(t))
	}
	return c.facts.folded(&Binary{node{pos, result}, o.op, c.convert(x, t), c.convert(y, t)})
}

func bitwise(op Op) bool { return op == And || op == Or || op == Xor }

func (c *checker) badOperands(op string, a, b *Type, pos parser.Pos) Expr {
	return c.fail(pos, "operator %s does not take %s and %s", op, spelled(a), spelled(b))
}

// commonType is the type in which an operator computes, or nil: scalars follow
// the usual arithmetic conversions; a vector wants its like or a scalar, which
// takes the type of its elements. Elements are not promoted.
func commonType(a, b *Type) *Type {
	number := func(t *Type) bool { return arithmetic(t) || unscoped(t) }
	switch {
	case number(a) && number(b):
		return scalarType(promote(a.Scalar, b.Scalar))
	case isVector(a) && isVector(b):
		if a.Scalar == b.Scalar && a.Len == b.Len {
			return vectorType(a.Scalar, a.Len)
		}
	case isVector(a) && number(b):
		return vectorType(a.Scalar, a.Len)
	case number(a) && isVector(b):
		return vectorType(b.Scalar, b.Len)
	}
	return nil
}

// shift checks <<  and >>, whose type is that of the left side alone.
func (c *checker) shift(op string, x, y Expr, pos parser.Pos) Expr {
	a, b := x.Type(), y.Type()
	x, y = c.shiftOperands(x, y)
	if x == nil {
		return c.badOperands(op, a, b, pos)
	}
	return c.facts.folded(&Binary{node{pos, x.Type()}, operators[op].op, x, y})
}

// shiftOperands gives the sides of a shift in the types in which it works, or
// nil where it does not.
func (c *checker) shiftOperands(x, y Expr) (Expr, Expr) {
	a, b := x.Type(), y.Type()
	integer := func(t *Type) bool {
		return integral(t) || unscoped(t) || isVector(t) && !t.Scalar.floating() && t.Scalar != Bool
	}
	if !integer(a) || !integer(b) {
		return nil, nil
	}
	switch {
	case isVector(a) && isVector(b):
		if a.Len != b.Len {
			return nil, nil
		}
	case isVector(a):
		y = c.convert(c.promoted(y), vectorType(promote(b.Scalar, b.Scalar), a.Len))
	case isVector(b):
		x = c.convert(x, vectorType(b.Scalar, b.Len))
	default:
		x, y = c.promoted(x), c.promoted(y)
	}
	return x, y
}

// promoted applies the integral promotions to a scalar (C++14 4.5).
func (c *checker) promoted(x Expr) Expr {
	t := x.Type()
	if unscoped(t) || integral(t) && t.Scalar < Int {
		return c.convert(x, scalarType(promote(t.Scalar, t.Scalar)))
	}
	return x
}

// matrixOp checks the operators of matrices (section 2.3.2).
func (c *checker) matrixOp(op string, x, y Expr, pos parser.Pos) Expr {
	a, b := x.Type(), y.Type()
	o := operators[op].op
	var result *Type
	switch {
	case arithmetic(a) && o == Mul:
		return c.matrixOp(op, y, c.convert(x, b.Elem.Elem), pos)
	case arithmetic(b) && a.Kind == Matrix && o == Mul:
		return &Binary{node{pos, a}, Mul, x, c.convert(y, a.Elem.Elem)}
	case a.Scalar != b.Scalar:
	case (o == Add || o == Sub) && same(a, b):
		result = a
	case o == Mul && a.Kind == Matrix && b.Kind == Matrix && a.Len == b.Elem.Len:
		result = matrixOf(a.Elem, b.Len)
	case o == Mul && a.Kind == Matrix && b.Kind == Vector && a.Len == b.Len:
		result = a.Elem
	case o == Mul && a.Kind == Vector && b.Kind == Matrix && a.Len == b.Elem.Len:
		result = vectorType(a.Scalar, b.Len)
	}
	if result == nil {
		return c.badOperands(op, a, b, pos)
	}
	return &Binary{node{pos, result}, o, x, y}
}

// assign checks X = Y.
func (c *checker) assign(e *parser.Binary) Expr {
	l := c.expr(e.X)
	if l != nil && l.Type().Kind == StructType {
		if found, _ := c.p.methods(c.facts.class(l.Type().Struct), "operator="); !found.empty() {
			if x, ok := c.userOperator("=", []Expr{l, c.expr(e.Y)}, e.Pos); ok {
				return x
			}
		}
	}
	if l == nil || !c.assignable(l, e.Pos) {
		c.operand(e.Y)
		return nil
	}
	if t := l.Type(); t.Kind == Scalar && t.Atomic {
		return c.fail(e.Pos, "an %s is only read and written with the atomic functions", spelled(t))
	}
	r := c.initial(l.Type(), e.Y)
	if r == nil {
		return nil
	}
	return &Assign{node: node{e.Pos, l.Type()}, L: l, R: r}
}

// operand checks what stands beside an operand with an error, for errors of its own.
func (c *checker) operand(e parser.Expr) {
	if list, ok := e.(*parser.InitList); ok {
		c.exprs(list.Elems)
		return
	}
	c.expr(e)
}

// compound checks X op= Y.
func (c *checker) compound(e *parser.Binary, op string) Expr {
	l, r := c.expr(e.X), c.expr(e.Y)
	if x, ok := c.userOperator(e.Op, []Expr{l, r}, e.Pos); ok {
		return x
	}
	if l == nil || r == nil || !c.assignable(l, e.Pos) {
		return nil
	}
	o, t := operators[op].op, l.Type()
	assign := &Assign{node: node{e.Pos, t}, L: l, Op: o}
	if t.Kind == Pointer {
		if o != Add && o != Sub {
			return c.badOperands(e.Op, t, r.Type(), e.Pos)
		}
		if assign.R = c.offset(t, c.plain(r), e.Op, e.Pos); assign.R == nil {
			return nil
		}
		return assign
	}
	// what L op R comes to says in which types it is computed
	x, y := c.value(l), c.value(c.plain(r))
	if x == nil || y == nil {
		return nil
	}
	result := c.operate(op, standIn(x), y, e.Pos)
	if result == nil {
		return nil
	}
	b, ok := result.(*Binary)
	if !ok || c.rankOf(result, t) == impossible || !sameShape(x.Type(), b.X.Type()) {
		return c.badOperands(e.Op, t, r.Type(), e.Pos)
	}
	assign.Calc, assign.R = b.X.Type(), b.Y
	assign.Op = b.Op
	return assign
}

// standIn is a value of x's type of which nothing is known, so that nothing is
// folded.
func standIn(x Expr) Expr { return &VarRef{node{x.Position(), x.Type()}, &Var{Type: x.Type()}} }

// sameShape reports whether values of two types have elements in the same
// places: `s += v` with a scalar s and a vector v has no meaning.
func sameShape(a, b *Type) bool {
	return a.Kind == Matrix && same(a, b) || a.Kind != Matrix && b.Kind != Matrix && width(a) == width(b)
}

// unary checks the operators of one operand.
func (c *checker) unary(e *parser.Unary) Expr {
	switch e.Op {
	case "++", "--":
		return c.incDec(e)
	case "&":
		return c.addressOf(e)
	case "*":
		return c.pointee(e.X, e.Pos)
	case "!":
		x := c.expr(e.X)
		if y, ok := c.userOperator("!", []Expr{x}, e.Pos); ok {
			return y
		}
		return c.not(x, e.Pos)
	}
	x := c.expr(e.X)
	if y, ok := c.userOperator(e.Op, []Expr{x}, e.Pos); ok {
		return y
	}
	if x = c.value(c.plain(x)); x == nil {
		return nil
	}
	t := x.Type()
	scalar := arithmetic(t) || unscoped(t)
	vector := t.Kind == Vector && t.Scalar != Bool
	switch {
	case e.Op == "+" && t.Kind == Pointer:
		return x
	case e.Op == "-" && t.Kind == Matrix:
		return &Unary{node{e.Pos, t}, Neg, x}
	case !scalar && !vector, e.Op == "~" && t.Scalar.floating():
		return c.fail(e.Pos, "operator %s does not take %s", e.Op, spelled(t))
	}
	x = c.promoted(x)
	switch e.Op {
	case "-":
		return c.facts.folded(&Unary{node{e.Pos, x.Type()}, Neg, x})
	case "~":
		return c.facts.folded(&Unary{node{e.Pos, x.Type()}, BitNot, x})
	case "+":
		return x
	}
	return c.fail(e.Pos, "operator %s is not supported", e.Op)
}

func (c *checker) not(x Expr, pos parser.Pos) Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	if t := x.Type(); t.Kind == Vector {
		t = vectorType(Bool, t.Len)
		return &Unary{node{pos, t}, LogicalNot, c.convert(x, t)}
	}
	if x = c.condition(x, "the operand of !"); x == nil {
		return nil
	}
	return c.facts.folded(&Unary{node{pos, scalarType(Bool)}, LogicalNot, x})
}

func (c *checker) incDec(e *parser.Unary) Expr {
	x := c.expr(e.X)
	operands := []Expr{x}
	if e.Postfix {
		operands = append(operands, &Const{node: node{e.Pos, scalarType(Int)}, Value: Value{Kind: Int}})
	}
	if y, ok := c.userOperator(e.Op, operands, e.Pos); ok {
		return y
	}
	if x == nil || !c.assignable(x, e.Pos) {
		return nil
	}
	t := x.Type()
	number := arithmetic(t) || isVector(t)
	if number && t.Scalar == Bool || !number && t.Kind != Pointer {
		return c.fail(e.Pos, "operator %s does not take %s", e.Op, spelled(t))
	}
	if t.Kind == Pointer && !c.hasSize(t, e.Pos) {
		return nil
	}
	return &IncDec{node: node{e.Pos, t}, X: x, Dec: e.Op == "--", Postfix: e.Postfix}
}

// conditional checks Cond ? Then : Else.
func (c *checker) conditional(e *parser.Conditional) Expr {
	cond := c.expr(e.Cond)
	if cond != nil && isVector(cond.Type()) {
		cond = c.fail(cond.Position(), "the condition of ?: must be a scalar, not %s: use select()", spelled(cond.Type()))
	} else {
		cond = c.condition(cond, "the condition of ?:")
	}
	then, other := c.expr(e.Then), c.expr(e.Else)
	if cond == nil || then == nil || other == nil {
		return nil
	}
	t := c.eitherType(then, other)
	if t == nil {
		return c.fail(e.Pos, "the sides of ?: do not go together: %s and %s", spelled(then.Type()), spelled(other.Type()))
	}
	if t.Kind != Void {
		then, other = c.implicit(then, t), c.implicit(other, t)
	}
	if then == nil || other == nil {
		return nil
	}
	return &Cond{node{e.Pos, t}, cond, then, other}
}

// eitherType is the type of which both sides of a ?: can be, or nil.
func (c *checker) eitherType(x, y Expr) *Type {
	a, b := valueType(x), valueType(y)
	switch {
	case same(a, b):
		return a
	case a.Kind == Pointer || b.Kind == Pointer:
		return pointerEither(x, y, a, b)
	case a.Kind == StructType || b.Kind == StructType:
		// one converts to the other, and not the reverse (C++14 5.16)
		toA, toB := c.rankOf(y, a) != impossible, c.rankOf(x, b) != impossible
		switch {
		case toA && !toB:
			return a
		case toB && !toA:
			return b
		}
		return nil
	}
	return commonType(a, b)
}

// valueType is the type of x as a value: of arrays and packed vectors that is
// another one.
func valueType(x Expr) *Type {
	t := x.Type()
	switch t.Kind {
	case Array:
		if space, readonly, ok := placeOf(x); ok {
			return pointerTo(t.Elem, space, readonly)
		}
	case PackedVector:
		return vectorType(t.Scalar, t.Len)
	}
	return t
}
