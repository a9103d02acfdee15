package msl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// The traits of <metal_type_traits>, which are those of C++ (20.10) and know
// address spaces too. name_t is name<...>::type, name_v is name<...>::value.

// typeTraits are the traits that are types: nil where one has none for its arguments.
var typeTraits = map[string]func(args []templateArg) *tree.Type{
	"enable_if":          enableIf,
	"conditional":        conditional,
	"remove_const":       sameType,
	"remove_volatile":    sameType,
	"remove_cv":          sameType,
	"remove_reference":   sameType,
	"remove_cvref":       sameType,
	"remove_addrspace":   withoutSpace,
	"decay":              sameType,
	"type_identity":      sameType,
	"remove_pointer":     pointee,
	"remove_extent":      element,
	"remove_all_extents": innermost,
	"underlying_type":    underlying,
	"make_unsigned": signedAs(map[tree.ScalarKind]tree.ScalarKind{tree.Char: tree.UChar, tree.Short: tree.UShort,
		tree.Int: tree.UInt, tree.Long: tree.ULong}),
	"make_signed": signedAs(map[tree.ScalarKind]tree.ScalarKind{tree.UChar: tree.Char, tree.UShort: tree.Short,
		tree.UInt: tree.Int, tree.ULong: tree.Long}),
	"make_scalar": scalarOf,
}

// valueTraits are the traits that are numbers.
var valueTraits = map[string]func(args []templateArg) (tree.Value, bool){
	"is_same": about(2, func(a []*tree.Type) bool { return same(a[0], a[1]) }),
	"is_void": about(1, func(a []*tree.Type) bool { return a[0].Kind == tree.Void }),
	// what is said of numbers is said of vectors too, and is_scalar tells them apart
	"is_integral":       about(1, func(a []*tree.Type) bool { return numeric(a[0]) && !a[0].Scalar.Floating() }),
	"is_floating_point": about(1, func(a []*tree.Type) bool { return numeric(a[0]) && a[0].Scalar.Floating() }),
	"is_arithmetic":     about(1, func(a []*tree.Type) bool { return numeric(a[0]) }),
	"is_signed": about(1, func(a []*tree.Type) bool {
		return numeric(a[0]) && (a[0].Scalar.Floating() || a[0].Scalar.Signed())
	}),
	"is_unsigned": about(1, func(a []*tree.Type) bool {
		return numeric(a[0]) && !a[0].Scalar.Floating() && !a[0].Scalar.Signed()
	}),
	"is_scalar": about(1, func(a []*tree.Type) bool {
		return arithmetic(a[0]) || a[0].Kind == tree.Pointer || a[0].Kind == tree.EnumType
	}),
	"is_fundamental": about(1, func(a []*tree.Type) bool { return arithmetic(a[0]) || a[0].Kind == tree.Void }),
	"is_pointer":     about(1, func(a []*tree.Type) bool { return a[0].Kind == tree.Pointer }),
	"is_array":       about(1, func(a []*tree.Type) bool { return a[0].Kind == tree.Array }),
	"is_class": about(1,
		func(a []*tree.Type) bool { return a[0].Kind == tree.StructType && !a[0].Struct.Union }),
	"is_union": about(1,
		func(a []*tree.Type) bool { return a[0].Kind == tree.StructType && a[0].Struct.Union }),
	"is_enum": about(1, func(a []*tree.Type) bool { return a[0].Kind == tree.EnumType }),
	"is_empty": about(1,
		func(a []*tree.Type) bool { return a[0].Kind == tree.StructType && a[0].Struct.Empty }),
	"is_trivially_copyable": about(1, func(a []*tree.Type) bool { return true }),
	"is_base_of": about(2, func(a []*tree.Type) bool {
		return a[0].Kind == tree.StructType && a[1].Kind == tree.StructType && inherits(a[1].Struct, a[0].Struct)
	}),
	"__is_valid_simdgroup_type": about(1, func(a []*tree.Type) bool { // of the simd functions
		return numeric(a[0]) && a[0].Scalar != tree.Bool && a[0].Scalar.Bytes() <= 4
	}),
	"is_convertible": about(2, func(a []*tree.Type) bool { return convertible(a[0], a[1]) }),
	"vec_elements":   number(func(t *tree.Type) int { return width(t) }),
	"rank":           number(func(t *tree.Type) int { return len(dimensionsOf(t)) }),
	"extent":         number(func(t *tree.Type) int { return append(dimensionsOf(t), 0)[0] }),
	"alignment_of":   number(func(t *tree.Type) int { return t.Align }),
}

func enableIf(args []templateArg) *tree.Type {
	if len(args) == 0 || args[0].Value == nil || !args[0].Value.IsTrue() {
		return nil
	}
	if len(args) == 1 {
		return tree.Named("void")
	}
	return args[1].Type
}

