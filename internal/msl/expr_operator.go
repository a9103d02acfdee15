package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// operators are the binary operators with what they ask of their operands.
var operators = map[string]struct {
	op      tree.Op
	integer bool // not for fractions
	compare bool
}{
	"+": {op: tree.Add}, "-": {op: tree.Sub}, "*": {op: tree.Mul}, "/": {op: tree.Div}, "%": {op: tree.Mod, integer: true},
	"&": {op: tree.And, integer: true}, "|": {op: tree.Or, integer: true}, "^": {op: tree.Xor, integer: true},
	"<<": {op: tree.Shl, integer: true}, ">>": {op: tree.Shr, integer: true},
	"==": {op: tree.Equal, compare: true}, "!=": {op: tree.NotEqual, compare: true}, "<": {op: tree.Less, compare: true},
	"<=": {op: tree.LessEqual, compare: true}, ">": {op: tree.Greater, compare: true},
	">=": {op: tree.GreaterEqual, compare: true},
}

// checkBinary checks X Op Y. A chain of operators is checked from its innermost one on: it
// is as deep as it is long.
func checkBinary(c *checker, e *parser.Binary) tree.Expr {
	if e.Op == "=" {
		return checkAssign(c, e)
	}
	if op, ok := assignment(e); ok {
		return checkCompound(c, e, op)
	}
	var few [8]*parser.Binary
	chain := append(few[:0], e)
	for {
		inner, ok := e.X.(*parser.Binary)
		if !ok || inner.Op == "=" {
			break
		}
		if _, ok := assignment(inner); ok {
			break
		}
		chain, e = append(chain, inner), inner
	}
	x := c.expr(e.X)
	for _, e := range slices.Backward(chain) {
		c.nodes++
		x = binaryOf(c, e, x, c.expr(e.Y))
	}
	return x
}

// assignment returns the operator of a compound assignment; false for others.
func assignment(e *parser.Binary) (op string, ok bool) {
	op, ok = strings.CutSuffix(e.Op, "=")
	return op, ok && operators[e.Op].op == 0
}

// binaryOf checks an operator whose operands have been checked.
func binaryOf(c *checker, e *parser.Binary, x, y tree.Expr) tree.Expr {
	switch e.Op {
	case ",":
		if x == nil || y == nil {
			return nil
		}
		return &tree.Comma{Node: tree.At(e.Pos, y.Type()), X: x, Y: y}
	case "&&", "||":
		return logical(c, e, x, y)
	}
	if z, ok := c.operation(e.Op, e.Pos).userOperator([]tree.Expr{x, y}); ok {
		return z
	}
	return c.operation(e.Op, e.Pos).operate(x, y)
}

// logical checks && and ||. On vectors of bool they work element by element, and
// then evaluate both sides (section 3.1).
func logical(c *checker, e *parser.Binary, x, y tree.Expr) tree.Expr {
	vector := tree.ScalarType(tree.Bool)
	for _, side := range []tree.Expr{x, y} {
		if side != nil && types.IsVector(side.Type()) && side.Type().Scalar == tree.Bool {
			if t := side.Type(); types.IsVector(vector) && t.Len != vector.Len {
				return c.operation(e.Op, e.Pos).badOperands(vector, t)
			}
			vector = tree.VectorType(tree.Bool, side.Type().Len)
		}
	}
	what := "an operand of " + e.Op
	operand := func(side tree.Expr) tree.Expr {
		if side != nil && types.Same(side.Type(), vector) {
			return side
		}
		return c.condition(side, what)
	}
	x, y = operand(x), operand(y)
	if x == nil || y == nil {
		return nil
	}
	op, elementwise := tree.LogicalAnd, tree.And
	if e.Op == "||" {
		op, elementwise = tree.LogicalOr, tree.Or
	}
	if types.IsVector(vector) {
		return &tree.Binary{Node: tree.At(e.Pos, vector), Op: elementwise, X: c.convert(x, vector), Y: c.convert(y, vector)}
	}
	return fold.Expr(c.facts, &tree.Binary{Node: tree.At(e.Pos, vector), Op: op, X: x, Y: y})
}

// operation is an operator of the source where it is applied.
type operation struct {
	c   *checker
	op  string
	pos parser.Pos
}

func (c *checker) operation(op string, pos parser.Pos) operation { return operation{c, op, pos} }

