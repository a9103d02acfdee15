package msl

import "github.com/metalgen/metalgen/parser"

// rank orders the conversions of an argument (C++14 13.3.3.1.1). A scalar that
// becomes a vector comes last: MSL has it as a constructor.
type rank uint8

const (
	exact rank = iota
	promotion
	enumPromotion // of an enum with a type of its own, to what that is promoted to
	conversion
	narrowing // of a floating type to one of no greater rank: only where nothing else fits
	pointerToBool
	splat
	userDefined
	impossible
)

// rankOf is the rank of the implicit conversion of x to a type.
func (c *checker) rankOf(x Expr, to *Type) rank {
	if braces, ok := x.(*bracedArg); ok {
		return c.rankBraces(braces, to)
	}
	from := x.Type()
	switch {
	case same(from, to):
		return exact
	case to.Kind == Pointer:
		return rankPointer(x, to)
	case from.Kind == Pointer || from.Kind == Array:
		if to.Kind == Scalar && arithmetic(to) && to.Scalar == Bool {
			return pointerToBool
		}
	case from.Kind == Scalar && from.Name == nullType.Name:
		if arithmetic(to) && to.Scalar == Bool {
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
	if (from.Kind == StructType || to.Kind == StructType) && c.userConversion(x, to, true) != nil {
		return userDefined
	}
	return impossible
}

func rankScalar(from, to *Type) rank {
	k := to.Scalar
	switch {
	case from.Kind == EnumType && from.Enum.Fixed && k == from.Scalar:
		return promotion
	case from.Kind == EnumType && from.Enum.Fixed && k == promote(from.Scalar, from.Scalar):
		return enumPromotion
	case from.Kind == EnumType && !from.Enum.Fixed && k == max(from.Scalar, Int):
		return promotion
	case from.Kind == EnumType:
	case !from.Scalar.floating() && from.Scalar < Int && k == Int:
		return promotion
	case from.Scalar == BFloat && k == Half, from.Scalar.floating() && k == BFloat:
		return narrowing // section 2.1: bfloat converts to what has a greater rank only
	}
	return conversion
}

// isNull reports whether x is a constant that stands for no address.
func isNull(x Expr) bool {
	k, ok := x.(*Const)
	return ok && (x.Type().Name == nullType.Name || integral(x.Type()) && x.Type().Scalar != Bool && k.Value.Bits == 0)
}

func rankPointer(x Expr, to *Type) rank {
	from := x.Type()
	if isNull(x) {
		return conversion
	}
	if from.Kind == Array {
		space, readonly, ok := placeOf(x)
		if !ok {
			return impossible
		}
		from = pointerTo(from.Elem, space, readonly)
	}
	switch {
	case from.Kind != Pointer || from.Space != to.Space || from.Const && !to.Const:
		return impossible
	case same(from.Elem, to.Elem):
		if from.Const != to.Const {
			return promotion
		}
		return exact
	case to.Elem.Kind == Void, inheritsFrom(from.Elem, to.Elem):
		return conversion
	}
	return impossible
}

// inheritsFrom tells whether pointers to one struct are pointers to another.
func inheritsFrom(t, base *Type) bool {
	return t.Kind == StructType && base.Kind == StructType && basePath(t.Struct, base.Struct) != nil
}

// implicit converts x to a type as the language does by itself.
func (c *checker) implicit(x Expr, to *Type) Expr {
	if x == nil || to == nil {
		return nil
	}
	if braces, ok := x.(*bracedArg); ok {
		return c.braced(to, braces.list)
	}
	switch c.rankOf(x, to) {
	case impossible:
		return c.cannotConvert(x, to)
	case userDefined:
		return c.userConversion(x, to, true)()
	}
	return c.settled(x, to)
}

// settled makes the nodes of an implicit conversion that is possible.
func (c *checker) settled(x Expr, to *Type) Expr {
	if x.Type().Kind == Array && to.Kind != Array {
		if x = c.decay(x); x == nil {
			return nil
		}
	}
	if from := x.Type(); from.Kind == Pointer && to.Kind == Pointer && !isNull(x) && inheritsFrom(from.Elem, to.Elem) {
		object := &Deref{node{x.Position(), from.Elem}, x}
		return &AddrOf{node{x.Position(), to}, c.baseOf(object, to.Elem.Struct, x.Position())}
	}
	return c.convert(x, to)
}

// cannotConvert says why x is not of a type.
func (c *checker) cannotConvert(x Expr, to *Type) Expr {
	from := x.Type()
	if from.Kind == Array {
		if space, readonly, ok := placeOf(x); ok && to.Kind == Pointer {
			from = pointerTo(from.Elem, space, readonly)
		}
	}
	why := ""
	if from.Kind == Pointer && to.Kind == Pointer {
		switch {
		case from.Space != to.Space:
			why = ": the address spaces " + from.Space + " and " + to.Space + " differ"
		case from.Const && !to.Const:
			why = ": what it points to is const"
		}
	}
	return c.fail(x.Position(), "cannot convert %s to %s%s", spelled(from), spelled(to), why)
}

// convert makes the node for a conversion that has been found possible.
func (c *checker) convert(x Expr, to *Type) Expr {
	from := x.Type()
	if same(from, to) {
		return x
	}
	if k, ok := x.(*Const); ok {
		switch {
		case to.Kind == Pointer:
			x = &Const{node: node{x.Position(), scalarType(ULong)}, Value: Value{Kind: ULong, Bits: k.Value.Bits}}
		case to.Kind == Scalar || to.Kind == EnumType:
			if v, err := k.Value.Convert(to.Scalar); err == nil {
				return &Const{node: node{x.Position(), to}, Value: v}
			}
		}
	}
	// a splat is of the element's type first
	if isVector(to) && !isVector(from) {
		if elem := to.Elem; !same(from, elem) {
			x = c.convert(x, elem)
		}
	}
	return &Convert{node{x.Position(), to}, x}
}

// explicit converts x to a type as a cast does (C++14 5.4).
func (c *checker) explicit(x Expr, to *Type, pos parser.Pos) Expr {
	if x == nil || to == nil {
		return nil
	}
	if to.Kind == Void {
		return &Convert{node{pos, to}, x}
	}
	switch c.rankOf(x, to) {
	case impossible:
	case userDefined:
		return c.userConversion(x, to, false)()
	default:
		return placedAt(c.settled(x, to), pos)
	}
	if x.Type().Kind == StructType || to.Kind == StructType {
		if convert := c.userConversion(x, to, false); convert != nil {
			return convert()
		}
	}
	if x = c.value(x); x == nil {
		return nil
	}
	if !castable(x.Type(), to) {
		return c.cannotConvert(x, to)
	}
	return placedAt(c.convert(x, to), pos)
}

// placedAt gives a conversion the position of the cast that wrote it.
func placedAt(x Expr, pos parser.Pos) Expr {
	switch x := x.(type) {
	case *Convert:
		x.pos = pos
	case *Const:
		return &Const{node: node{pos, x.typ}, Value: x.Value}
	}
	return x
}

// castable reports whether a cast leads from one type to another where no
// implicit conversion does.
func castable(from, to *Type) bool {
	number := func(t *Type) bool { return arithmetic(t) || t.Kind == EnumType || isVote(t) }
	address := func(t *Type) bool { return integral(t) && t.Size == 8 }
	switch {
	case number(from) && number(to):
		return true
	case from.Kind == Pointer && to.Kind == Pointer:
		return from.Space == to.Space
	case from.Kind == Pointer && address(to), address(from) && to.Kind == Pointer:
		return true
	case isVector(from) && isVector(to):
		return from.Len == to.Len
	case from.Kind == Matrix && to.Kind == Matrix:
		return from.Len == to.Len && from.Elem.Len == to.Elem.Len
	case arithmetic(from) && to.Kind == Matrix:
		return true
	}
	return false
}

// condition converts x to the scalar bool that if, loops, ! and && want
// (C++14 clause 4, contextually).
func (c *checker) condition(x Expr, what string) Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	t := x.Type()
	if isVector(t) {
		return c.fail(x.Position(), "%s must be a scalar, not %s: use all() or any()", what, spelled(t))
	}
	switch c.rankOf(x, scalarType(Bool)) {
	case impossible:
		return c.fail(x.Position(), "%s must be a bool, not %s", what, spelled(t))
	case userDefined:
		return c.userConversion(x, scalarType(Bool), false)()
	}
	return c.convert(x, scalarType(Bool))
}

// value is x where an operator wants its value: arrays are pointers, packed
// vectors are vectors.
func (c *checker) value(x Expr) Expr {
	if x == nil {
		return nil
	}
	if k, ok := x.(*Const); ok && c.facts.sources[k] != nil {
		return &Const{node: k.node, Value: k.Value}
	}
	t := x.Type()
	switch t.Kind {
	case Void:
		return c.fail(x.Position(), "this has no value")
	case Array:
		return c.decay(x)
	case PackedVector:
		return &Convert{node{x.Position(), vectorType(t.Scalar, t.Len)}, x}
	case Scalar:
		if t.Atomic {
			return c.fail(x.Position(), "an %s is only read and written with the atomic functions", spelled(t))
		}
	}
	return x
}

func (c *checker) decay(x Expr) Expr {
	space, readonly, ok := placeOf(x)
	if !ok {
		return c.fail(x.Position(), "this array has no address")
	}
	c.facts.addressed(x)
	return &Decay{node{x.Position(), pointerTo(x.Type().Elem, space, readonly)}, x}
}
