package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// localRef checks a reference.
func (lv localVar) localRef() ([]tree.Stmt, bool) {
	e := lv.l.Init
	if list, ok := e.(*parser.InitList); ok && len(list.Elems) == 1 {
		e = list.Elems[0]
	}
	if e == nil {
		lv.c.fail(lv.v.Pos, "reference %s needs to be initialised", lv.v.Name)
		return nil, false
	}
	x := lv.c.expr(e)
	if x == nil {
		return nil, false
	}
	space, readonly, ok := types.PlaceOf(lv.c.facts.Named(x))
	if lv.d.Auto {
		lv.v.Type, lv.v.Space = x.Type(), lv.d.Space
		lv.v.Const = lv.d.Constant || readonly
		if lv.d.Space == "" && ok {
			lv.v.Space = space
		}
	} else {
		lv.v.Space = lv.d.Space
	}
	if lv.v.Space == "" {
		lv.v.Space = "thread"
	}
	if x = lv.c.bind(lv.v, x); x == nil {
		return nil, false
	}
	if !bindable(lv.v, x) {
		lv.v.Ref, lv.v.Space = false, "thread" // another name of a value that lives as long
	}
	return []tree.Stmt{&tree.DeclStmt{Var: lv.v, Init: x, Pos: lv.v.Pos}}, true
}

// bind makes x what a reference refers to.
func (c *checker) bind(v *tree.Var, x tree.Expr) tree.Expr {
	if resolve.IsThisParam(v) {
		if _, _, ok := types.PlaceOf(x); !ok {
			return x // a method may be called on a value
		}
	}
	if rankRef(c, v, x) == types.Impossible {
		return cannotBind(c, v, c.facts.Named(x))
	}
	if base := asBase(c, x, v.Type); base != nil {
		x = base
	}
	if place := c.facts.Named(x); bindable(v, place) {
		if !v.Param {
			c.facts.Of(v).Target = place
		}
		if !v.Const {
			c.changed(place)
		}
		return place
	}
	return c.implicit(x, v.Type)
}

// asBase is what an object inherits from a struct, or nil where it does not.
func asBase(c *checker, x tree.Expr, t *tree.Type) tree.Expr {
	if from := x.Type(); from.Kind == tree.StructType && t.Kind == tree.StructType &&
		types.BasePath(from.Struct, t.Struct) != nil {
		return c.baseOf(x, t.Struct, x.Position())
	}
	return nil
}

// bindable reports whether a reference can be another name of x, and not only
// of its value.
func bindable(v *tree.Var, x tree.Expr) bool {
	space, readonly, ok := types.PlaceOf(x)
	return ok && space == v.Space && (v.Const || !readonly) && types.Same(x.Type(), v.Type) && types.NoAddress(x) == ""
}

// rankRef is the rank of binding a reference to x. One to constants takes any
// value of its type.
func rankRef(c *checker, v *tree.Var, x tree.Expr) types.Rank {
	x = c.facts.Named(x)
	if base := asBase(c, x, v.Type); base != nil {
		if r := rankRef(c, v, base); r != types.Impossible {
			return max(r, types.Conversion)
		}
	}
	_, _, isPlace := types.PlaceOf(x)
	if v.Only == "&&" && isPlace || v.Only == "&" && !v.Const && !isPlace {
		return types.Impossible // C++14 13.3.1
	}
	if !isPlace && resolve.IsThisParam(v) && types.Same(x.Type(), v.Type) {
		switch { // a value is the thread's, and not const
		case v.Space != "thread":
			return types.Impossible
		case v.Const:
			return types.Promotion
		}
		return types.Exact
	}
	space, readonly, ok := types.PlaceOf(x)
	switch {
	case bindable(v, x) && readonly == v.Const:
		return types.Exact
	case bindable(v, x):
		return types.Promotion
	case !v.Const || v.Space != "thread":
		return types.Impossible
	}
	r := c.rankOf(x, v.Type)
	if ok && r < types.Conversion && space != "thread" {
		return types.Conversion // a copy from another address space
	}
	return r
}

func cannotBind(c *checker, v *tree.Var, x tree.Expr) tree.Expr {
	space, readonly, ok := types.PlaceOf(x)
	pos := x.Position()
	switch {
	case !ok:
		return c.fail(pos, "a reference cannot refer to this: it is a value, not a variable")
	case types.NoAddress(x) != "":
		return c.fail(pos, "a reference cannot refer to %s", types.NoAddress(x))
	case !types.Same(x.Type(), v.Type):
		return c.fail(pos, "a reference to %s cannot refer to %s", v.Type.Spelled(), x.Type().Spelled())
	case space != v.Space:
		return c.fail(pos, "a reference to %s %s cannot refer to this: the address spaces %s and %s differ", v.Space,
			v.Type.Spelled(), space, v.Space)
	case readonly && !v.Const:
		return c.fail(pos, "a reference to %s cannot refer to this: %s", v.Type.Spelled(), types.ConstReason(x))
	}
	return c.fail(pos, "a reference cannot refer to this")
}
