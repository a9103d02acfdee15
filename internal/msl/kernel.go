package msl

import (
	"errors"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
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
	// globals are the variables of the program that are its last arguments.
	globals []*resolve.GlobalArg
}

// kernel analyses one kernel and adds it to the program.
func (p *Program) kernel(d *parser.Decl) {
	f := d.Function
	attributes := p.Tree.Attributes(f.Attributes, f.After)
	named := slices.ContainsFunc(attributes, func(a *parser.Attribute) bool { return a.Name == "host_name" })
	if d.Template != nil && !named {
		return // a specialisation: Metal exports it under the name that an instantiation gives it
	}
	k := &tree.Kernel{Name: resolve.Qualify(d.Namespace, f.Name), Decl: d, Pos: f.Pos}
	p.addKernel(&kernel{Kernel: k, syntax: f, namespace: d.Namespace})
}

// addKernel analyses the signature of a kernel and adds it to the program.
func (p *Program) addKernel(k *kernel) {
	in := p.resolver.At(k.namespace)
	in.Errs = &k.Errors
	p.kernels[k.Kernel] = k
	k.globals = p.globalArgsOf(k)
	kernelReader{in, k}.read()
	p.Kernels = append(p.Kernels, k.Kernel)
}

// kernelReader reads the signature of a kernel.
type kernelReader struct {
	in resolve.Env
	k  *kernel
}

func (r kernelReader) read() {
	k, f := r.k, r.k.syntax
	if len(f.Pointers) > 0 || len(f.Result.Path) != 1 || f.Result.Path[0] != "void" {
		r.in.Errs.Add(f.Result.Pos, "kernel %s must return void", f.Name)
	}
	r.attributes()
	r.params()
	if !k.Unbound {
		r.globalParams()
	}
	if len(k.Errors) == 0 {
		(&indexer{kernel: k.Name, errs: r.in.Errs, taken: map[slot]*tree.Param{}}).assign(k.Params)
		r.asserts()
	}
}

// attributes reads the attributes of the kernel itself.
func (r kernelReader) attributes() {
	k, f := r.k, r.k.syntax
	for _, a := range r.in.R.Source.Attributes(f.Attributes, f.After) {
		if a.Name == "max_total_threads_per_threadgroup" && len(a.Args) == 1 {
			n, err := r.in.Count(a.Args[0])
			if err != nil {
				r.in.Report(resolve.ErrorAt(err, f.Pos), f.Pos)
			}
			k.MaxThreads = n
		}
		if a.Name == "host_name" && len(a.Args) == 1 && k.Template == nil {
			if name := parser.Unquote(a.Args[0].List); name != "" {
				k.Name, k.HostName = name, true
			}
		}
	}
}

// params reads the arguments, up to the first that metalgen cannot bind yet.
func (r kernelReader) params() {
	k := r.k
	if takesVoid(k.syntax) {
		return
	}
	names := map[string]bool{}
	for _, syntax := range k.syntax.Params {
		a := r.readParam(syntax)
		if k.Unbound {
			return
		}
		if a == nil {
			continue
		}
		if a.Name != "" && names[a.Name] {
			r.in.Errs.Add(a.Pos, "kernel %s has two arguments %s", k.Name, a.Name)
		}
		names[a.Name] = true
		k.Params = append(k.Params, a.Param)
	}
}

// readParam reads one argument; nil where there is an error, or where metalgen cannot bind it.
func (r kernelReader) readParam(syntax *parser.Param) *argument {
	a, err := r.param(syntax)
	if u := (resolve.Unsupported{}); errors.As(err, &u) {
		r.in.Errs.WarnOf(u.At.Msg, syntax.Pos, "kernel %s is left out: %s", r.k.Name, u.At.Msg)
		r.k.Unbound, r.k.Reason = true, u.At.Msg
		return nil
	}
	if err != nil {
		r.in.Report(err, syntax.Pos)
		return nil
	}
	return a
}

// takesVoid reports whether a function is written f(void).
func takesVoid(f *parser.Function) bool {
	if len(f.Params) != 1 {
		return false
	}
	p := f.Params[0]
	return p.Declarator == nil && len(p.Pointers) == 0 && slices.Equal(p.Type.Path, []string{"void"})
}

func (r kernelReader) param(syntax *parser.Param) (*argument, error) {
	a := &argument{Param: &tree.Param{Pos: syntax.Pos, First: syntax.Pos, Index: -1}, pointers: syntax.Pointers}
	var dims []*parser.Dim
	var after []string
	if d := syntax.Declarator; syntax.Pack || d != nil && d.Params != nil {
		return nil, resolve.Errorf(syntax.Pos, "a kernel cannot take a pack or a function")
	}
	if d := syntax.Declarator; d != nil {
		a.Name, a.Pos, dims, after = d.Name, d.Pos, d.Dims, d.After
		if d.Inner != nil {
			a.Name, a.pointers = d.Inner.Name, append(a.pointers, d.Inner.Ptr...)
		}
	}
	a.Space, a.Const = resolve.SpaceOf(syntax.Type), resolve.IsConst(syntax.Type)
	if err := r.paramType(a, syntax, dims); err != nil {
		return nil, err
	}
	a.indirect = len(a.pointers) > 0 || len(dims) > 0 || a.Pointer
	if err := r.paramAttributes(a, r.in.R.Source.Attributes(syntax.Before, after)); err != nil {
		return nil, err
	}
	return a, kindOf(a.Kind).checkType(a)
}

