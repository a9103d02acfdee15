package msl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

func hasWord(t *parser.Type, word string) bool {
	return slices.Contains(t.Pre, word) || slices.Contains(t.Post, word)
}

// declared resolves a type with its pointers and dimensions, or returns nil
// where there is an error.
func (c *checker) declared(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim) *resolve.Declared {
	d := &resolve.Declared{Space: resolve.SpaceOf(t), Constant: resolve.IsConst(t) || hasWord(t, "constexpr"),
		Constexpr: hasWord(t, "constexpr"), Static: hasWord(t, "static")}
	if len(t.Path) == 1 && t.Path[0] == "auto" && t.Args == nil {
		d.Auto, d.Pointers = true, pointers
		d.Constant = d.Constant || d.Space == "constant" && len(pointers) == 0
		d.Ref = len(pointers) > 0 && pointers[0].Op != "*"
		if len(dims) > 0 {
			c.fail(dims[0].Pos, "an array needs the type of its elements")
			return nil
		}
		return d
	}
	typ := c.named(t, len(pointers) > 0)
	if typ == nil {
		return nil
	}
	if typ.Kind == tree.Reference {
		d.Ref, d.Space, d.Constant = true, typ.Space, typ.Const
		d.Type = typ.Elem
		return d
	}
	if typ.Kind == tree.Qualified {
		d.Space, d.Constant, typ = cmp.Or(d.Space, typ.Space), d.Constant || typ.Const, typ.Elem
	}
	space := d.Space
	if len(pointers) > 0 && space == "" {
		spaceless(c, typ, pointers[0])
	}
	for _, ptr := range pointers {
		if ptr.Op != "*" {
			d.Ref = true
			break
		}
		if space == "" {
			space = "thread"
		}
		typ = tree.PointerTo(typ, space, d.Constant)
		// what stands after the * is about the pointer itself
		d.Constant, space = slices.Contains(ptr.Quals, "const"), ""
		for _, q := range ptr.Quals {
			if resolve.Spaces[q] {
				space = q
			}
		}
		d.Space = space
	}
	if d.Ref && d.Space == "" {
		d.Space = "thread"
	}
	d.Constant = d.Constant || d.Space == "constant"
	d.Type = dimensions(c, typ, dims)
	if d.Type == nil {
		return nil
	}
	return d
}

// spaceless complains of a pointer or reference that names no address space (section 4).
func spaceless(c *checker, typ *tree.Type, ptr *parser.Pointer) {
	word, mark := "pointer", "*"
	if ptr.Op != "*" {
		word, mark = "reference", "&"
	}
	c.fail(ptr.Pos, "a %s needs an address space, as in thread %s%s", word, typ.Spelled(), mark)
}

// named resolves the name of a type. After a pointer it may be one where
// only the name is known.
func (c *checker) named(t *parser.Type, pointer bool) *tree.Type {
	if pointer && c.in.Incomplete(t) {
		return &tree.Type{Kind: tree.Opaque, Name: strings.Join(append(slices.Clip(t.Path), t.Member...), "::")}
	}
	if len(t.Words) == 0 && t.Args == nil && t.Decltype == nil {
		if s := c.in.Lookup(t.Path); s != nil && c.below(s) {
			c.fail(t.At.Pos, "unknown type %s: it is first declared below, at %s", strings.Join(t.Path, "::"),
				resolve.PosText(s.Pos))
			return nil
		}
	}
	typ, err := c.in.QualifiedType(t)
	if err != nil {
		c.report(err, t.At.Pos)
		return nil
	}
	if !pointer {
		typ = typ.Unqualified()
	}
	return typ
}

// dimensions applies the dimensions of an array. Only the first may have no
// size: it gets the length -1, which the initial value settles.
func dimensions(c *checker, typ *tree.Type, dims []*parser.Dim) *tree.Type {
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].Size == nil {
			if i > 0 {
				c.fail(dims[i].Pos, "only the first dimension of an array may have no size")
				return nil
			}
			return &tree.Type{Kind: tree.Array, Align: typ.Align, Len: -1, Elem: typ}
		}
		n, err := c.in.Count(dims[i].Size)
		if err == nil {
			typ, err = c.r.Array(typ, n, dims[i].Pos)
		}
		if err != nil {
			c.report(err, dims[i].Pos)
			return nil
		}
	}
	return typ
}

// deduced returns the type of an auto variable from its initial value.
func deduced(c *checker, d *resolve.Declared, x tree.Expr, pos parser.Pos) *tree.Type {
	if d.Ref || d.Whole {
		return x.Type()
	}
	t := types.ValueType(x)
	if t.Kind == tree.Void || t.Name == types.NullType.Name {
		c.fail(pos, "auto cannot be %s", t.Spelled())
		return nil
	}
	if len(d.Pointers) == 0 {
		return t
	}
	if t.Kind != tree.Pointer {
		c.fail(pos, "auto* needs a pointer, this is %s", t.Spelled())
		return nil
	}
	if d.Constant && !t.Const {
		t = tree.PointerTo(t.Elem, t.Space, true)
	}
	if d.Space != "" && d.Space != t.Space {
		c.fail(pos, "cannot convert %s to a pointer to %s: the address spaces differ", t.Spelled(), d.Space)
		return nil
	}
	return t
}