func conditional(args []templateArg) *tree.Type {
	if len(args) != 3 || args[0].Value == nil {
		return nil
	}
	if args[0].Value.IsTrue() {
		return args[1].Type
	}
	return args[2].Type
}

// sameType is what is left of the traits about qualifiers: types have none here.
func sameType(args []templateArg) *tree.Type {
	if len(args) != 1 {
		return nil
	}
	if t := args[0].Type; t != nil && t.Kind == tree.Reference {
		return t.Elem
	}
	return args[0].Type
}

// withoutSpace is a type without its address space.
func withoutSpace(args []templateArg) *tree.Type {
	if t := sameType(args); t != nil {
		return t.Unqualified()
	}
	return nil
}

func pointee(args []templateArg) *tree.Type {
	t := sameType(args)
	if t != nil && t.Kind == tree.Pointer {
		return t.Elem
	}
	return t
}

func element(args []templateArg) *tree.Type {
	t := sameType(args)
	if t != nil && t.Kind == tree.Array {
		return t.Elem
	}
	return t
}

func innermost(args []templateArg) *tree.Type {
	t := sameType(args)
	for t != nil && t.Kind == tree.Array {
		t = t.Elem
	}
	return t
}

func underlying(args []templateArg) *tree.Type {
	if t := sameType(args); t != nil && t.Kind == tree.EnumType {
		return t.Enum.Under
	}
	return nil
}

func scalarOf(args []templateArg) *tree.Type {
	if t := sameType(args); t != nil && (t.Kind == tree.Scalar || t.Kind == tree.Vector) {
		return tree.ScalarType(t.Scalar)
	}
	return nil
}

func signedAs(kinds map[tree.ScalarKind]tree.ScalarKind) func(args []templateArg) *tree.Type {
	return func(args []templateArg) *tree.Type {
		t := sameType(args)
		if t == nil || !arithmetic(t) {
			return nil
		}
		if k, ok := kinds[t.Scalar]; ok {
			return tree.ScalarType(k)
		}
		return t
	}
}

// about is a trait that is true or false of n types.
func about(n int, f func(a []*tree.Type) bool) func(args []templateArg) (tree.Value, bool) {
	return func(args []templateArg) (tree.Value, bool) {
		types, ok := typesOf(args)
		if !ok || len(types) != n {
			return tree.Value{}, false
		}
		return tree.BoolValue(f(types)), true
	}
}

// number is a trait that is a size_t.
func number(f func(t *tree.Type) int) func(args []templateArg) (tree.Value, bool) {
	return func(args []templateArg) (tree.Value, bool) {
		types, ok := typesOf(args)
		if !ok || len(types) != 1 {
			return tree.Value{}, false
		}
		return tree.IntValue(tree.ULong, uint64(f(types[0]))), true
	}
}

func typesOf(args []templateArg) ([]*tree.Type, bool) {
	types := make([]*tree.Type, len(args))
	for i, a := range args {
		if a.Type == nil {
			return nil, false
		}
		types[i] = a.Type
	}
	return types, true
}

func dimensionsOf(t *tree.Type) []int {
	var dims []int
	for ; t.Kind == tree.Array; t = t.Elem {
		dims = append(dims, t.Len)
	}
	return dims
}

func inherits(st, base *tree.Struct) bool {
	for b := range basesFirst(st) {
		if b == base {
			return true
		}
	}
	return false
}

func convertible(from, to *tree.Type) bool {
	switch {
	case same(from, to):
		return true
	case to.Kind == tree.Vector:
		return arithmetic(from) || from.Kind == tree.Vector && from.Len == to.Len && from.Scalar == to.Scalar
	}
	return (arithmetic(from) || from.Kind == tree.EnumType && !from.Enum.Scoped) && arithmetic(to)
}

// traitName returns the name of a trait without metal:: or std::, and what of it is
// asked for: "" the struct, "type" or "value".
func traitName(path parser.Path) (name, member string) {
	path, _ = path.Rooted()
	if len(path) == 2 && (path[0] == "metal" || path[0] == "std") {
		path = path[1:]
	}
	if len(path) != 1 {
		return "", ""
	}
	name = path[0]
	if base, ok := strings.CutSuffix(name, "_t"); ok && typeTraits[base] != nil {
		return base, "type"
	}
	if base, ok := strings.CutSuffix(name, "_v"); ok && valueTraits[base] != nil {
		return base, "value"
	}
	return name, ""
}

