package msl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// errReported stands for an error that has been added to the list already.
var errReported = errors.New("reported")

// errDependent stands for no error: what is asked for depends on the parameters of a
// template, of which nothing is known yet (vet.go).
var errDependent = fmt.Errorf("dependent: %w", errReported)

// unsupported is an error about what Metal allows and metalgen does not bind
// yet: kernels that need it are left out, with a warning.
type unsupported struct{ at *parser.Error }

func (e unsupported) Error() string { return e.at.Error() }

func (e unsupported) Unwrap() error { return e.at }

func unsupportedError(pos parser.Pos, format string, args ...any) error {
	return unsupported{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Unsupported: true}}
}

// posError is an error with its position.
func posError(pos parser.Pos, format string, args ...any) error {
	return &parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// errorList is a list of one error.
func errorList(err error) parser.ErrorList {
	var list parser.ErrorList
	report(&list, err, parser.Pos{})
	return list
}

// report adds err to a list, once.
func report(list *parser.ErrorList, err error, pos parser.Pos) {
	if errors.Is(err, errReported) {
		return
	}
	if several := (parser.ErrorList)(nil); errors.As(err, &several) {
		*list = append(*list, several...)
		return
	}
	var e *parser.Error
	if errors.As(err, &e) {
		if e.Pos.Line == 0 {
			e.Pos = pos
		}
		*list = append(*list, e)
		return
	}
	list.Add(pos, "%s", err)
}

// opaqueTypes are types of the library without a layout in memory, by the first part of
// their name.
var opaqueTypes = makeOpaqueTypes()

func makeOpaqueTypes() map[string]tree.Kind {
	m := map[string]tree.Kind{"sampler": tree.Sampler}
	for name := range textureTypes {
		m[name] = tree.Texture
	}
	for name := range strings.FieldsSeq(`imageblock command_buffer compute_pipeline_state render_pipeline_state
		primitive_acceleration_structure instance_acceleration_structure acceleration_structure
		intersection_function_table visible_function_table patch_control_point mesh_grid_properties os_log
		array_ref rasterization_rate_map_data rasterization_rate_map_decoder`) {
		m[name] = tree.Opaque
	}
	return m
}

// opaqueType is the type that such a name stands for by itself.
func opaqueType(k tree.Kind, name string, pos parser.Pos) (*tree.Type, error) {
	switch k {
	case tree.Sampler:
		return tree.SamplerType, nil
	case tree.Texture:
		return nil, posError(pos, "%s needs the type of its elements, as in %s<float>", name, name)
	}
	return &tree.Type{Kind: k, Name: name}, nil
}

// typeOf resolves a written type as seen from a namespace.
func (in env) typeOf(t *parser.Type) (*tree.Type, error) {
	typ, err := in.namedType(t, false)
	if err != nil {
		return nil, err
	}
	return typ.Unqualified(), nil
}

// namedType is typeOf. Where open is set, a struct that is being laid out will do.
func (in env) namedType(t *parser.Type, open bool) (*tree.Type, error) {
	if len(t.Words) > 0 {
		name := strings.Join(t.Words, " ")
		if b := tree.Named(name); b != nil {
			return b, nil
		}
		return nil, posError(t.At.Pos, "unknown type %s", name)
	}
	if t.Decltype != nil {
		return in.decltypeOf(t)
	}
	if t.Args != nil {
		return in.templateType(t, open)
	}
	path := append(slices.Clip(t.Path), t.Member...)
	if in.vetting && len(path) == 1 && slices.Contains(t.Pre, "typename") {
		return nil, posError(t.At.Pos, "typename needs a qualified name behind it, as in typename T::%s", path[0])
	}
	if len(path) == 0 {
		return nil, posError(t.At.Pos, "expected a type")
	}
	if s := in.lookup(path); s != nil && s.isType() {
		if open && s.isOpen() {
			return s.typ, nil
		}
		return in.symbolType(s)
	}
	path = in.throughUsing(path)
	name := path[len(path)-1]
	if rest, _ := path.Rooted(); len(rest) == 1 || len(rest) == 2 && (rest[0] == "metal" || rest[0] == "simd") {
		if b := tree.Named(name); b != nil && !(inLibrary(name) && in.hides(path)) {
			return b, nil
		}
	}
	if k, ok := opaqueTypes[name]; ok && inMetal(path) && !in.hides(path) {
		return opaqueType(k, name, t.At.Pos)
	}
	if lib := libraryType(path); lib != nil {
		if in.hides(path) {
			return nil, posError(t.At.Pos, "unknown type %s", metalName(path))
		}
		return lib, nil
	}
	if inLibrary(name) && in.hides(path) {
		return nil, posError(t.At.Pos, "unknown type %s", metalName(path))
	}
	if m := namedMember(path); m != nil && !in.hides(path) {
		return m, nil
	}
	return nil, unknownType(t, path, "unknown type %s")
}

// unknownType is the error of a type without a meaning, which may be Metal's own.
func unknownType(t *parser.Type, path parser.Path, format string) error {
	name := strings.Join(path, "::")
	if beyondType(path) {
		return unsupportedError(t.At.Pos, format, name)
	}
	return posError(t.At.Pos, format, name)
}

// plain reports a type that points to an array or a function.
func plain(t *parser.TypeName) error {
	if t.Abstract != nil || t.Params != nil {
		return unsupportedError(t.Type.At.Pos, "pointers and references to arrays and functions are not supported here")
	}
	return nil
}

// isOpen reports whether the symbol is a struct that is being laid out.
func (s *symbol) isOpen() bool { return s.structure != nil && s.state == resolving && s.typ != nil }

// isType reports whether the symbol names a type.
func (s *symbol) isType() bool { return s.structure != nil || s.enum != nil || s.aliased != nil }

// plainTemplates are the templates of the library that name plain types, with
// the number of their arguments: a type, then sizes.
var plainTemplates = map[string]int{"vec": 2, "packed_vec": 2, "array": 2, "matrix": 3, "simdgroup_matrix": 3,
	"atomic": 1, "_atomic": 1, "uniform": 1, listName: 1}

// templateType resolves a template-id, with the names behind it.
func (in env) templateType(t *parser.Type, open bool) (*tree.Type, error) {
	if in.open {
		if s := in.lookup(t.Path[:1]); s != nil && s.err == errDependent {
			return nil, errDependent
		}
	}
	if path := in.throughUsing(t.Path); !slices.Equal(path, t.Path) {
		of := *t
		of.Path, t = path, &of
	}
	open = open && len(t.Member) == 0 && len(t.Rest) == 0
	typ, err := in.classType(t.Path, t.Args, t.At.Pos, open)
	if typ == nil && err == nil && len(t.Path) > 1 {
		typ, err = in.scopedTemplate(t)
	}
	if typ == nil && err == nil {
		typ, err = in.traitType(t)
	}
	if typ == nil && err == nil {
		typ, err = in.plainTemplate(t)
	}
	if err != nil || len(t.Member) == 0 && len(t.Rest) == 0 {
		return typ, err
	}
	return in.restType(typ, t.Member, t.Rest, t.At.Pos)
}

// scopedTemplate resolves A::X<float>, A being the name of a struct; nil where it
// is none.
func (in env) scopedTemplate(t *parser.Type) (*tree.Type, error) {
	last := len(t.Path) - 1
	s := in.lookup(t.Path[:last])
	if s == nil || !s.isType() {
		return nil, nil
	}
	outer, err := in.symbolType(s)
	if err != nil {
		return nil, err
	}
	return in.memberTemplate(outer, t.Path[last], t.Args, t.At.Pos)
}

// plainTemplate resolves the templates of the library that name plain types.
func (in env) plainTemplate(t *parser.Type) (*tree.Type, error) {
	name := t.Path[len(t.Path)-1]
	if (plainTemplates[name] > 0 || inLibrary(name)) && in.hides(t.Path) {
		return nil, posError(t.At.Pos, "unknown type %s<...>", metalName(t.Path))
	}
	switch k := opaqueTypes[name]; k {
	case tree.Texture:
		return in.textureType(t, name)
	case tree.Opaque:
		return &tree.Type{Kind: k, Name: name}, nil
	}
	args, err := in.writtenArgs(t.Args.Args)
	if err != nil {
		return nil, err
	}
	if _, ok := madeSequences[name]; ok && inMetal(t.Path) {
		return in.madeSequence(name, args, t.At.Pos)
	}
	if want, ok := plainTemplates[name]; !ok || want != len(args) {
		return nil, unknownType(t, t.Path, "unknown type %s<...>")
	}
	tn, err := in.syntax.typ(args[0].tokens.List)
	if err != nil {
		return nil, err
	}
	e, err := args[0].fullType(tn.Type, tn.Pointers, tn.Dims)
	if err != nil {
		return nil, err
	}
	sizes := make([]int, len(args)-1)
	for i := range sizes {
		if sizes[i], err = args[i+1].count(args[i+1].tokens); err != nil {
			return nil, err
		}
	}
	scalar := e.Kind == tree.Scalar && !e.Atomic
	switch name {
	case listName:
		if e.Size == 0 || opaque(e) {
			return nil, posError(t.At.Pos, "%s<%s> is no type", name, e)
		}
		return in.listType(e), nil
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
		return nil, posError(t.At.Pos, "%s<%s, %d> is no vector type", name, e, n)
	case "array":
		a, err := in.array(e, sizes[0], t.At.Pos)
		if err == nil {
			a.Name = "array"
		}
		return a, err
	case "matrix":
		cols, rows := sizes[0], sizes[1]
		if scalar && e.Scalar.Floating() && cols >= 2 && cols <= 4 && rows >= 2 && rows <= 4 {
			return tree.MatrixOf(tree.Named(fmt.Sprintf("%s%d", e.Scalar.String(), rows)), cols), nil
		}
		return nil, posError(t.At.Pos, "matrix<%s, %d, %d> is no matrix type", e, cols, rows)
	}
	if name == "simdgroup_matrix" {
		if m := tree.Named("simdgroup_" + e.Scalar.String() + "8x8"); m != nil && scalar && sizes[0] == 8 && sizes[1] == 8 {
			return m, nil
		}
		return nil, posError(t.At.Pos, "simdgroup_matrix<%s, %d, %d> is no matrix type", e, sizes[0], sizes[1])
	}
	if a := tree.Named("atomic_" + e.Scalar.String()); a != nil && scalar {
		return a, nil
	}
	return nil, posError(t.At.Pos, "atomic<%s> is no type", e)
}

// incomplete reports whether a type may be pointed to but has no layout: a
// struct from within itself, or one of which there is only `struct Q;`.
func (in env) incomplete(t *parser.Type) bool {
	if s := in.lookup(t.Path); s != nil {
		return s.state == resolving && s.structure != nil
	}
	return len(t.Path) > 0 && in.forward[t.Path[len(t.Path)-1]]
}

// fullType is a type with its pointers and array dimensions.
func (in env) fullType(t *parser.Type, pointers []*parser.Pointer, dims []*parser.Dim) (*tree.Type, error) {
	var typ *tree.Type
	var err error
	switch s := in.lookup(t.Path); {
	case len(pointers) > 0 && s != nil && s.isOpen(): // a struct has pointers to its like
		typ = s.typ
	case len(pointers) > 0 && in.incomplete(t):
		typ = &tree.Type{Kind: tree.Opaque, Name: strings.Join(t.Path, "::")}
	default:
		if typ, err = in.namedType(t, false); err != nil {
			return nil, err
		}
	}
	if len(pointers) == 0 {
		typ = typ.Unqualified()
	}
	return in.withDims(pointersTo(typ, pointers, spaceOf(t), isConst(t)), dims)
}

// pointersTo applies the * and & behind a type, which is in an address space.
func pointersTo(typ *tree.Type, pointers []*parser.Pointer, space string, constant bool) *tree.Type {
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
		// what stands behind the * is about the pointer itself
		constant, space = slices.Contains(ptr.Quals, "const"), ""
		for _, q := range ptr.Quals {
			if spaces[q] {
				space = q
			}
		}
	}
	return typ
}

