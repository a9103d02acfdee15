package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// TypeOf resolves a written type as seen from a namespace.
func (in Env) TypeOf(t *parser.Type) (*tree.Type, error) {
	typ, err := in.namedType(t, false)
	if err != nil {
		return nil, err
	}
	return typ.Unqualified(), nil
}

// QualifiedType is TypeOf with the address space that a parameter of a template stands for, too.
func (in Env) QualifiedType(t *parser.Type) (*tree.Type, error) { return in.namedType(t, false) }

// namedType is typeOf. Where open is set, a struct that is being laid out will do.
func (in Env) namedType(t *parser.Type, open bool) (*tree.Type, error) {
	if one, other := SpaceOf(t), otherSpace(t); other != "" {
		return nil, Errorf(t.At.Pos, "a type is in one address space, not in %s and %s", one, other)
	}
	if len(t.Words) > 0 {
		name := strings.Join(t.Words, " ")
		if b := tree.Named(name); b != nil {
			return b, nil
		}
		return nil, Errorf(t.At.Pos, "unknown type %s", name)
	}
	if t.Decltype != nil {
		return in.R.checker.Decltype(in, t)
	}
	if t.Args != nil {
		return templateType(in, t, open)
	}
	path := append(slices.Clip(t.Path), t.Member...)
	if in.R.Vetting && len(path) == 1 && slices.Contains(t.Pre, "typename") {
		return nil, Errorf(t.At.Pos, "typename needs a qualified name after it, as in typename T::%s", path[0])
	}
	if len(path) == 0 {
		return nil, Errorf(t.At.Pos, "expected a type")
	}
	if s := in.Lookup(path); s != nil && s.IsType() {
		if open && s.isOpen() {
			return s.typ, nil
		}
		return in.SymbolType(s)
	}
	path = in.ThroughUsing(path)
	name := path[len(path)-1]
	if rest, _ := path.Rooted(); len(rest) == 1 || len(rest) == 2 && (rest[0] == "metal" || rest[0] == "simd") {
		if b := tree.Named(name); b != nil && !(library.Has(name) && in.Hides(path)) {
			return b, nil
		}
	}
	if k, ok := library.OpaqueTypes[name]; ok && library.InMetal(path) && !in.Hides(path) {
		return opaqueType(k, name, t.At.Pos)
	}
	if lib := library.Type(path); lib != nil {
		if in.Hides(path) {
			return nil, Errorf(t.At.Pos, "unknown type %s", library.MetalName(path))
		}
		return lib, nil
	}
	if library.Has(name) && in.Hides(path) {
		return nil, Errorf(t.At.Pos, "unknown type %s", library.MetalName(path))
	}
	if m := library.NamedMember(path); m != nil && !in.Hides(path) {
		return m, nil
	}
	return nil, unknownType(t, path, "unknown type %s")
}

// unknownType is the error of a type without a meaning, which may be Metal's own.
func unknownType(t *parser.Type, path parser.Path, format string) error {
	name := strings.Join(path, "::")
	if name == "double" {
		format += ": Metal has none; use float"
	}
	if library.BeyondType(path) {
		return UnsupportedError(t.At.Pos, format, name)
	}
	return Errorf(t.At.Pos, format, name)
}

// isOpen reports whether the symbol is a struct that is being laid out.
func (s *Symbol) isOpen() bool { return s.Structure != nil && s.State == Resolving && s.typ != nil }

// IsType reports whether the symbol names a type.
func (s *Symbol) IsType() bool { return s.Structure != nil || s.Enum != nil || s.Aliased != nil }

// templateType resolves a template-id, with the names after it.
func templateType(in Env, t *parser.Type, open bool) (*tree.Type, error) {
	if in.Open {
		if s := in.Lookup(t.Path[:1]); s != nil && s.Err == ErrDependent {
			return nil, ErrDependent
		}
	}
	if path := in.ThroughUsing(t.Path); !slices.Equal(path, t.Path) {
		of := *t
		of.Path, t = path, &of
	}
	open = open && len(t.Member) == 0 && len(t.Rest) == 0
	typ, err := in.classType(t.Path, t.Args, t.At.Pos, open)
	if typ == nil && err == nil && len(t.Path) > 1 {
		typ, err = scopedTemplate(in, t)
	}
	if typ == nil && err == nil {
		typ, err = traitType(in, t)
	}
	if typ == nil && err == nil {
		typ, err = plainTemplate(in, t)
	}
	if err != nil || len(t.Member) == 0 && len(t.Rest) == 0 {
		return typ, err
	}
	return restType(in, typ, t.Member, t.Rest, t.At.Pos)
}