// operate applies an operator to checked operands.
func (oper operation) operate(x, y tree.Expr) tree.Expr {
	x, y = oper.c.plain(x), oper.c.plain(y)
	if x = oper.c.value(x); x == nil {
		return nil
	}
	if y = oper.c.value(y); y == nil {
		return nil
	}
	a, b := x.Type(), y.Type()
	o, known := operators[oper.op]
	switch {
	case !known:
		return oper.c.fail(oper.pos, "operator %s is not supported", oper.op)
	case a.Kind == tree.Pointer || b.Kind == tree.Pointer:
		return oper.pointerOp(x, y)
	case a.Kind == tree.EnumType && types.Same(a, b) && a.Enum.Scoped:
		if o.compare {
			return fold.Expr(oper.c.facts, &tree.Binary{Node: tree.At(oper.pos, tree.ScalarType(tree.Bool)), Op: o.op,
				X: x, Y: y})
		}
		if a.Enum.Flags && (o.op == tree.And || o.op == tree.Or || o.op == tree.Xor) {
			return fold.Expr(oper.c.facts, &tree.Binary{Node: tree.At(oper.pos, a), Op: o.op, X: x, Y: y})
		}
	case a.Kind == tree.SimdgroupMatrix && types.Same(a, b) && o.op == tree.Mul:
		return &tree.Builtin{Node: tree.At(oper.pos, a), Name: "simdgroup_matrix_product", Args: []tree.Expr{x, y}}
	case a.Kind == tree.Matrix || b.Kind == tree.Matrix:
		return oper.matrixOp(x, y)
	case o.op == tree.Shl || o.op == tree.Shr:
		return oper.shift(x, y)
	}
	t := types.CommonType(a, b)
	if t == nil || o.integer && t.Scalar.Floating() || !o.compare && !bitwise(o.op) && types.IsVector(t) &&
		t.Scalar == tree.Bool {
		return oper.badOperands(a, b)
	}
	result := t
	if o.compare {
		result = tree.VectorType(tree.Bool, types.Width(t))
	}
	return fold.Expr(oper.c.facts, &tree.Binary{Node: tree.At(oper.pos, result), Op: o.op, X: oper.c.convert(x, t),
		Y: oper.c.convert(y, t)})
}

func bitwise(op tree.Op) bool { return op == tree.And || op == tree.Or || op == tree.Xor }

func (oper operation) badOperands(a, b *tree.Type) tree.Expr {
	return oper.c.fail(oper.pos, "operator %s does not take %s and %s", oper.op, a.Spelled(), b.Spelled())
}

// shift checks <<  and >>, whose type is that of the left side alone.
func (oper operation) shift(x, y tree.Expr) tree.Expr {
	a, b := x.Type(), y.Type()
	x, y = shiftOperands(oper.c, x, y)
	if x == nil {
		return oper.badOperands(a, b)
	}
	return fold.Expr(oper.c.facts, &tree.Binary{Node: tree.At(oper.pos, x.Type()), Op: operators[oper.op].op, X: x,
		Y: y})
}

// shiftOperands returns the sides of a shift in the types in which it works, or
// nil where it does not.
func shiftOperands(c *checker, x, y tree.Expr) (tree.Expr, tree.Expr) {
	a, b := x.Type(), y.Type()
	integer := func(t *tree.Type) bool {
		return types.Integral(t) || types.Unscoped(t) || types.IsVector(t) && !t.Scalar.Floating() &&
			t.Scalar != tree.Bool
	}
	if !integer(a) || !integer(b) {
		return nil, nil
	}
	switch {
	case types.IsVector(a) && types.IsVector(b):
		if a.Len != b.Len {
			return nil, nil
		}
	case types.IsVector(a):
		y = c.convert(c.promoted(y), tree.VectorType(tree.Promote(b.Scalar, b.Scalar), a.Len))
	case types.IsVector(b):
		x = c.convert(x, tree.VectorType(b.Scalar, b.Len))
	default:
		x, y = c.promoted(x), c.promoted(y)
	}
	return x, y
}

// promoted applies the integral promotions to a scalar (C++14 4.5).
func (c *checker) promoted(x tree.Expr) tree.Expr {
	t := x.Type()
	if types.Unscoped(t) || types.Integral(t) && t.Scalar < tree.Int {
		return c.convert(x, tree.ScalarType(tree.Promote(t.Scalar, t.Scalar)))
	}
	return x
}