// maxPointers bounds the pointers to pointers of an argument.
const maxPointers = 16

// paramType resolves the element type and the form of an argument.
func (r kernelReader) paramType(a *argument, syntax *parser.Param, dims []*parser.Dim) error {
	elem, err := r.in.TypeOf(syntax.Type)
	if err != nil {
		return err
	}
	if r.in.R.Facts.IsTensor(elem) {
		return resolve.UnsupportedError(a.Pos, "argument %s: metalgen binds a tensor of the host where it is "+
			"written in the kernel itself as tensor<device half, dextents<int, 2>> or so: with a rank of 1 to 4, and with "+
			"extents that are all dynamic", a.Name)
	}
	if elem.Kind == tree.Pointer && len(a.pointers) == 0 { // a typedef of a pointer
		a.Space, a.Const, a.Pointer, elem = elem.Space, elem.Const, true, elem.Elem
	}
	if len(a.pointers) > maxPointers {
		return resolve.Errorf(a.pointers[1].Pos, "argument %s: a kernel takes pointers to pointers at most %d deep",
			a.Name, maxPointers)
	}
	if len(a.pointers) > 1 { // the elements are pointers
		whole := resolve.PointersTo(elem, a.pointers, a.Space, a.Const)
		elem, a.Space, a.Const = whole.Elem, whole.Space, whole.Const
	}
	a.Const = a.Const || a.Space == "constant"
	a.Type = elem
	reference := len(a.pointers) > 0 && a.pointers[len(a.pointers)-1].Op != "*"
	a.Pointer = a.Pointer || len(a.pointers) > 0 && !reference
	if len(dims) == 0 {
		return nil
	}
	if inner := syntax.Declarator.Inner; inner == nil {
		if len(a.pointers) > 0 {
			return resolve.Errorf(a.Pos, "argument %s: a kernel cannot take an array of pointers or references", a.Name)
		}
		// an array parameter is a pointer to its elements (C++14 8.3.5)
		a.Pointer = true
		dims = dims[1:]
	}
	a.Type, err = resolve.WithDims(r.in, elem, dims)
	return err
}

// paramAttributes applies the attributes of an argument.
func (r kernelReader) paramAttributes(a *argument, list []*parser.Attribute) error {
	found := ""
	for _, attr := range list {
		row := kindNamed(attr.Name)
		switch {
		case unboundAttributes[attr.Name]:
			return resolve.UnsupportedError(a.Pos, "argument %s: metalgen does not bind [[%s]] yet", a.Name, attr.Name)
		case row == nil && !ignoredAttributes[attr.Name]:
			return resolve.Errorf(a.Pos, "argument %s: unknown attribute %s", a.Name, attr.Name)
		case row == nil:
			if attr.Name == "function_constant" {
				a.Optional = true
				if len(attr.Args) == 1 {
					a.If = existsIf(r.in, attr.Args[0])
				}
			}
			continue
		case found != "":
			return resolve.Errorf(a.Pos, "argument %s has both [[%s]] and [[%s]]", a.Name, found, attr.Name)
		}
		if err := r.applyKind(a, row, attr); err != nil {
			return err
		}
		found = attr.Name
	}
	if found == "" {
		a.Kind = impliedKind(a)
	}
	return nil
}

// applyKind applies the attribute that says the kind of an argument.
func (r kernelReader) applyKind(a *argument, row *argKind, attr *parser.Attribute) error {
	a.Kind = row.kind
	if row.indexes == 0 {
		a.Attribute = attr.Name
		if len(attr.Args) > 0 {
			return resolve.Errorf(a.Pos, "argument %s: [[%s]] takes no value", a.Name, attr.Name)
		}
		return nil
	}
	if len(attr.Args) != 1 {
		return resolve.Errorf(a.Pos, "argument %s: [[%s]] needs an index, as in [[%s(0)]]", a.Name, attr.Name,
			attr.Name)
	}
	v, err := r.in.Constant(attr.Args[0])
	if err != nil {
		return resolve.ErrorAt(err, a.Pos)
	}
	n, ok := v.Int()
	if !ok || n < 0 || n >= int64(row.indexes) {
		return resolve.Errorf(a.Pos, "argument %s: [[%s(%s)]]: the index must be 0 to %d", a.Name, attr.Name, v,
			row.indexes-1)
	}
	a.Index, a.Explicit = int(n), true
	return nil
}

// unboundAttributes say that an argument comes from where metalgen passes nothing: from buffers of vertices, or from
// the tile that a render pipeline works on.
var unboundAttributes = library.WordSet(`stage_in payload imageblock_data tile_index
	pixel_position_in_tile pixels_per_tile render_target_array_index`)

// ignoredAttributes change nothing about how an argument is passed.
var ignoredAttributes = map[string]bool{
	"maybe_unused": true, "function_constant": true, "coherent": true, "raster_order_group": true,
	"access": true, "user": true, "unused": true, "nodiscard": true,
}