// scopedTemplate resolves A::X<float>, A being the name of a struct; nil where it
// is none.
func scopedTemplate(in Env, t *parser.Type) (*tree.Type, error) {
	last := len(t.Path) - 1
	s := in.Lookup(t.Path[:last])
	if s == nil || !s.IsType() {
		return nil, nil
	}
	outer, err := in.SymbolType(s)
	if err != nil {
		return nil, err
	}
	return memberTemplate(in, outer, t.Path[last], t.Args, t.At.Pos)
}

// plainTemplate resolves the templates of the library that name plain types.
func plainTemplate(in Env, t *parser.Type) (*tree.Type, error) {
	name := t.Path[len(t.Path)-1]
	if (library.PlainTemplates[name] > 0 || library.Has(name)) && in.Hides(t.Path) {
		return nil, Errorf(t.At.Pos, "unknown type %s<...>", library.MetalName(t.Path))
	}
	switch k := library.OpaqueTypes[name]; k {
	case tree.Texture:
		return textureType(in, t, name)
	case tree.Opaque:
		return &tree.Type{Kind: k, Name: name}, nil
	}
	args, err := writtenArgs(in, t.Args.Args)
	if err != nil {
		return nil, err
	}
	if _, ok := library.MadeSequences[name]; ok && library.InMetal(t.Path) {
		return madeSequence(in, name, args, t.At.Pos)
	}
	if want, ok := library.PlainTemplates[name]; !ok || want != len(args) {
		return nil, unknownType(t, t.Path, "unknown type %s<...>")
	}
	tn, err := in.R.Syntax.Type(args[0].tokens.List)
	if err != nil {
		return nil, err
	}
	e, err := args[0].in.FullType(tn.Type, tn.Pointers, tn.Dims)
	if err != nil {
		return nil, err
	}
	sizes := make([]int, len(args)-1)
	for i := range sizes {
		if sizes[i], err = args[i+1].in.Count(args[i+1].tokens); err != nil {
			return nil, err
		}
	}
	scalar := e.Kind == tree.Scalar && !e.Atomic
	switch name {
	case library.ListName:
		if e.Size == 0 || Opaque(e) {
			return nil, Errorf(t.At.Pos, "%s<%s> is no type", name, e)
		}
		return in.R.ListType(e), nil
	case "uniform": // a value that all threads of a simd-group have in common
		return e, nil
	case "vec", "packed_vec":
		n := sizes[0]
		if n == 1 && scalar {
			return e, nil
		}
		prefix := strings.TrimSuffix(name, "vec")
		if v := tree.Named(fmt.Sprintf("%s%s%d", prefix, e.Scalar.String(), n)); v != nil && scalar {
			return v, nil
		}
		if scalar && name == "vec" && (n == 8 || n == 16) { // as Metal 4 has them
			return tree.VectorType(e.Scalar, n), nil
		}
		return nil, Errorf(t.At.Pos, "%s<%s, %d> is no vector type", name, e, n)
	case "array":
		a, err := in.R.Array(e, sizes[0], t.At.Pos)
		if err == nil {
			a.Name = "array"
		}
		return a, err
	case "matrix":
		cols, rows := sizes[0], sizes[1]
		if scalar && e.Scalar.Floating() && cols >= 2 && cols <= 4 && rows >= 2 && rows <= 4 {
			return tree.MatrixOf(tree.Named(fmt.Sprintf("%s%d", e.Scalar.String(), rows)), cols), nil
		}
		return nil, Errorf(t.At.Pos, "matrix<%s, %d, %d> is no matrix type", e, cols, rows)
	}
	if name == "simdgroup_matrix" {
		if m := tree.Named("simdgroup_" + e.Scalar.String() + "8x8"); m != nil && scalar && sizes[0] == 8 && sizes[1] == 8 {
			return m, nil
		}
		return nil, Errorf(t.At.Pos, "simdgroup_matrix<%s, %d, %d> is no matrix type", e, sizes[0], sizes[1])
	}
	if a := tree.Named("atomic_" + e.Scalar.String()); a != nil && scalar {
		return a, nil
	}
	return nil, Errorf(t.At.Pos, "atomic<%s> is no type", e)
}