// matrixOp checks the operators of matrices (section 2.3.2, which does not mention that a matrix is divided by a
// scalar; Metal's compiler takes it).
func (oper operation) matrixOp(x, y tree.Expr) tree.Expr {
	a, b := x.Type(), y.Type()
	o := operators[oper.op].op
	var result *tree.Type
	switch {
	case types.Arithmetic(a) && o == tree.Mul:
		return oper.matrixOp(y, oper.c.convert(x, b.Elem.Elem))
	case types.Arithmetic(b) && a.Kind == tree.Matrix && (o == tree.Mul || o == tree.Div):
		return &tree.Binary{Node: tree.At(oper.pos, a), Op: o, X: x, Y: oper.c.convert(y, a.Elem.Elem)}
	case a.Scalar != b.Scalar:
	case (o == tree.Add || o == tree.Sub) && types.Same(a, b):
		result = a
	case o == tree.Mul && a.Kind == tree.Matrix && b.Kind == tree.Matrix && a.Len == b.Elem.Len:
		result = tree.MatrixOf(a.Elem, b.Len)
	case o == tree.Mul && a.Kind == tree.Matrix && b.Kind == tree.Vector && a.Len == b.Len:
		result = a.Elem
	case o == tree.Mul && a.Kind == tree.Vector && b.Kind == tree.Matrix && a.Len == b.Elem.Len:
		result = tree.VectorType(a.Scalar, b.Len)
	}
	if result == nil {
		return oper.badOperands(a, b)
	}
	return &tree.Binary{Node: tree.At(oper.pos, result), Op: o, X: x, Y: y}
}

// checkAssign checks X = Y.
func checkAssign(c *checker, e *parser.Binary) tree.Expr {
	l := c.expr(e.X)
	if l != nil && l.Type().Kind == tree.StructType {
		if found, _ := c.r.Methods(c.facts.Class(l.Type().Struct), "operator="); !found.Empty() {
			if x, ok := c.operation("=", e.Pos).userOperator([]tree.Expr{l, c.arg(e.Y)}); ok {
				return x
			}
		}
	}
	if l == nil || !c.assignable(l, e.Pos) {
		checkOperand(c, e.Y)
		return nil
	}
	if t := l.Type(); t.Kind == tree.Scalar && t.Atomic {
		return c.fail(e.Pos, "an %s is only read and written with the atomic functions", t.Spelled())
	}
	if types.IsPlainArray(l.Type()) {
		checkOperand(c, e.Y)
		return c.fail(e.Pos, "cannot assign to this: it is an array")
	}
	r := c.initial(l.Type(), e.Y)
	if r == nil {
		return nil
	}
	return &tree.Assign{Node: tree.At(e.Pos, l.Type()), L: l, R: r}
}

// checkOperand checks what stands beside an operand with an error, for errors of its own.
func checkOperand(c *checker, e parser.Expr) {
	if list, ok := e.(*parser.InitList); ok {
		c.exprs(list.Elems)
		return
	}
	c.expr(e)
}

// checkCompound checks X op= Y.
func checkCompound(c *checker, e *parser.Binary, op string) tree.Expr {
	l, r := c.expr(e.X), c.arg(e.Y)
	if x, ok := c.operation(e.Op, e.Pos).userOperator([]tree.Expr{l, r}); ok {
		return x
	}
	if isBraces(e.Y) {
		r = c.expr(e.Y)
	}
	if l == nil || r == nil || !c.assignable(l, e.Pos) {
		return nil
	}
	o, t := operators[op].op, l.Type()
	assign := &tree.Assign{Node: tree.At(e.Pos, t), L: l, Op: o}
	if t.Kind == tree.Pointer {
		if o != tree.Add && o != tree.Sub {
			return c.operation(e.Op, e.Pos).badOperands(t, r.Type())
		}
		if assign.R = c.operation(e.Op, e.Pos).offset(t, c.plain(r)); assign.R == nil {
			return nil
		}
		return assign
	}
	// what L op R comes to says in which types it is computed
	x, y := c.value(l), c.value(c.plain(r))
	if x == nil || y == nil {
		return nil
	}
	result := c.operation(op, e.Pos).operate(types.StandIn(x), y)
	if result == nil {
		return nil
	}
	b, ok := result.(*tree.Binary)
	if !ok || c.rankOf(result, t) == types.Impossible || !types.SameShape(x.Type(), b.X.Type()) {
		return c.operation(e.Op, e.Pos).badOperands(t, r.Type())
	}
	assign.Calc, assign.R = b.X.Type(), b.Y
	assign.Op = b.Op
	return assign
}

