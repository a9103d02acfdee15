package msl

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// rankOf is the rank of the implicit conversion of x to a type.
func (c *checker) rankOf(x tree.Expr, to *tree.Type) types.Rank {
	if braces, ok := x.(*bracedArg); ok {
		return rankBraces(c, braces, to)
	}
	from := x.Type()
	switch {
	case types.Same(from, to):
		return types.Exact
	case to.Kind == tree.Pointer:
		return types.RankPointer(x, to)
	case from.Kind == tree.Pointer || from.Kind == tree.Array:
		if to.Kind == tree.Scalar && types.Arithmetic(to) && to.Scalar == tree.Bool {
			return types.PointerToBool
		}
	case from.Kind == tree.Scalar && from.Name == types.NullType.Name:
		if types.Arithmetic(to) && to.Scalar == tree.Bool {
			return types.Conversion
		}
	case types.IsVote(from) || types.IsVote(to):
		if types.Integral(from) || types.Integral(to) {
			return types.Conversion
		}
	case types.Arithmetic(from) || types.Unscoped(from):
		switch {
		case types.Arithmetic(to):
			return types.RankScalar(from, to)
		case types.IsVector(to):
			return types.Splat
		}
	case types.IsVector(from) && types.IsVector(to) && from.Scalar == to.Scalar && from.Len == to.Len:
		return types.Conversion // packed or not
	}
	if (from.Kind == tree.StructType || to.Kind == tree.StructType) && c.converter(x, to).userConversion(true) != nil {
		return types.UserDefined
	}
	return types.Impossible
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
	case types.Impossible:
		return c.converter(x, to).cannotConvert()
	case types.UserDefined:
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
	if from := conv.x.Type(); from.Kind == tree.Pointer && conv.to.Kind == tree.Pointer && !types.IsNull(conv.x) &&
		types.InheritsFrom(from.Elem, conv.to.Elem) {
		object := &tree.Deref{Node: tree.At(conv.x.Position(), from.Elem), X: conv.x}
		return &tree.AddrOf{Node: tree.At(conv.x.Position(), conv.to),
			X: conv.c.baseOf(object, conv.to.Elem.Struct, conv.x.Position())}
	}
	if _, _, place := types.PlaceOf(conv.x); place && conv.to.Kind == tree.StructType {
		if l := conv.c.facts.Class(conv.to.Struct).Lambda; l != nil && l.Changes {
			return conv.c.unsupported(conv.x.Position(),
				"a copy of a lambda that changes values of its own is not supported")
		}
	}
	return conv.c.convert(conv.x, conv.to)
}

// cannotConvert says why x is not of a type.
func (conv converter) cannotConvert() tree.Expr {
	from := conv.x.Type()
	if _, text := conv.x.(*tree.Text); text && (conv.to.Kind == tree.Array ||
		types.Same(conv.to, library.TextType.Elem)) {
		return conv.c.unsupported(conv.x.Position(), "arrays of char that a string begins are not supported")
	}
	if from.Kind == tree.Array {
		if space, readonly, ok := types.PlaceOf(conv.x); ok && conv.to.Kind == tree.Pointer {
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
	if types.Same(from, to) {
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
	if types.IsVector(to) && !types.IsVector(from) {
		if elem := to.Elem; !types.Same(from, elem) {
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
	case types.Impossible:
	case types.UserDefined:
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
	if !types.Castable(x.Type(), to) {
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
	if _, _, ok := types.PlaceOf(x); !ok {
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

// condition converts x to the scalar bool that if, loops, ! and && want
// (C++14 clause 4, contextually).
func (c *checker) condition(x tree.Expr, what string) tree.Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	t := x.Type()
	if types.IsVector(t) {
		return c.fail(x.Position(), "%s must be a scalar, not %s: use all() or any()", what, t.Spelled())
	}
	switch c.rankOf(x, tree.ScalarType(tree.Bool)) {
	case types.Impossible:
		if t.Kind == tree.StructType {
			if convert := c.converter(x, tree.ScalarType(tree.Bool)).userConversion(false); convert != nil {
				return convert()
			}
		}
		return c.fail(x.Position(), "%s must be a bool, not %s", what, t.Spelled())
	case types.UserDefined:
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
	if k, ok := x.(*tree.Const); ok && c.facts.Sources[k] != nil {
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
	space, readonly, ok := types.PlaceOf(x)
	if !ok {
		return c.fail(x.Position(), "this array has no address")
	}
	c.facts.Addressed(x)
	return &tree.Decay{Node: tree.At(x.Position(), tree.PointerTo(x.Type().Elem, space, readonly)), X: x}
}
