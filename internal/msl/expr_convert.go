package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// rank orders the conversions of an argument (C++14 13.3.3.1.1). A scalar that
// becomes a vector comes last: MSL has it as a constructor.
type rank uint8

const (
	exact rank = iota
	promotion
	enumPromotion // of an enum with a type of its own, to what that is promoted to
	conversion
	pointerToBool
	splat
	userDefined
	impossible
)

// rankOf is the rank of the implicit conversion of x to a type.
func (c *checker) rankOf(x tree.Expr, to *tree.Type) rank {
	if braces, ok := x.(*bracedArg); ok {
		return rankBraces(c, braces, to)
	}
	from := x.Type()
	switch {
	case same(from, to):
		return exact
	case to.Kind == tree.Pointer:
		return rankPointer(x, to)
	case from.Kind == tree.Pointer || from.Kind == tree.Array:
		if to.Kind == tree.Scalar && arithmetic(to) && to.Scalar == tree.Bool {
			return pointerToBool
		}
	case from.Kind == tree.Scalar && from.Name == nullType.Name:
		if arithmetic(to) && to.Scalar == tree.Bool {
			return conversion
		}
	case isVote(from) || isVote(to):
		if integral(from) || integral(to) {
			return conversion
		}
	case arithmetic(from) || unscoped(from):
		switch {
		case arithmetic(to):
			return rankScalar(from, to)
		case isVector(to):
			return splat
		}
	case isVector(from) && isVector(to) && from.Scalar == to.Scalar && from.Len == to.Len:
		return conversion // packed or not
	}
	if (from.Kind == tree.StructType || to.Kind == tree.StructType) && c.converter(x, to).userConversion(true) != nil {
		return userDefined
	}
	return impossible
}

func rankScalar(from, to *tree.Type) rank {
	k := to.Scalar
	switch {
	case from.Kind == tree.EnumType && from.Enum.Fixed && k == from.Scalar:
		return promotion
	case from.Kind == tree.EnumType && from.Enum.Fixed && k == tree.Promote(from.Scalar, from.Scalar):
		return enumPromotion
	case from.Kind == tree.EnumType && !from.Enum.Fixed && k == max(from.Scalar, tree.Int):
		return promotion
	case from.Kind == tree.EnumType:
	case !from.Scalar.Floating() && from.Scalar < tree.Int && k == tree.Int:
		return promotion
	case from.Scalar == tree.BFloat && k == tree.Half, from.Scalar.Floating() && k == tree.BFloat && from.Scalar != k:
		return impossible // section 2.23: bfloat becomes a float only, and no other fraction a bfloat
	}
	return conversion
}

// isNull reports whether x is a constant that stands for no address.
func isNull(x tree.Expr) bool {
	k, ok := x.(*tree.Const)
	return ok &&
		(x.Type().Name == nullType.Name || integral(x.Type()) && x.Type().Scalar != tree.Bool && k.Value.Bits == 0)
}

func rankPointer(x tree.Expr, to *tree.Type) rank {
	from := x.Type()
	if isNull(x) {
		return conversion
	}
	if from.Kind == tree.Array {
		space, readonly, ok := placeOf(x)
		if !ok {
			return impossible
		}
		from = tree.PointerTo(from.Elem, space, readonly)
	}
	switch {
	case from.Kind != tree.Pointer || from.Space != to.Space || from.Const && !to.Const:
		return impossible
	case same(from.Elem, to.Elem):
		if from.Const != to.Const {
			return promotion
		}
		return exact
	case to.Elem.Kind == tree.Void, inheritsFrom(from.Elem, to.Elem):
		return conversion
	}
	return impossible
}

// inheritsFrom reports whether pointers to one struct are pointers to another.
func inheritsFrom(t, base *tree.Type) bool {
	return t.Kind == tree.StructType && base.Kind == tree.StructType && basePath(t.Struct, base.Struct) != nil
}

// implicit converts x to a type as the language does by itself.
func (c *checker) implicit(x tree.Expr, to *tree.Type) tree.Expr {
	if x == nil || to == nil {
		return nil
	}
	if braces, ok := x.(*bracedArg); ok {
		return c.braced(to, braces.list)
	}
	switch c.rankOf(x, to) {
	case impossible:
		return c.converter(x, to).cannotConvert()
	case userDefined:
		return c.converter(x, to).userConversion(true)()
	}
	return c.converter(x, to).settled()
}

