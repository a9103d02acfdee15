package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Deduction finds the arguments of a template from types (C++14 14.8.2).
type Deduction struct {
	r     *Resolver
	t     *Template
	Found []TemplateArg // by the index of the parameter
	At    int           // the element of packs that is matched, or -1
	depth int           // of aliases
}

// NewDeduction begins to find the arguments of a template.
func NewDeduction(r *Resolver, t *Template) *Deduction {
	return &Deduction{r: r, t: t, Found: make([]TemplateArg, len(t.Head.Params)), At: -1}
}

// set notes what a parameter is; false where it was something else before.
func (d *Deduction) set(i int, a TemplateArg) bool {
	old := &d.Found[i]
	if d.t.Head.Params[i].Pack {
		if d.At < 0 {
			return true
		}
		for len(old.Pack) <= d.At {
			old.Pack = append(old.Pack, TemplateArg{})
		}
		old.IsPack, old = true, &old.Pack[d.At]
	}
	if old.known() {
		if old.Value != nil && a.Value != nil {
			return old.Value.Bits == a.Value.Bits && old.Value.Float == a.Value.Float
		}
		if old.Type != nil && old.Type.Kind == tree.Reference && a.Type != nil {
			return d.r.Facts.typeKey(old.Type.Elem) == d.r.Facts.key(a) // written as a reference
		}
		return d.r.Facts.key(*old) == d.r.Facts.key(a)
	}
	*old = a
	return true
}

// arguments matches template arguments as written in a pattern with those that are
// known. An expansion, which is the last one, takes the rest.
func (d *Deduction) arguments(pattern []*parser.Tokens, known []TemplateArg) bool {
	known = Flat(known)
	for i, tokens := range pattern {
		repeated := patternOf(tokens)
		if repeated == nil {
			if i < len(known) && !d.Argument(tokens, known[i]) {
				return false
			}
			continue
		}
		outer := d.At
		defer func() { d.At = outer }()
		for d.At = 0; i+d.At < len(known); d.At++ {
			if !d.Argument(repeated, known[i+d.At]) {
				return false
			}
		}
	}
	return true
}

// Argument matches a template argument as written in a pattern with one that is
// known. What says nothing about parameters is passed: it is compared afterwards.
func (d *Deduction) Argument(tokens *parser.Tokens, a TemplateArg) bool {
	if len(tokens.List) == 1 {
		if i := ParamIndex(d.t.Head.Params, tokens.List[0].Text); i >= 0 {
			return d.set(i, a)
		}
	}
	if a.Type == nil {
		return true
	}
	tn, err := d.r.Syntax.Type(tokens.List)
	if err != nil {
		return true
	}
	return d.Type(tn.Type, tn.Pointers, tn.Dims, a.Type)
}

// Type matches a type as written in a pattern with one that is known. Pointers and
// dimensions that both have are taken off from the outside.
func (d *Deduction) Type(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim, a *tree.Type) bool {
	for _, dim := range dims {
		if a.Kind != tree.Array {
			return false
		}
		if dim.Size != nil {
			n := tree.IntValue(tree.Int, uint64(a.Len))
			if !d.Argument(dim.Size, valueArg(n)) {
				return false
			}
		}
		a = a.Elem
	}
	if n := len(pointers); n > 0 {
		if pointers[n-1].Op != "*" {
			return d.Type(t, pointers[:n-1], nil, a)
		}
		if a.Kind != tree.Pointer {
			return false
		}
		if space := SpaceOf(t); n == 1 && space != "" && space != a.Space {
			return false
		}
		return d.Type(t, pointers[:n-1], nil, a.Elem)
	}
	if len(t.Path) == 1 && t.Args == nil {
		if i := ParamIndex(d.t.Head.Params, t.Path[0]); i >= 0 {
			return d.set(i, TypeArg(a))
		}
	}
	if t.Args != nil && len(t.Member) == 0 && len(t.Rest) == 0 {
		return d.templateID(t, a)
	}
	return true
}

// templateID matches `X<T, N>` with a type.
func (d *Deduction) templateID(t *parser.Type, a *tree.Type) bool {
	args := t.Args.Args
	if known, ok := libraryArgs(t.Path[len(t.Path)-1], a); ok {
		return d.arguments(args, known)
	}
	if elem := d.r.Facts.Listed(a); elem != nil && t.Path[len(t.Path)-1] == library.ListName {
		return d.arguments(args, []TemplateArg{TypeArg(elem)})
	}
	target := d.r.At(d.t.Namespace).ClassNamed(t.Path)
	if target == nil && len(t.Path) == 1 {
		if i := ParamIndex(d.t.Head.Params, t.Path[0]); i >= 0 && a.Kind == tree.StructType {
			if of := d.r.Facts.Class(a.Struct).Instance; of != nil {
				if !d.set(i, TemplateArg{TemplateArg: tree.TemplateArg{Name: of.Template.Name},
					template: of.Template}) {
					return false
				}
				target = of.Template
			}
		}
	}
	if target == nil {
		return true
	}
	if target.Head.Kind == parser.AliasTemplate {
		return d.alias(target, args, a)
	}
	if a.Kind != tree.StructType {
		return false
	}
	for st := range BasesFirst(a.Struct) {
		of := d.r.Facts.Class(st).Instance
		if of == nil || of.Template != target {
			continue
		}
		return d.arguments(args, of.Args)
	}
	return false
}