// Incomplete reports whether a type may be pointed to but has no layout: a
// struct from within itself, or one that is only declared by `struct Q;`.
func (in Env) Incomplete(t *parser.Type) bool {
	if s := in.Lookup(t.Path); s != nil {
		return s.State == Resolving && s.Structure != nil
	}
	return len(t.Path) > 0 && in.R.forward[t.Path[len(t.Path)-1]]
}

// FullType is a type with its pointers and array dimensions.
func (in Env) FullType(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim) (*tree.Type, error) {
	var typ *tree.Type
	var err error
	switch s := in.Lookup(t.Path); {
	case len(pointers) > 0 && s != nil && s.isOpen(): // a struct has pointers to its like
		typ = s.typ
	case len(pointers) > 0 && in.Incomplete(t):
		typ = &tree.Type{Kind: tree.Opaque, Name: strings.Join(t.Path, "::")}
	default:
		if typ, err = in.QualifiedType(t); err != nil {
			return nil, err
		}
	}
	if len(pointers) == 0 {
		typ = typ.Unqualified()
	}
	return WithDims(in, PointersTo(typ, pointers, SpaceOf(t), IsConst(t)), dims)
}

// PointersTo applies the * and & after a type, which is in an address space.
func PointersTo(typ *tree.Type, pointers []*parser.Pointer, space string, constant bool) *tree.Type {
	if typ.Kind == tree.Qualified {
		space, constant, typ = cmp.Or(space, typ.Space), constant || typ.Const, typ.Elem
	}
	for _, ptr := range pointers {
		if space == "" {
			space = "thread"
		}
		typ = tree.PointerTo(typ, space, constant)
		if ptr.Op != "*" {
			break
		}
		// what stands after the * is about the pointer itself
		constant, space = slices.Contains(ptr.Quals, "const"), ""
		for _, q := range ptr.Quals {
			if Spaces[q] {
				space = q
			}
		}
	}
	return typ
}

// WithDims is the array of such elements.
func WithDims(in Env, typ *tree.Type, dims []*parser.Dim) (*tree.Type, error) {
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].Size == nil {
			return nil, Errorf(dims[i].Pos, "an array needs its size here")
		}
		n, err := in.Count(dims[i].Size)
		if err != nil {
			return nil, err
		}
		if typ, err = in.R.Array(typ, n, dims[i].Pos); err != nil {
			return nil, err
		}
	}
	return typ, nil
}

// Array is an array of n elements, unless it is too large.
func (r *Resolver) Array(elem *tree.Type, n int, pos parser.Pos) (*tree.Type, error) {
	switch {
	case incompleteStruct(elem):
		return nil, containsItself(elem)
	case Opaque(elem):
		return nil, UnsupportedError(pos, "an array has elements of type %s, which metalgen does not bind", elem)
	case elem.Size == 0:
		return nil, Errorf(pos, "an array cannot have elements of type %s", elem)
	case n > maxTypeSize/elem.Size:
		return nil, Errorf(pos, "an array of %d elements of %s is too large", n, elem)
	}
	return tree.ArrayOf(elem, n), nil
}

// Count evaluates a constant expression that must be a positive integer.
func (in Env) Count(e *parser.Tokens) (int, error) {
	v, err := in.Constant(e)
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if !ok || n < 1 || n > maxTypeSize {
		return 0, Errorf(e.Pos, "a size must be a positive integer, this is %s", v)
	}
	return int(n), nil
}

// Spaces are the address spaces of section 4.
var Spaces = map[string]bool{"device": true, "constant": true, "threadgroup": true, "thread": true,
	"threadgroup_imageblock": true, "object_data": true, "ray_data": true}

// SpaceOf is the address space that a type's qualifiers name, or "".
//
// Beside another one, thread says where the pointer itself is: that is the space of
// plain C, which no type has in Metal's compiler.
func SpaceOf(t *parser.Type) string {
	space := ""
	for _, list := range [][]string{t.Pre, t.Post} {
		for _, q := range list {
			if Spaces[q] && (space == "" || space == "thread") {
				space = q
			}
		}
	}
	return space
}