// checkUnary checks the operators of one operand.
func checkUnary(c *checker, e *parser.Unary) tree.Expr {
	switch e.Op {
	case "++", "--":
		return checkIncDec(c, e)
	case "&":
		return checkAddressOf(c, e)
	case "*":
		if isThis(e.X) {
			return checkPointee(c, e.X, e.Pos)
		}
		x := c.expr(e.X)
		if y, ok := c.operation("*", e.Pos).userOperator([]tree.Expr{x}); ok {
			return y
		}
		return checkDeref(c, x, e.Pos)
	case "!":
		x := c.expr(e.X)
		if y, ok := c.operation("!", e.Pos).userOperator([]tree.Expr{x}); ok {
			return y
		}
		return checkNot(c, x, e.Pos)
	}
	x := c.expr(e.X)
	if y, ok := c.operation(e.Op, e.Pos).userOperator([]tree.Expr{x}); ok {
		return y
	}
	if x = c.value(c.plain(x)); x == nil {
		return nil
	}
	t := x.Type()
	scalar := types.Arithmetic(t) || types.Unscoped(t)
	vector := t.Kind == tree.Vector && t.Scalar != tree.Bool
	switch {
	case e.Op == "+" && t.Kind == tree.Pointer:
		return x
	case e.Op == "-" && t.Kind == tree.Matrix:
		return &tree.Unary{Node: tree.At(e.Pos, t), Op: tree.Neg, X: x}
	case !scalar && !vector, e.Op == "~" && t.Scalar.Floating():
		return c.fail(e.Pos, "operator %s does not take %s", e.Op, t.Spelled())
	}
	x = c.promoted(x)
	switch e.Op {
	case "-":
		return fold.Expr(c.facts, &tree.Unary{Node: tree.At(e.Pos, x.Type()), Op: tree.Neg, X: x})
	case "~":
		return fold.Expr(c.facts, &tree.Unary{Node: tree.At(e.Pos, x.Type()), Op: tree.BitNot, X: x})
	case "+":
		return copied(x)
	}
	return c.fail(e.Pos, "operator %s is not supported", e.Op)
}

func checkNot(c *checker, x tree.Expr, pos parser.Pos) tree.Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	if t := x.Type(); t.Kind == tree.Vector {
		t = tree.VectorType(tree.Bool, t.Len)
		return &tree.Unary{Node: tree.At(pos, t), Op: tree.LogicalNot, X: c.convert(x, t)}
	}
	if x = c.condition(x, "the operand of !"); x == nil {
		return nil
	}
	return fold.Expr(c.facts, &tree.Unary{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Op: tree.LogicalNot, X: x})
}

func checkIncDec(c *checker, e *parser.Unary) tree.Expr {
	x := c.expr(e.X)
	operands := []tree.Expr{x}
	if e.Postfix {
		operands = append(operands,
			&tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.Int)), Value: tree.Value{Kind: tree.Int}})
	}
	if y, ok := c.operation(e.Op, e.Pos).userOperator(operands); ok {
		return y
	}
	if x == nil || !c.assignable(x, e.Pos) {
		return nil
	}
	t := x.Type()
	number := types.Arithmetic(t) || types.IsVector(t)
	if number && t.Scalar == tree.Bool || !number && t.Kind != tree.Pointer {
		return c.fail(e.Pos, "operator %s does not take %s", e.Op, t.Spelled())
	}
	if t.Kind == tree.Pointer && !hasSize(c, t, e.Pos) {
		return nil
	}
	return &tree.IncDec{Node: tree.At(e.Pos, t), X: x, Dec: e.Op == "--", Postfix: e.Postfix}
}

// checkConditional checks Cond ? Then : Else.
func checkConditional(c *checker, e *parser.Conditional) tree.Expr {
	cond := c.expr(e.Cond)
	if cond != nil && types.IsVector(cond.Type()) {
		cond = c.fail(cond.Position(), "the condition of ?: must be a scalar, not %s: use select()", cond.Type().Spelled())
	} else {
		cond = c.condition(cond, "the condition of ?:")
	}
	then, other := c.expr(e.Then), c.expr(e.Else)
	if cond == nil || then == nil || other == nil {
		return nil
	}
	t := eitherType(c, then, other)
	if t == nil {
		return c.fail(e.Pos, "the sides of ?: do not go together: %s and %s", then.Type().Spelled(), other.Type().Spelled())
	}
	if t.Kind != tree.Void {
		then, other = c.implicit(then, t), c.implicit(other, t)
	}
	if then == nil || other == nil {
		return nil
	}
	return &tree.Cond{Node: tree.At(e.Pos, t), If: cond, Then: then, Else: other}
}

// eitherType is the type that both sides of a ?: can have, or nil.
func eitherType(c *checker, x, y tree.Expr) *tree.Type {
	a, b := types.ValueType(x), types.ValueType(y)
	switch {
	case types.Same(a, b):
		return a
	case a.Kind == tree.Pointer || b.Kind == tree.Pointer:
		return pointerEither(x, y, a, b)
	case a.Kind == tree.StructType || b.Kind == tree.StructType:
		// one converts to the other, and not the reverse (C++14 5.16)
		toA, toB := c.rankOf(y, a) != types.Impossible, c.rankOf(x, b) != types.Impossible
		switch {
		case toA && !toB:
			return a
		case toB && !toA:
			return b
		}
		return nil
	}
	return types.CommonType(a, b)
}