// converter makes an expression one of another type.
type converter struct {
	c  *checker
	x  tree.Expr
	to *tree.Type
}

func (c *checker) converter(x tree.Expr, to *tree.Type) converter { return converter{c, x, to} }

// settled makes the nodes of an implicit conversion that is possible.
func (conv converter) settled() tree.Expr {
	if conv.x.Type().Kind == tree.Array && conv.to.Kind != tree.Array {
		if conv.x = conv.c.decay(conv.x); conv.x == nil {
			return nil
		}
	}
	if from := conv.x.Type(); from.Kind == tree.Pointer && conv.to.Kind == tree.Pointer && !isNull(conv.x) &&
		inheritsFrom(from.Elem, conv.to.Elem) {
		object := &tree.Deref{Node: tree.At(conv.x.Position(), from.Elem), X: conv.x}
		return &tree.AddrOf{Node: tree.At(conv.x.Position(), conv.to),
			X: conv.c.baseOf(object, conv.to.Elem.Struct, conv.x.Position())}
	}
	if _, _, place := placeOf(conv.x); place && conv.to.Kind == tree.StructType {
		if l := conv.c.facts.class(conv.to.Struct).lambda; l != nil && l.changes {
			return conv.c.unsupported(conv.x.Position(),
				"a copy of a lambda that changes values of its own is not supported")
		}
	}
	return conv.c.convert(conv.x, conv.to)
}

// cannotConvert says why x is not of a type.
func (conv converter) cannotConvert() tree.Expr {
	from := conv.x.Type()
	if _, text := conv.x.(*tree.Text); text && (conv.to.Kind == tree.Array || same(conv.to, textType.Elem)) {
		return conv.c.unsupported(conv.x.Position(), "arrays of char that a string begins are not supported")
	}
	if from.Kind == tree.Array {
		if space, readonly, ok := placeOf(conv.x); ok && conv.to.Kind == tree.Pointer {
			from = tree.PointerTo(from.Elem, space, readonly)
		}
	}
	why := ""
	if from.Kind == tree.Pointer && conv.to.Kind == tree.Pointer {
		switch {
		case from.Space != conv.to.Space:
			why = ": the address spaces " + from.Space + " and " + conv.to.Space + " differ"
		case from.Const && !conv.to.Const:
			why = ": what it points to is const"
		}
	}
	return conv.c.fail(conv.x.Position(), "cannot convert %s to %s%s", from.Spelled(), conv.to.Spelled(), why)
}

// convert makes the node for a conversion that has been found possible.
func (c *checker) convert(x tree.Expr, to *tree.Type) tree.Expr {
	from := x.Type()
	if same(from, to) {
		return x
	}
	if k, ok := x.(*tree.Const); ok {
		switch {
		case to.Kind == tree.Pointer:
			x = &tree.Const{Node: tree.At(x.Position(), tree.ScalarType(tree.ULong)),
				Value: tree.Value{Kind: tree.ULong, Bits: k.Value.Bits}}
		case to.Kind == tree.Scalar || to.Kind == tree.EnumType:
			if v, err := k.Value.Convert(to.Scalar); err == nil {
				return &tree.Const{Node: tree.At(x.Position(), to), Value: v}
			}
		}
	}
	// a splat is of the element's type first
	if isVector(to) && !isVector(from) {
		if elem := to.Elem; !same(from, elem) {
			x = c.convert(x, elem)
		}
	}
	return &tree.Convert{Node: tree.At(x.Position(), to), X: x}
}

// explicit converts x to a type as a cast does (C++14 5.4).
func (c *checker) explicit(x tree.Expr, to *tree.Type, pos parser.Pos) tree.Expr {
	if x == nil || to == nil {
		return nil
	}
	if to.Kind == tree.Void {
		return &tree.Convert{Node: tree.At(pos, to), X: x}
	}
	switch c.rankOf(x, to) {
	case impossible:
	case userDefined:
		return c.converter(x, to).userConversion(false)()
	default:
		return withPos(c.converter(x, to).settled(), pos)
	}
	if x.Type().Kind == tree.StructType || to.Kind == tree.StructType {
		if convert := c.converter(x, to).userConversion(false); convert != nil {
			return convert()
		}
	}
	if x = c.value(x); x == nil {
		return nil
	}
	if !castable(x.Type(), to) {
		return c.converter(x, to).cannotConvert()
	}
	return withPos(c.convert(x, to), pos)
}