// alias matches `A<T>` with a type, A being an alias template: what its own
// parameters must be is what its arguments are matched with. A target that says
// nothing about them leaves the type to others.
func (d *Deduction) alias(target *Template, args []*parser.Tokens, a *tree.Type) bool {
	decl, err := target.Declaration(d.r)
	if err != nil || decl.Using == nil || decl.Using.Type == nil || d.depth >= maxAliasDepth {
		return true
	}
	u := decl.Using
	inner := NewDeduction(d.r, target)
	inner.depth = d.depth + 1
	if !inner.Type(u.Type, u.Pointers, u.Dims, a) {
		return false
	}
	if n := len(inner.Found); n > 0 && target.Head.Params[n-1].Pack {
		inner.Found[n-1].IsPack = true // of no elements, where none was found
		return d.arguments(args, inner.Found)
	}
	for i := range min(len(args), len(inner.Found)) {
		if inner.Found[i].known() && !d.Argument(args[i], inner.Found[i]) {
			return false
		}
	}
	return true
}

// libraryArgs returns the arguments of a type that a template of the library makes;
// false where it is none of that template.
func libraryArgs(name string, a *tree.Type) ([]TemplateArg, bool) {
	number := func(n int) TemplateArg {
		v := tree.IntValue(tree.Int, uint64(n))
		return valueArg(v)
	}
	scalar := func() TemplateArg { return TypeArg(tree.ScalarType(a.Scalar)) }
	switch {
	case name == "vec" && a.Kind == tree.Vector, name == "packed_vec" && a.Kind == tree.PackedVector:
		return []TemplateArg{scalar(), number(a.Len)}, true
	case name == "matrix" && a.Kind == tree.Matrix:
		return []TemplateArg{scalar(), number(a.Len), number(a.Elem.Len)}, true
	case name == "simdgroup_matrix" && a.Kind == tree.SimdgroupMatrix:
		return []TemplateArg{scalar(), number(8), number(8)}, true
	case (name == "atomic" || name == "_atomic") && a.Atomic:
		return []TemplateArg{scalar()}, true
	case a.Kind == tree.Texture && name == a.Texture.Template():
		coherence := 0
		if a.Texture.Coherent {
			coherence = 1
		}
		return []TemplateArg{scalar(), number(int(a.Texture.Access)), number(coherence)}, true
	case name == "array" && a.Kind == tree.Array:
		return []TemplateArg{TypeArg(a.Elem), number(a.Len)}, true
	}
	return nil, false
}

// Written notes the template arguments that a call writes; types take part:
// S<T> f(T, T) with T given. It returns how many parameters have arguments then, a pack
// aside, and how many elements those give the pack.
func (d *Deduction) Written(in Env, written *parser.TemplateArgs) (given, packed int, err error) {
	list, err := writtenArgs(in, written.Args)
	if err != nil {
		return 0, 0, err
	}
	params := d.t.Head.Params
	given = len(list)
	if pack := packIndex(params); pack >= 0 && given > pack {
		given, packed = pack, given-pack
	}
	if given > len(params) {
		return 0, 0, Errorf(written.Pos, "%s takes %d template arguments, these are %d", d.t.Name, len(params), given)
	}
	for i, w := range list {
		param := params[min(i, len(params)-1, given)]
		if !param.IsType() || param.Template != nil {
			continue
		}
		if typ, err := TypeFromTokens(w.in, w.tokens); err == nil {
			d.At = i - given
			d.set(min(i, given), TypeArg(typ))
		}
	}
	return given, packed, nil
}

// OfFirstPack reports whether a parameter is made of the pack that takes the template
// arguments which are written.
func (d *Deduction) OfFirstPack(param *parser.Param) bool {
	pack := packIndex(d.t.Head.Params)
	return param.Pack && pack >= 0 && slices.ContainsFunc(TypeTokens(param.Type, DimsOf(param)),
		func(t parser.Token) bool { return t.Kind == parser.Ident && t.Text == d.t.Head.Params[pack].Name })
}

// Param deduces from an argument of a call (C++14 14.8.2.1).
func (d *Deduction) Param(param *parser.Param, x tree.Expr) bool {
	pointers, dims := param.Pointers, DimsOf(param)
	reference := len(pointers) > 0 && pointers[len(pointers)-1].Op != "*"
	a := x.Type()
	if decl := param.Declarator; decl != nil && decl.Inner != nil {
		if decl.Params != nil {
			return true
		}
		reference = len(decl.Inner.Ptr) > 0 && decl.Inner.Ptr[0].Op != "*"
		if !reference {
			pointers = append(slices.Clone(pointers), decl.Inner.Ptr...)
		}
	} else if len(dims) > 0 {
		// an array parameter is a pointer to its elements
		if a = types.Decayed(x); a.Kind != tree.Pointer {
			return false
		}
		a, dims = a.Elem, dims[1:]
		return d.Type(param.Type, pointers, dims, a)
	}
	if !reference {
		a = types.Decayed(x)
	}
	if types.IsNull(x) && !mentions(param.Type, d.t) {
		return true
	}
	if !d.dependent(param.Type) {
		return true // conversions are possible
	}
	return d.Type(param.Type, pointers, dims, a)
}

// dependent reports whether a type as written mentions a parameter of the template.
func (d *Deduction) dependent(t *parser.Type) bool { return mentions(t, d.t) }

func mentions(t *parser.Type, of *Template) bool { return MentionsLater(t, of, 0) }

// MentionsLater reports whether a type mentions a parameter from the n-th on.
func MentionsLater(t *parser.Type, of *Template, n int) bool {
	if len(t.Path) > 0 && ParamIndex(of.Head.Params, t.Path[0]) >= n {
		return true
	}
	if t.Args == nil {
		return false
	}
	for _, tokens := range t.Args.Args {
		for _, tok := range tokens.List {
			if tok.Kind == parser.Ident && ParamIndex(of.Head.Params, tok.Text) >= n {
				return true
			}
		}
	}
	return false
}
