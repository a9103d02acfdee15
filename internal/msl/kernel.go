package msl

import (
	"errors"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// kernel is a Kernel with what its analysis needs of it.
type kernel struct {
	*tree.Kernel
	syntax    *parser.Function
	namespace []string // that its types and constants are seen from
	// instantiation is what makes the kernel of a template, or nil.
	instantiation *parser.Decl
}

// builtinArgs are the attributes of kernel inputs (section 5.2.3.6, table
// 5.8), with the number of components their types may have.
var builtinArgs = map[string]int{
	"thread_position_in_grid": 3, "thread_position_in_threadgroup": 3, "threadgroup_position_in_grid": 3,
	"threads_per_grid": 3, "threads_per_threadgroup": 3, "threadgroups_per_grid": 3,
	"dispatch_threads_per_threadgroup": 3, "grid_origin": 3, "grid_size": 3,
	"thread_index_in_threadgroup": 1, "thread_index_in_simdgroup": 1, "simdgroup_index_in_threadgroup": 1,
	"simdgroups_per_threadgroup": 1, "threads_per_simdgroup": 1, "thread_execution_width": 1,
	"dispatch_simdgroups_per_threadgroup": 1, "dispatch_quadgroups_per_threadgroup": 1,
	"quadgroup_index_in_threadgroup": 1, "thread_index_in_quadgroup": 1, "quadgroups_per_threadgroup": 1,
}

// indexAttributes are the attributes that give an index, with the highest one
// (Metal feature set tables, "function arguments").
var indexAttributes = map[string]struct {
	kind tree.ParamKind
	max  int
}{
	"buffer":      {tree.BufferParam, 30},
	"texture":     {tree.TextureParam, 127},
	"sampler":     {tree.SamplerParam, 15},
	"threadgroup": {tree.ThreadgroupParam, 30},
}

// kernel analyses one kernel and adds it to the program if it is sound.
func (p *Program) kernel(d *parser.Decl) {
	f := d.Function
	if d.Template != nil && !slices.ContainsFunc(p.Tree.Attributes(f.Attributes, f.After), func(a *parser.Attribute) bool { return a.Name == "host_name" }) {
		return // a specialisation: Metal exports it under the name that an instantiation gives it
	}
	p.addKernel(&kernel{Kernel: &tree.Kernel{Name: qualify(d.Namespace, f.Name), Decl: d, Pos: f.Pos}, syntax: f, namespace: d.Namespace})
}

// addKernel analyses the signature of a kernel.
func (p *Program) addKernel(k *kernel) {
	f := k.syntax
	errs := p.errs
	p.errs = nil
	defer func() { k.Errors, p.errs = p.errs, errs }()
	if len(f.Pointers) > 0 || len(f.Result.Path) != 1 || f.Result.Path[0] != "void" {
		p.errs.Add(f.Result.Pos, "kernel %s must return void", f.Name)
	}
	for _, a := range p.Tree.Attributes(f.Attributes, f.After) {
		if a.Name == "max_total_threads_per_threadgroup" && len(a.Args) == 1 {
			n, err := p.count(a.Args[0], k.namespace)
			if err != nil {
				p.report(at(err, f.Pos), f.Pos)
			}
			k.MaxThreads = n
		}
		if a.Name == "host_name" && len(a.Args) == 1 && k.Template == nil {
			if name := parser.Unquote(a.Args[0].List); name != "" {
				k.Name, k.HostName = name, true
			}
		}
	}
	names := map[string]bool{}
	for _, syntax := range f.Params {
		if len(f.Params) == 1 && syntax.Declarator == nil && len(syntax.Pointers) == 0 && len(syntax.Type.Path) == 1 && syntax.Type.Path[0] == "void" {
			break // f(void)
		}
		param, err := p.param(k, syntax)
		if u := (unsupported{}); errors.As(err, &u) {
			p.errs.Warn(syntax.Pos, "kernel %s is left out: %s", k.Name, u.at.Msg)
			k.Unbound, k.Reason = true, u.at.Msg
			break
		}
		if err != nil {
			p.report(err, syntax.Pos)
			continue
		}
		if param.Name != "" && names[param.Name] {
			p.errs.Add(param.Pos, "kernel %s has two arguments %s", k.Name, param.Name)
		}
		names[param.Name] = true
		k.Params = append(k.Params, param)
	}
	if len(p.errs) == 0 {
		p.assignIndexes(k.Kernel)
		p.kernelAsserts(k)
	}
	p.Kernels = append(p.Kernels, k.Kernel)
	p.facts.kernels[k.Kernel] = k
}

// at replaces the position of an error, which for what stands in an attribute
// counts from the attribute.
func at(err error, pos parser.Pos) error {
	if e, ok := err.(*parser.Error); ok {
		return &parser.Error{Pos: pos, Msg: e.Msg}
	}
	return err
}

func (p *Program) param(k *kernel, syntax *parser.Param) (*tree.Param, error) {
	param := &tree.Param{Pos: syntax.Pos, First: syntax.Pos, Index: -1}
	t, pointers := syntax.Type, syntax.Pointers
	var dims []*parser.Dim
	var after []string
	if d := syntax.Declarator; syntax.Pack || d != nil && d.Params != nil {
		return nil, posError(syntax.Pos, "a kernel cannot take a pack or a function")
	}
	if d := syntax.Declarator; d != nil {
		param.Name, param.Pos, dims, after = d.Name, d.Pos, d.Dims, d.After
		if d.Inner != nil {
			param.Name, pointers = d.Inner.Name, append(pointers, d.Inner.Ptr...)
		}
	}
	param.Space, param.Const = spaceOf(t), isConst(t)
	if err := p.paramType(k, param, syntax, pointers, dims); err != nil {
		return nil, err
	}
	if err := p.attributes(k, param, p.Tree.Attributes(syntax.Before, after)); err != nil {
		return nil, err
	}
	return param, checkParam(param, pointers, dims)
}

// paramType resolves the element type and the form of a parameter.
func (p *Program) paramType(k *kernel, param *tree.Param, syntax *parser.Param, pointers []*parser.Pointer, dims []*parser.Dim) error {
	ns := k.namespace
	elem, err := p.typeOf(syntax.Type, ns)
	if err != nil {
		return err
	}
	if elem.Kind == tree.Pointer && len(pointers) == 0 { // a typedef of a pointer
		param.Space, param.Const, param.Pointer, elem = elem.Space, elem.Const, true, elem.Elem
	}
	param.Const = param.Const || param.Space == "constant"
	param.Type = elem
	if len(pointers) > 1 {
		return posError(pointers[1].Pos, "argument %s: a kernel cannot take a pointer to a pointer", param.Name)
	}
	reference := len(pointers) == 1 && pointers[0].Op != "*"
	param.Pointer = param.Pointer || len(pointers) == 1 && !reference
	if len(dims) == 0 {
		return nil
	}
	if inner := syntax.Declarator.Inner; inner == nil {
		if len(pointers) > 0 {
			return posError(param.Pos, "argument %s: a kernel cannot take an array of pointers or references", param.Name)
		}
		// an array parameter is a pointer to its elements (C++14 8.3.5)
		param.Pointer = true
		dims = dims[1:]
	}
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].Size == nil {
			return posError(dims[i].Pos, "an array needs its size here")
		}
		n, err := p.count(dims[i].Size, ns)
		if err != nil {
			return err
		}
		if elem, err = p.array(elem, n, dims[i].Pos); err != nil {
			return err
		}
	}
	param.Type = elem
	return nil
}