// copied is what a cast or construction makes of x: a value and no place, also where it
// has the type already.
func copied(x tree.Expr) tree.Expr {
	if x == nil {
		return nil
	}
	if _, _, ok := placeOf(x); !ok {
		return x
	}
	return &tree.Convert{Node: tree.At(x.Position(), x.Type()), X: x}
}

// withPos sets the position of a conversion to that of the cast that wrote it.
func withPos(x tree.Expr, pos parser.Pos) tree.Expr {
	switch x := x.(type) {
	case *tree.Convert:
		x.Pos = pos
	case *tree.Const:
		return &tree.Const{Node: tree.At(pos, x.Typ), Value: x.Value}
	}
	return x
}

// castable reports whether a cast leads from one type to another where no
// implicit conversion does.
func castable(from, to *tree.Type) bool {
	number := func(t *tree.Type) bool { return arithmetic(t) || t.Kind == tree.EnumType || isVote(t) }
	address := func(t *tree.Type) bool { return integral(t) && t.Size == 8 }
	switch {
	case number(from) && number(to):
		return true
	case from.Kind == tree.Pointer && to.Kind == tree.Pointer:
		return from.Space == to.Space
	case from.Kind == tree.Pointer && address(to), address(from) && to.Kind == tree.Pointer:
		return true
	case isVector(from) && isVector(to):
		return from.Len == to.Len
	case from.Kind == tree.Matrix && to.Kind == tree.Matrix:
		return from.Len == to.Len && from.Elem.Len == to.Elem.Len
	case arithmetic(from) && to.Kind == tree.Matrix:
		return true
	}
	return false
}

// condition converts x to the scalar bool that if, loops, ! and && want
// (C++14 clause 4, contextually).
func (c *checker) condition(x tree.Expr, what string) tree.Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	t := x.Type()
	if isVector(t) {
		return c.fail(x.Position(), "%s must be a scalar, not %s: use all() or any()", what, t.Spelled())
	}
	switch c.rankOf(x, tree.ScalarType(tree.Bool)) {
	case impossible:
		if t.Kind == tree.StructType {
			if convert := c.converter(x, tree.ScalarType(tree.Bool)).userConversion(false); convert != nil {
				return convert()
			}
		}
		return c.fail(x.Position(), "%s must be a bool, not %s", what, t.Spelled())
	case userDefined:
		return c.converter(x, tree.ScalarType(tree.Bool)).userConversion(false)()
	}
	return c.convert(x, tree.ScalarType(tree.Bool))
}

// value is x where an operator wants its value: arrays are pointers, packed
// vectors are vectors.
func (c *checker) value(x tree.Expr) tree.Expr {
	if x == nil {
		return nil
	}
	if k, ok := x.(*tree.Const); ok && c.facts.sources[k] != nil {
		return &tree.Const{Node: k.Node, Value: k.Value}
	}
	t := x.Type()
	switch t.Kind {
	case tree.Void:
		return c.fail(x.Position(), "this has no value")
	case tree.Array:
		return c.decay(x)
	case tree.PackedVector:
		return &tree.Convert{Node: tree.At(x.Position(), tree.VectorType(t.Scalar, t.Len)), X: x}
	case tree.Scalar:
		if t.Atomic {
			return c.fail(x.Position(), "an %s is only read and written with the atomic functions", t.Spelled())
		}
	}
	return x
}

func (c *checker) decay(x tree.Expr) tree.Expr {
	space, readonly, ok := placeOf(x)
	if !ok {
		return c.fail(x.Position(), "this array has no address")
	}
	c.facts.addressed(x)
	return &tree.Decay{Node: tree.At(x.Position(), tree.PointerTo(x.Type().Elem, space, readonly)), X: x}
}