// traitArgs reads the arguments of a trait, types where they can be types.
func (in env) traitArgs(written *parser.TemplateArgs) ([]templateArg, error) {
	list, err := in.writtenArgs(written.Args)
	if err != nil {
		return nil, err
	}
	args := make([]templateArg, len(list))
	for i, w := range list {
		if t, err := w.typeFromTokens(w.tokens); err == nil {
			if incompleteStruct(t) {
				return nil, unsupportedError(w.tokens.Pos,
					"a trait of struct %s is used within it, which metalgen does not support yet", t.Name)
			}
			args[i] = typeArg(t)
			continue
		} else if err == errDependent {
			return nil, err
		} else if v, failed := w.constant(w.tokens); failed == nil {
			args[i] = valueArg(v)
		} else if len(w.tokens.List) == 1 && failed != errDependent {
			return nil, err
		} else {
			return nil, failed
		}
	}
	return args, nil
}

// traitType is the type that a trait names, or nil where the name is of none.
func (in env) traitType(t *parser.Type) (*tree.Type, error) {
	name, member := traitName(t.Path)
	typeTrait, valueTrait := typeTraits[name], valueTraits[name]
	if name == "integral_constant" || name == "bool_constant" {
		return in.integralConstant(t, name)
	}
	if typeTrait == nil && valueTrait == nil || member == "value" {
		return nil, nil
	}
	if in.hides(t.Path) {
		return nil, posError(t.At.Pos, "unknown type %s<...>", metalName(t.Path))
	}
	args, err := in.traitArgs(t.Args)
	if err != nil {
		return nil, err
	}
	if valueTrait != nil {
		v, ok := valueTrait(args)
		if !ok {
			return nil, posError(t.At.Pos, "%s does not take %s", name, argList(args))
		}
		return in.constantType(v), nil
	}
	result := typeTrait(args)
	if member == "type" {
		if result == nil {
			return nil, posError(t.At.Pos, "%s%s has no type", name, argList(args))
		}
		return result, nil
	}
	st := &tree.Type{Kind: tree.StructType, Name: "metal::" + name + in.facts.keyOf(args), Size: 1, Align: 1}
	return in.libraryStruct(st, map[string]*symbol{"type": typeSymbol(result)}), nil
}

// traitValue is the value of name_v<...>.
func (in env) traitValue(e *parser.Name) (tree.Value, error) {
	name, member := traitName(e.Path)
	if member != "value" {
		return tree.Value{}, posError(e.Pos, "unknown name %s", nameText(e))
	}
	args, err := in.traitArgs(e.Args)
	if err != nil {
		return tree.Value{}, err
	}
	v, ok := valueTraits[name](args)
	if !ok {
		return tree.Value{}, posError(e.Pos, "%s does not take %s", name, argList(args))
	}
	return v, nil
}

func argList[A fmt.Stringer](args []A) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return "<" + strings.Join(texts, ", ") + ">"
}

// integralConstant is integral_constant<T, v> or bool_constant<v>.
func (in env) integralConstant(t *parser.Type, name string) (*tree.Type, error) {
	args, err := in.traitArgs(t.Args)
	if err != nil {
		return nil, err
	}
	if name == "bool_constant" {
		args = slices.Insert(args, 0, typeArg(tree.ScalarType(tree.Bool)))
	}
	if len(args) != 2 || args[0].Type == nil || args[1].Value == nil {
		return nil, posError(t.At.Pos, "%s does not take %s", name, argList(args))
	}
	v, err := convertTo(args[0].Type, *args[1].Value, t.At.Pos)
	if err != nil {
		return nil, err
	}
	return in.constantType(v), nil
}

// constantType is the struct integral_constant<T, v>.
func (r *resolver) constantType(v tree.Value) *tree.Type {
	typ := tree.ScalarType(v.Kind)
	st := &tree.Type{Kind: tree.StructType, Name: "metal::integral_constant<" + typ.Name + ", " + v.String() + ">",
		Size: 1, Align: 1}
	value := &symbol{
		variable: &parser.Init{Declarator: &parser.Declarator{Name: "value"}},
		varType:  &parser.Type{Path: []string{typ.Name}},
		state:    resolved, value: v,
	}
	return r.libraryStruct(st, map[string]*symbol{"value": value, "value_type": typeSymbol(typ)})
}

func typeSymbol(t *tree.Type) *symbol {
	if t == nil {
		return nil
	}
	return &symbol{aliased: &alias{}, state: resolved, typ: t}
}

// libraryStruct enters a struct of the library with its members, once.
func (r *resolver) libraryStruct(t *tree.Type, members map[string]*symbol) *tree.Type {
	if s := r.symbols[t.Name]; s != nil {
		return s.typ
	}
	t.Struct = r.facts.newClass(&tree.Struct{Name: t.Name, Size: 1, Align: 1, Empty: true}).Struct
	self := typeSymbol(t)
	self.name = t.Name
	r.symbols[t.Name] = self
	for name, s := range members {
		if s != nil {
			s.name = t.Name + "::" + name
			r.symbols[s.name] = s
		}
	}
	return t
}