// attributes applies the attributes of a parameter.
func (p *Program) attributes(k *kernel, param *tree.Param, list []*parser.Attribute) error {
	found := ""
	for _, a := range list {
		ix, indexed := indexAttributes[a.Name]
		_, builtin := builtinArgs[a.Name]
		switch {
		case !indexed && !builtin:
			if !ignoredAttributes[a.Name] {
				return posError(param.Pos, "argument %s: unknown attribute %s", param.Name, a.Name)
			}
			if a.Name == "function_constant" {
				param.Optional = true
				if len(a.Args) == 1 {
					param.If = p.condition(a.Args[0], k.namespace)
				}
			}
			continue
		case found != "":
			return posError(param.Pos, "argument %s has both [[%s]] and [[%s]]", param.Name, found, a.Name)
		case builtin:
			if len(a.Args) > 0 {
				return posError(param.Pos, "argument %s: [[%s]] takes no value", param.Name, a.Name)
			}
			param.Kind, param.Attribute = tree.BuiltinParam, a.Name
		default:
			if len(a.Args) != 1 {
				return posError(param.Pos, "argument %s: [[%s]] needs an index, as in [[%s(0)]]", param.Name, a.Name, a.Name)
			}
			v, err := p.constant(a.Args[0], k.namespace)
			if err != nil {
				return at(err, param.Pos)
			}
			n, ok := v.Int()
			if !ok || n < 0 || n > int64(ix.max) {
				return posError(param.Pos, "argument %s: [[%s(%s)]]: the index must be 0 to %d", param.Name, a.Name, v, ix.max)
			}
			param.Kind, param.Index, param.Explicit = ix.kind, int(n), true
		}
		found = a.Name
	}
	if found == "" {
		param.Kind = implicitKind(param)
	}
	return nil
}

// ignoredAttributes change nothing about how an argument is passed.
var ignoredAttributes = map[string]bool{
	"maybe_unused": true, "function_constant": true, "coherent": true, "raster_order_group": true,
	"access": true, "user": true, "unused": true, "nodiscard": true,
}

// implicitKind is the kind of a parameter whose attributes do not say it.
func implicitKind(param *tree.Param) tree.ParamKind {
	switch {
	case param.Type.Kind == tree.Texture:
		return tree.TextureParam
	case param.Type.Kind == tree.Sampler:
		return tree.SamplerParam
	case param.Space == "threadgroup":
		return tree.ThreadgroupParam
	}
	return tree.BufferParam
}