// otherSpace is an address space besides the one of SpaceOf, or "". It is a mistake.
func otherSpace(t *parser.Type) string {
	if len(t.Pre)+len(t.Post) < 2 {
		return ""
	}
	one := SpaceOf(t)
	for _, list := range [][]string{t.Pre, t.Post} {
		for _, q := range list {
			if Spaces[q] && q != one && q != "thread" {
				return q
			}
		}
	}
	return ""
}

const selfContained = "struct %s contains itself"

// incompleteStruct reports whether a type is a struct that is not laid out yet, or
// could not be.
func incompleteStruct(t *tree.Type) bool { return t.Kind == tree.StructType && t.Size == 0 }

func containsItself(t *tree.Type) error { return Errorf(t.Struct.Pos, selfContained, t.Name) }

// SymbolType is the type that a symbol names.
func (in Env) SymbolType(s *Symbol) (*tree.Type, error) {
	if !s.Local {
		in = in.At(nil)
	}
	switch s.State {
	case Resolved:
		return s.typ, nil
	case Broken:
		return nil, s.Err
	case Resolving:
		if s.Structure != nil {
			return nil, Errorf(s.Pos, selfContained, s.Name)
		}
		return nil, Errorf(s.Pos, "type %s is defined by itself", s.Name)
	}
	if err := in.R.Work.Wait(s.Name, s.Pos); err != nil {
		return nil, err
	}
	s.State = Resolving
	var err error
	switch {
	case s.Structure != nil:
		s.typ, err = in.layout(s)
	case s.Enum != nil:
		s.typ, err = enumType(in, s)
	case s.Aliased.Params != nil:
		err = UnsupportedError(s.Pos, "%s is a pointer to a function, which metalgen does not bind", s.Name)
	default:
		s.typ, err = aliasType(in.From(s.Namespace), s.Aliased)
	}
	in.R.Work.Resumes()
	if err != nil {
		s.State, s.Err = Broken, err
		if !errors.As(err, new(Unsupported)) {
			in.R.breakType(s, err)
		}
		return nil, s.Err
	}
	s.State = Resolved
	return s.typ, nil
}

// aliasType is the type that a typedef or using names.
func aliasType(in Env, a *Alias) (*tree.Type, error) {
	if len(a.attributes)+len(a.Pointers)+len(a.dims) == 0 {
		return in.QualifiedType(a.Type)
	}
	t, err := in.FullType(a.Type, a.Pointers, a.dims)
	if err != nil {
		return nil, err
	}
	for _, attr := range in.R.Source.Attributes(a.attributes) {
		if strings.Trim(attr.Name, "_") != "ext_vector_type" || len(attr.Args) != 1 {
			continue
		}
		n, err := in.Count(attr.Args[0])
		switch {
		case err != nil:
			return nil, ErrorAt(err, a.Type.At.Pos)
		case !types.Arithmetic(t):
			return nil, Errorf(a.Type.At.Pos, "a vector has elements of a scalar type, not %s", t.Spelled())
		case n > tree.MaxVector:
			return nil, UnsupportedError(a.Type.At.Pos, "metalgen has vectors of up to %d elements, not of %d",
				tree.MaxVector, n)
		case n > 1:
			return tree.VectorType(t.Scalar, n), nil
		}
	}
	return t, nil
}

// breakType enters the error of a type. It is not that of where the type is first
// needed, which may be an expression whose errors nobody reports: that of a type of
// a body is its function's, that of a type of the file everybody's.
func (r *Resolver) breakType(s *Symbol, err error) {
	if err == ErrDependent {
		return
	}
	list := s.Errs
	if list == nil {
		list = &r.Types.Errs
		r.Types.Broken = append(r.Types.Broken, s)
	}
	n := len(*list)
	Report(list, err, s.Pos)
	if s.Instance != nil {
		inInstance((*list)[n:], s.Name)
	}
	s.Err = ErrReported
}

// IsConst reports whether a type is written with const.
func IsConst(t *parser.Type) bool {
	return slices.Contains(t.Pre, "const") || slices.Contains(t.Post, "const")
}

// opaqueType is the type that such a name stands for by itself.
func opaqueType(k tree.Kind, name string, pos parser.Pos) (*tree.Type, error) {
	switch k {
	case tree.Sampler:
		return tree.SamplerType, nil
	case tree.Texture:
		return nil, Errorf(pos, "%s needs the type of its elements, as in %s<float>", name, name)
	}
	return &tree.Type{Kind: k, Name: name}, nil
}
