package msl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// declared is the type of a declaration with what its qualifiers say.
type declared struct {
	typ       *tree.Type // nil for auto
	pointers  []*parser.Pointer
	ref       bool
	space     string // of the qualifiers, or ""
	constant  bool   // const: of a reference what it refers to
	constexpr bool
	static    bool
	auto      bool
	whole     bool // auto for an array is the array and no pointer
}

func hasWord(t *parser.Type, word string) bool {
	return slices.Contains(t.Pre, word) || slices.Contains(t.Post, word)
}

// declared resolves a type with its pointers and dimensions, or returns nil
// where there is an error.
func (c *checker) declared(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim) *declared {
	d := &declared{space: spaceOf(t), constant: isConst(t) || hasWord(t, "constexpr"), constexpr: hasWord(t, "constexpr"),
		static: hasWord(t, "static")}
	if len(t.Path) == 1 && t.Path[0] == "auto" && t.Args == nil {
		d.auto, d.pointers = true, pointers
		d.ref = len(pointers) > 0 && pointers[0].Op != "*"
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
		d.ref, d.space, d.constant = true, typ.Space, typ.Const
		d.typ = typ.Elem
		return d
	}
	if typ.Kind == tree.Qualified {
		d.space, d.constant, typ = cmp.Or(d.space, typ.Space), d.constant || typ.Const, typ.Elem
	}
	space := d.space
	if len(pointers) > 0 && space == "" {
		c.spaceless(typ, pointers[0])
	}
	for _, ptr := range pointers {
		if ptr.Op != "*" {
			d.ref = true
			break
		}
		if space == "" {
			space = "thread"
		}
		typ = tree.PointerTo(typ, space, d.constant)
		// what stands behind the * is about the pointer itself
		d.constant, space = slices.Contains(ptr.Quals, "const"), ""
		for _, q := range ptr.Quals {
			if spaces[q] {
				space = q
			}
		}
		d.space = space
	}
	if d.ref && d.space == "" {
		d.space = "thread"
	}
	d.constant = d.constant || d.space == "constant"
	d.typ = c.dimensions(typ, dims)
	if d.typ == nil {
		return nil
	}
	return d
}

// spaceless complains of a pointer or reference that names no address space (section 4).
func (c *checker) spaceless(typ *tree.Type, ptr *parser.Pointer) {
	word, mark := "pointer", "*"
	if ptr.Op != "*" {
		word, mark = "reference", "&"
	}
	c.fail(ptr.Pos, "a %s needs an address space, as in thread %s%s", word, typ.Spelled(), mark)
}

// named resolves the name of a type. Behind a pointer it may be one of which
// only the name is known.
func (c *checker) named(t *parser.Type, pointer bool) *tree.Type {
	if pointer && c.incomplete(t) {
		return &tree.Type{Kind: tree.Opaque, Name: strings.Join(append(slices.Clip(t.Path), t.Member...), "::")}
	}
	if len(t.Words) == 0 && t.Args == nil && t.Decltype == nil {
		if s := c.lookup(t.Path); s != nil && c.below(s) {
			c.fail(t.At.Pos, "unknown type %s: it is first declared below, at %s", strings.Join(t.Path, "::"), posText(s.pos))
			return nil
		}
	}
	typ, err := c.namedType(t, false)
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
func (c *checker) dimensions(typ *tree.Type, dims []*parser.Dim) *tree.Type {
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].Size == nil {
			if i > 0 {
				c.fail(dims[i].Pos, "only the first dimension of an array may have no size")
				return nil
			}
			return &tree.Type{Kind: tree.Array, Align: typ.Align, Len: -1, Elem: typ}
		}
		n, err := c.count(dims[i].Size)
		if err == nil {
			typ, err = c.array(typ, n, dims[i].Pos)
		}
		if err != nil {
			c.report(err, dims[i].Pos)
			return nil
		}
	}
	return typ
}

// deduced returns the type of an auto variable from its initial value.
func (c *checker) deduced(d *declared, x tree.Expr, pos parser.Pos) *tree.Type {
	if d.ref || d.whole {
		return x.Type()
	}
	t := valueType(x)
	if t.Kind == tree.Void || t.Name == nullType.Name {
		c.fail(pos, "auto cannot be %s", t.Spelled())
		return nil
	}
	if len(d.pointers) == 0 {
		return t
	}
	if t.Kind != tree.Pointer {
		c.fail(pos, "auto* needs a pointer, this is %s", t.Spelled())
		return nil
	}
	if d.constant && !t.Const {
		t = tree.PointerTo(t.Elem, t.Space, true)
	}
	if d.space != "" && d.space != t.Space {
		c.fail(pos, "cannot convert %s to a pointer to %s: the address spaces differ", t.Spelled(), d.space)
		return nil
	}
	return t
}