// checkParam holds a parameter's type against its kind.
func checkParam(param *tree.Param, pointers []*parser.Pointer, dims []*parser.Dim) error {
	name, t := param.Name, param.Type
	if name == "" {
		name = "without a name"
	}
	indirect := len(pointers) > 0 || len(dims) > 0 || param.Pointer
	switch param.Kind {
	case tree.BuiltinParam:
		n := builtinArgs[param.Attribute]
		scalar := t.Kind == tree.Scalar && (t.Scalar == tree.UInt || t.Scalar == tree.UShort)
		vector := t.Kind == tree.Vector && t.Len <= n && (t.Scalar == tree.UInt || t.Scalar == tree.UShort)
		if indirect || !scalar && !vector {
			want := "uint or ushort"
			if n == 3 {
				want = "uint, uint2, uint3 or their ushort kin"
			}
			return posError(param.Pos, "argument %s: [[%s]] must be %s, not %s", name, param.Attribute, want, typeName(param, pointers))
		}
	case tree.BufferParam:
		if t.Kind == tree.Opaque {
			return nil
		}
		if !indirect {
			return posError(param.Pos, "argument %s is passed by value but has no attribute that says where its value comes from; a scalar argument is a `constant %s&`", name, t)
		}
		if param.Space != "device" && param.Space != "constant" {
			return posError(param.Pos, "argument %s: a buffer must be in the device or constant address space", name)
		}
		if t.Kind == tree.Void && !param.Pointer || t.Kind == tree.Texture || t.Kind == tree.Sampler || t.Kind == tree.SimdgroupMatrix {
			return posError(param.Pos, "argument %s: a buffer cannot hold %s", name, t)
		}
	case tree.TextureParam, tree.SamplerParam:
		if want := opaqueKinds[param.Kind]; t.Kind != want {
			return posError(param.Pos, "argument %s: [[%s]] does not go with type %s", name, param.Kind, typeName(param, pointers))
		}
	case tree.ThreadgroupParam:
		if !indirect || param.Space != "threadgroup" {
			return posError(param.Pos, "argument %s: [[threadgroup]] needs a pointer or reference into threadgroup memory", name)
		}
		if t.Size == 0 {
			return posError(param.Pos, "argument %s: threadgroup memory cannot hold %s", name, t)
		}
	}
	return nil
}

var opaqueKinds = map[tree.ParamKind]tree.Kind{tree.TextureParam: tree.Texture, tree.SamplerParam: tree.Sampler}

// typeName is the parameter's type as written, with its * or &.
func typeName(param *tree.Param, pointers []*parser.Pointer) string {
	s := param.Type.String()
	for _, ptr := range pointers {
		s += ptr.Op
	}
	return s
}

// assignIndexes gives indexes to the parameters that have none. Per kind all
// explicit ones of the function come first; then each parameter without one
// takes the smallest that is free, in order of declaration (section 5.2.1).
func (p *Program) assignIndexes(k *tree.Kernel) {
	var taken [tree.BuiltinParam]map[int]*tree.Param
	for kind := range taken {
		taken[kind] = make(map[int]*tree.Param)
	}
	for _, param := range k.Params {
		if limit := indexAttributes[param.Kind.String()].max; param.Kind < tree.BuiltinParam && max(param.Index, 0)+slots(param)-1 > limit {
			p.errs.Add(param.Pos, "argument %s of kernel %s takes more than Metal's %d %s indexes", param.Name, k.Name, limit+1, param.Kind)
			return
		}
		if !param.Explicit {
			continue
		}
		for i := range slots(param) {
			if other := taken[param.Kind][param.Index+i]; other != nil {
				p.errs.Add(param.Pos, "arguments %s and %s of kernel %s both have [[%s(%d)]]", other.Name, param.Name, k.Name, param.Kind, param.Index+i)
				continue
			}
			taken[param.Kind][param.Index+i] = param
		}
	}
	for _, param := range k.Params {
		if param.Explicit || param.Kind == tree.BuiltinParam {
			continue
		}
		n := 0
		for free := 0; free < slots(param); n++ {
			if free++; taken[param.Kind][n] != nil {
				free = 0
			}
		}
		param.Index = n - slots(param)
		for i := range slots(param) {
			taken[param.Kind][param.Index+i] = param
		}
		if limit := indexAttributes[param.Kind.String()].max; param.Index+slots(param)-1 > limit {
			p.errs.Add(param.Pos, "kernel %s has more %s arguments than Metal's %d", k.Name, param.Kind, limit+1)
		}
	}
}

// slots is the number of indexes that a parameter takes: more than one only
// for arrays of textures and samplers.
func slots(param *tree.Param) int {
	if (param.Kind == tree.TextureParam || param.Kind == tree.SamplerParam) && param.Type.Len > 1 {
		return param.Type.Len
	}
	return 1
}
