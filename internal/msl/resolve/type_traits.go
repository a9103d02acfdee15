package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// The traits of <metal_type_traits>, which are those of C++ (20.10) and know
// address spaces too. name_t is name<...>::type, name_v is name<...>::value.

// typeTraits are the traits that are types: nil where one has none for its arguments.
var typeTraits = map[string]func(args []TemplateArg) *tree.Type{
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
	"remove_all_extents": Innermost,
	"underlying_type":    underlying,
	"make_unsigned": signedAs(map[tree.ScalarKind]tree.ScalarKind{tree.Char: tree.UChar, tree.Short: tree.UShort,
		tree.Int: tree.UInt, tree.Long: tree.ULong}),
	"make_signed": signedAs(map[tree.ScalarKind]tree.ScalarKind{tree.UChar: tree.Char, tree.UShort: tree.Short,
		tree.UInt: tree.Int, tree.ULong: tree.Long}),
	"make_scalar": scalarOf,
}

// valueTraits are the traits that are numbers.
var valueTraits = map[string]func(args []TemplateArg) (tree.Value, bool){
	"is_same": about(2, func(a []*tree.Type) bool { return types.Same(a[0], a[1]) }),
	"is_void": about(1, func(a []*tree.Type) bool { return a[0].Kind == tree.Void }),
	// what is said of numbers is said of vectors too, and is_scalar tells them apart
	"is_integral":       about(1, func(a []*tree.Type) bool { return types.Numeric(a[0]) && !a[0].Scalar.Floating() }),
	"is_floating_point": about(1, func(a []*tree.Type) bool { return types.Numeric(a[0]) && a[0].Scalar.Floating() }),
	"is_arithmetic":     about(1, func(a []*tree.Type) bool { return types.Numeric(a[0]) }),
	"is_signed": about(1, func(a []*tree.Type) bool {
		return types.Numeric(a[0]) && (a[0].Scalar.Floating() || a[0].Scalar.Signed())
	}),
	"is_unsigned": about(1, func(a []*tree.Type) bool {
		return types.Numeric(a[0]) && !a[0].Scalar.Floating() && !a[0].Scalar.Signed()
	}),
	"is_scalar": about(1, func(a []*tree.Type) bool {
		return types.Arithmetic(a[0]) || a[0].Kind == tree.Pointer || a[0].Kind == tree.EnumType
	}),
	"is_fundamental": about(1, func(a []*tree.Type) bool { return types.Arithmetic(a[0]) || a[0].Kind == tree.Void }),
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
		return types.Numeric(a[0]) && a[0].Scalar != tree.Bool && a[0].Scalar.Bytes() <= 4
	}),
	"is_convertible": about(2, func(a []*tree.Type) bool { return convertible(a[0], a[1]) }),
	"vec_elements":   number(func(t *tree.Type) int { return types.Width(t) }),
	"rank":           number(func(t *tree.Type) int { return len(dimensionsOf(t)) }),
	"extent":         number(func(t *tree.Type) int { return append(dimensionsOf(t), 0)[0] }),
	"alignment_of":   number(func(t *tree.Type) int { return t.Align }),
}

func enableIf(args []TemplateArg) *tree.Type {
	if len(args) == 0 || args[0].Value == nil || !args[0].Value.IsTrue() {
		return nil
	}
	if len(args) == 1 {
		return tree.Named("void")
	}
	return args[1].Type
}

func conditional(args []TemplateArg) *tree.Type {
	if len(args) != 3 || args[0].Value == nil {
		return nil
	}
	if args[0].Value.IsTrue() {
		return args[1].Type
	}
	return args[2].Type
}

// sameType is what is left of the traits about qualifiers: types have none here.
func sameType(args []TemplateArg) *tree.Type {
	if len(args) != 1 {
		return nil
	}
	if t := args[0].Type; t != nil && t.Kind == tree.Reference {
		return t.Elem
	}
	return args[0].Type
}

// withoutSpace is a type without its address space.
func withoutSpace(args []TemplateArg) *tree.Type {
	if t := sameType(args); t != nil {
		return t.Unqualified()
	}
	return nil
}