// withDims is the array of such elements.
func (in env) withDims(typ *tree.Type, dims []*parser.Dim) (*tree.Type, error) {
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].Size == nil {
			return nil, posError(dims[i].Pos, "an array needs its size here")
		}
		n, err := in.count(dims[i].Size)
		if err != nil {
			return nil, err
		}
		if typ, err = in.array(typ, n, dims[i].Pos); err != nil {
			return nil, err
		}
	}
	return typ, nil
}

func (r *resolver) array(elem *tree.Type, n int, pos parser.Pos) (*tree.Type, error) {
	switch {
	case incompleteStruct(elem):
		return nil, containsItself(elem)
	case opaque(elem):
		return nil, unsupportedError(pos, "an array has elements of type %s, which metalgen does not bind", elem)
	case elem.Size == 0:
		return nil, posError(pos, "an array cannot have elements of type %s", elem)
	case n > maxTypeSize/elem.Size:
		return nil, posError(pos, "an array of %d elements of %s is too large", n, elem)
	}
	return tree.ArrayOf(elem, n), nil
}

// count evaluates a constant expression that must be a positive integer.
func (in env) count(e *parser.Tokens) (int, error) {
	v, err := in.constant(e)
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if !ok || n < 1 || n > maxTypeSize {
		return 0, posError(e.Pos, "a size must be a positive integer, this is %s", v)
	}
	return int(n), nil
}

