package msl

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// deduction finds the arguments of a template from types (C++14 14.8.2).
type deduction struct {
	r     *resolver
	t     *template
	found []templateArg // by the index of the parameter
	at    int           // the element of packs that is matched, or -1
	depth int           // of aliases
}

func newDeduction(r *resolver, t *template) *deduction {
	return &deduction{r: r, t: t, found: make([]templateArg, len(t.head.Params)), at: -1}
}

// set notes what a parameter is; false where it was something else before.
func (d *deduction) set(i int, a templateArg) bool {
	old := &d.found[i]
	if d.t.head.Params[i].Pack {
		if d.at < 0 {
			return true
		}
		for len(old.pack) <= d.at {
			old.pack = append(old.pack, templateArg{})
		}
		old.isPack, old = true, &old.pack[d.at]
	}
	if old.known() {
		if old.Value != nil && a.Value != nil {
			return old.Value.Bits == a.Value.Bits && old.Value.Float == a.Value.Float
		}
		if old.Type != nil && old.Type.Kind == tree.Reference && a.Type != nil {
			return d.r.facts.typeKey(old.Type.Elem) == d.r.facts.key(a) // written as a reference
		}
		return d.r.facts.key(*old) == d.r.facts.key(a)
	}
	*old = a
	return true
}

// arguments matches template arguments as written in a pattern with those that are
// known. An expansion, which is the last one, takes the rest.
func (d *deduction) arguments(pattern []*parser.Tokens, known []templateArg) bool {
	known = flat(known)
	for i, tokens := range pattern {
		repeated := patternOf(tokens)
		if repeated == nil {
			if i < len(known) && !d.argument(tokens, known[i]) {
				return false
			}
			continue
		}
		outer := d.at
		defer func() { d.at = outer }()
		for d.at = 0; i+d.at < len(known); d.at++ {
			if !d.argument(repeated, known[i+d.at]) {
				return false
			}
		}
	}
	return true
}

// argument matches a template argument as written in a pattern with one that is
// known. What says nothing about parameters is passed: it is compared afterwards.
func (d *deduction) argument(tokens *parser.Tokens, a templateArg) bool {
	if len(tokens.List) == 1 {
		if i := paramIndex(d.t.head.Params, tokens.List[0].Text); i >= 0 {
			return d.set(i, a)
		}
	}
	if a.Type == nil {
		return true
	}
	tn, err := d.r.syntax.typ(tokens.List)
	if err != nil {
		return true
	}
	return d.typ(tn.Type, tn.Pointers, tn.Dims, a.Type)
}

// typ matches a type as written in a pattern with one that is known. Pointers and
// dimensions that both have are taken off from the outside.
func (d *deduction) typ(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim, a *tree.Type) bool {
	for _, dim := range dims {
		if a.Kind != tree.Array {
			return false
		}
		if dim.Size != nil {
			n := tree.IntValue(tree.Int, uint64(a.Len))
			if !d.argument(dim.Size, valueArg(n)) {
				return false
			}
		}
		a = a.Elem
	}
	if n := len(pointers); n > 0 {
		if pointers[n-1].Op != "*" {
			return d.typ(t, pointers[:n-1], nil, a)
		}
		if a.Kind != tree.Pointer {
			return false
		}
		if space := spaceOf(t); n == 1 && space != "" && space != a.Space {
			return false
		}
		return d.typ(t, pointers[:n-1], nil, a.Elem)
	}
	if len(t.Path) == 1 && t.Args == nil {
		if i := paramIndex(d.t.head.Params, t.Path[0]); i >= 0 {
			return d.set(i, typeArg(a))
		}
	}
	if t.Args != nil && len(t.Member) == 0 && len(t.Rest) == 0 {
		return d.templateID(t, a)
	}
	return true
}

// templateID matches `X<T, N>` with a type.
func (d *deduction) templateID(t *parser.Type, a *tree.Type) bool {
	args := t.Args.Args
	if known, ok := libraryArgs(t.Path[len(t.Path)-1], a); ok {
		return d.arguments(args, known)
	}
	if elem := d.r.facts.listed(a); elem != nil && t.Path[len(t.Path)-1] == library.ListName {
		return d.arguments(args, []templateArg{typeArg(elem)})
	}
	target := d.r.at(d.t.namespace).classNamed(t.Path)
	if target == nil && len(t.Path) == 1 {
		if i := paramIndex(d.t.head.Params, t.Path[0]); i >= 0 && a.Kind == tree.StructType {
			if of := d.r.facts.class(a.Struct).instance; of != nil {
				if !d.set(i, templateArg{TemplateArg: tree.TemplateArg{Name: of.template.name}, template: of.template}) {
					return false
				}
				target = of.template
			}
		}
	}
	if target == nil {
		return true
	}
	if target.head.Kind == parser.AliasTemplate {
		return d.alias(target, args, a)
	}
	if a.Kind != tree.StructType {
		return false
	}
	for st := range basesFirst(a.Struct) {
		of := d.r.facts.class(st).instance
		if of == nil || of.template != target {
			continue
		}
		return d.arguments(args, of.args)
	}
	return false
}

// alias matches `A<T>` with a type, A being an alias template: what its own
// parameters must be is what its arguments are matched with. A target that says
// nothing about them leaves the type to others.
func (d *deduction) alias(target *template, args []*parser.Tokens, a *tree.Type) bool {
	decl, err := target.declaration(d.r)
	if err != nil || decl.Using == nil || decl.Using.Type == nil || d.depth >= maxAliasDepth {
		return true
	}
	u := decl.Using
	inner := newDeduction(d.r, target)
	inner.depth = d.depth + 1
	if !inner.typ(u.Type, u.Pointers, u.Dims, a) {
		return false
	}
	if n := len(inner.found); n > 0 && target.head.Params[n-1].Pack {
		inner.found[n-1].isPack = true // of no elements, where none was found
		return d.arguments(args, inner.found)
	}
	for i := range min(len(args), len(inner.found)) {
		if inner.found[i].known() && !d.argument(args[i], inner.found[i]) {
			return false
		}
	}
	return true
}

// libraryArgs returns the arguments of a type that a template of the library makes;
// false where it is none of that template.
func libraryArgs(name string, a *tree.Type) ([]templateArg, bool) {
	number := func(n int) templateArg {
		v := tree.IntValue(tree.Int, uint64(n))
		return valueArg(v)
	}
	scalar := func() templateArg { return typeArg(tree.ScalarType(a.Scalar)) }
	switch {
	case name == "vec" && a.Kind == tree.Vector, name == "packed_vec" && a.Kind == tree.PackedVector:
		return []templateArg{scalar(), number(a.Len)}, true
	case name == "matrix" && a.Kind == tree.Matrix:
		return []templateArg{scalar(), number(a.Len), number(a.Elem.Len)}, true
	case name == "simdgroup_matrix" && a.Kind == tree.SimdgroupMatrix:
		return []templateArg{scalar(), number(8), number(8)}, true
	case (name == "atomic" || name == "_atomic") && a.Atomic:
		return []templateArg{scalar()}, true
	case a.Kind == tree.Texture && name == a.Texture.Template():
		coherence := 0
		if a.Texture.Coherent {
			coherence = 1
		}
		return []templateArg{scalar(), number(int(a.Texture.Access)), number(coherence)}, true
	case name == "array" && a.Kind == tree.Array:
		return []templateArg{typeArg(a.Elem), number(a.Len)}, true
	}
	return nil, false
}