func pointee(args []TemplateArg) *tree.Type {
	t := sameType(args)
	if t != nil && t.Kind == tree.Pointer {
		return t.Elem
	}
	return t
}

func element(args []TemplateArg) *tree.Type {
	t := sameType(args)
	if t != nil && t.Kind == tree.Array {
		return t.Elem
	}
	return t
}

// Innermost is the element of an array of arrays, and any other type itself.
func Innermost(args []TemplateArg) *tree.Type {
	t := sameType(args)
	for t != nil && t.Kind == tree.Array {
		t = t.Elem
	}
	return t
}

func underlying(args []TemplateArg) *tree.Type {
	if t := sameType(args); t != nil && t.Kind == tree.EnumType {
		return t.Enum.Under
	}
	return nil
}

func scalarOf(args []TemplateArg) *tree.Type {
	if t := sameType(args); t != nil && (t.Kind == tree.Scalar || t.Kind == tree.Vector) {
		return tree.ScalarType(t.Scalar)
	}
	return nil
}

func signedAs(kinds map[tree.ScalarKind]tree.ScalarKind) func(args []TemplateArg) *tree.Type {
	return func(args []TemplateArg) *tree.Type {
		t := sameType(args)
		if t == nil || !types.Arithmetic(t) {
			return nil
		}
		if k, ok := kinds[t.Scalar]; ok {
			return tree.ScalarType(k)
		}
		return t
	}
}

// about is a trait that is true or false of n types.
func about(n int, f func(a []*tree.Type) bool) func(args []TemplateArg) (tree.Value, bool) {
	return func(args []TemplateArg) (tree.Value, bool) {
		types, ok := typesOf(args)
		if !ok || len(types) != n {
			return tree.Value{}, false
		}
		return tree.BoolValue(f(types)), true
	}
}

// number is a trait that is a size_t.
func number(f func(t *tree.Type) int) func(args []TemplateArg) (tree.Value, bool) {
	return func(args []TemplateArg) (tree.Value, bool) {
		types, ok := typesOf(args)
		if !ok || len(types) != 1 {
			return tree.Value{}, false
		}
		return tree.IntValue(tree.ULong, uint64(f(types[0]))), true
	}
}

func typesOf(args []TemplateArg) ([]*tree.Type, bool) {
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
	for b := range BasesFirst(st) {
		if b == base {
			return true
		}
	}
	return false
}