// spaces are the address spaces of section 4.
var spaces = map[string]bool{"device": true, "constant": true, "threadgroup": true, "thread": true,
	"threadgroup_imageblock": true, "object_data": true, "ray_data": true}

// spaceOf is the address space that a type's qualifiers name, or "".
//
// Beside another one, thread says where the pointer itself is: that is the space of
// plain C, which no type has in Metal's compiler.
func spaceOf(t *parser.Type) string {
	space := ""
	for _, list := range [][]string{t.Pre, t.Post} {
		for _, q := range list {
			if spaces[q] && (space == "" || space == "thread") {
				space = q
			}
		}
	}
	return space
}

const selfContained = "struct %s contains itself"

// incompleteStruct reports whether a type is a struct that is not laid out yet, or
// could not be.
func incompleteStruct(t *tree.Type) bool { return t.Kind == tree.StructType && t.Size == 0 }

func containsItself(t *tree.Type) error { return posError(t.Struct.Pos, selfContained, t.Name) }

// symbolType is the type that a symbol names.
func (in env) symbolType(s *symbol) (*tree.Type, error) {
	if !s.local {
		in = in.at(nil)
	}
	switch s.state {
	case resolved:
		return s.typ, nil
	case broken:
		return nil, s.err
	case resolving:
		if s.structure != nil {
			return nil, posError(s.pos, selfContained, s.name)
		}
		return nil, posError(s.pos, "type %s is defined by itself", s.name)
	}
	if err := in.wait(s.name, s.pos); err != nil {
		return nil, err
	}
	s.state = resolving
	var err error
	switch {
	case s.structure != nil:
		s.typ, err = in.layout(s)
	case s.enum != nil:
		s.typ, err = in.enumType(s)
	case s.aliased.params != nil:
		err = unsupportedError(s.pos, "%s is a pointer to a function, which metalgen does not bind", s.name)
	default:
		s.typ, err = in.from(s.namespace).aliasType(s.aliased)
	}
	in.resumes()
	if err != nil {
		s.state, s.err = broken, err
		if !errors.As(err, new(unsupported)) {
			in.breakType(s, err)
		}
		return nil, s.err
	}
	s.state = resolved
	return s.typ, nil
}