func convertible(from, to *tree.Type) bool {
	switch {
	case types.Same(from, to):
		return true
	case to.Kind == tree.Vector:
		return types.Arithmetic(from) || from.Kind == tree.Vector && from.Len == to.Len && from.Scalar == to.Scalar
	}
	return (types.Arithmetic(from) || from.Kind == tree.EnumType && !from.Enum.Scoped) && types.Arithmetic(to)
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
func traitArgs(in Env, written *parser.TemplateArgs) ([]TemplateArg, error) {
	list, err := writtenArgs(in, written.Args)
	if err != nil {
		return nil, err
	}
	args := make([]TemplateArg, len(list))
	for i, w := range list {
		if t, err := TypeFromTokens(w.in, w.tokens); err == nil {
			if incompleteStruct(t) {
				return nil, UnsupportedError(w.tokens.Pos,
					"a trait of struct %s is used within it, which metalgen does not support yet", t.Name)
			}
			args[i] = TypeArg(t)
			continue
		} else if err == ErrDependent {
			return nil, err
		} else if v, failed := w.in.Constant(w.tokens); failed == nil {
			args[i] = valueArg(v)
		} else if len(w.tokens.List) == 1 && failed != ErrDependent {
			return nil, err
		} else {
			return nil, failed
		}
	}
	return args, nil
}

// traitType is the type that a trait names, or nil where the name is of none.
func traitType(in Env, t *parser.Type) (*tree.Type, error) {
	name, member := traitName(t.Path)
	typeTrait, valueTrait := typeTraits[name], valueTraits[name]
	if name == "integral_constant" || name == "bool_constant" {
		return integralConstant(in, t, name)
	}
	if typeTrait == nil && valueTrait == nil || member == "value" {
		return nil, nil
	}
	if in.Hides(t.Path) {
		return nil, Errorf(t.At.Pos, "unknown type %s<...>", library.MetalName(t.Path))
	}
	args, err := traitArgs(in, t.Args)
	if err != nil {
		return nil, err
	}
	if valueTrait != nil {
		v, ok := valueTrait(args)
		if !ok {
			return nil, Errorf(t.At.Pos, "%s does not take %s", name, ArgList(args))
		}
		return in.R.constantType(v), nil
	}
	result := typeTrait(args)
	if member == "type" {
		if result == nil {
			return nil, Errorf(t.At.Pos, "%s%s has no type", name, ArgList(args))
		}
		return result, nil
	}
	st := &tree.Type{Kind: tree.StructType, Name: "metal::" + name + in.R.Facts.KeyOf(args), Size: 1, Align: 1}
	return in.R.libraryStruct(st, map[string]*Symbol{"type": typeSymbol(result)}), nil
}

// traitValue is the value of name_v<...>.
func (in Env) traitValue(e *parser.Name) (tree.Value, error) {
	name, member := traitName(e.Path)
	if member != "value" {
		return tree.Value{}, Errorf(e.Pos, "unknown name %s", NameText(e))
	}
	args, err := traitArgs(in, e.Args)
	if err != nil {
		return tree.Value{}, err
	}
	v, ok := valueTraits[name](args)
	if !ok {
		return tree.Value{}, Errorf(e.Pos, "%s does not take %s", name, ArgList(args))
	}
	return v, nil
}

// ArgList is the arguments of a template as names have them.
func ArgList[A fmt.Stringer](args []A) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return "<" + strings.Join(texts, ", ") + ">"
}

// integralConstant is integral_constant<T, v> or bool_constant<v>.
func integralConstant(in Env, t *parser.Type, name string) (*tree.Type, error) {
	args, err := traitArgs(in, t.Args)
	if err != nil {
		return nil, err
	}
	if name == "bool_constant" {
		args = slices.Insert(args, 0, TypeArg(tree.ScalarType(tree.Bool)))
	}
	if len(args) != 2 || args[0].Type == nil || args[1].Value == nil {
		return nil, Errorf(t.At.Pos, "%s does not take %s", name, ArgList(args))
	}
	v, err := convertTo(args[0].Type, *args[1].Value, t.At.Pos)
	if err != nil {
		return nil, err
	}
	return in.R.constantType(v), nil
}

// constantType is the struct integral_constant<T, v>.
func (r *Resolver) constantType(v tree.Value) *tree.Type {
	typ := tree.ScalarType(v.Kind)
	st := &tree.Type{Kind: tree.StructType, Name: "metal::integral_constant<" + typ.Name + ", " + v.String() + ">",
		Size: 1, Align: 1}
	value := &Symbol{
		Variable: &parser.Init{Declarator: &parser.Declarator{Name: "value"}},
		VarType:  &parser.Type{Path: []string{typ.Name}},
		State:    Resolved, Value: v,
	}
	return r.libraryStruct(st, map[string]*Symbol{"value": value, "value_type": typeSymbol(typ)})
}

func typeSymbol(t *tree.Type) *Symbol {
	if t == nil {
		return nil
	}
	return &Symbol{Aliased: &Alias{}, State: Resolved, typ: t}
}

// libraryStruct enters a struct of the library with its members, once.
func (r *Resolver) libraryStruct(t *tree.Type, members map[string]*Symbol) *tree.Type {
	if s := r.Symbols[t.Name]; s != nil {
		return s.typ
	}
	t.Struct = r.Facts.NewClass(&tree.Struct{Name: t.Name, Size: 1, Align: 1, Empty: true}).Struct
	self := typeSymbol(t)
	self.Name = t.Name
	r.Symbols[t.Name] = self
	for name, s := range members {
		if s != nil {
			s.Name = t.Name + "::" + name
			r.Symbols[s.Name] = s
		}
	}
	return t
}