// aliasType is the type that a typedef or using names.
func (in env) aliasType(a *alias) (*tree.Type, error) {
	if len(a.attributes)+len(a.pointers)+len(a.dims) == 0 {
		return in.namedType(a.typ, false)
	}
	t, err := in.fullType(a.typ, a.pointers, a.dims)
	if err != nil {
		return nil, err
	}
	for _, attr := range in.source.Attributes(a.attributes) {
		if strings.Trim(attr.Name, "_") != "ext_vector_type" || len(attr.Args) != 1 {
			continue
		}
		n, err := in.count(attr.Args[0])
		switch {
		case err != nil:
			return nil, at(err, a.typ.At.Pos)
		case !arithmetic(t):
			return nil, posError(a.typ.At.Pos, "a vector has elements of a scalar type, not %s", t.Spelled())
		case n > tree.MaxVector:
			return nil, unsupportedError(a.typ.At.Pos, "metalgen has vectors of up to %d elements, not of %d", tree.MaxVector, n)
		case n > 1:
			return tree.VectorType(t.Scalar, n), nil
		}
	}
	return t, nil
}

// breakType enters the error of a type. It is not that of where the type is first
// needed, which may be an expression whose errors nobody reports: that of a type of
// a body is its function's, that of a type of the file everybody's.
func (r *resolver) breakType(s *symbol, err error) {
	if err == errDependent {
		return
	}
	list := s.errs
	if list == nil {
		list = &r.types.errs
		r.types.broken = append(r.types.broken, s)
	}
	n := len(*list)
	report(list, err, s.pos)
	if s.instance != nil {
		inInstance((*list)[n:], s.name)
	}
	s.err = errReported
}

func isConst(t *parser.Type) bool {
	return slices.Contains(t.Pre, "const") || slices.Contains(t.Post, "const")
}
