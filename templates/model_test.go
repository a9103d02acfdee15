package templates

import (
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/internal/texture"
)

// Models, built by hand: the templates see nothing but a model.

var (
	u32  = binding.Uint32
	i32  = binding.Int32
	u64  = binding.Uint64
	f32  = binding.Float32
	f16  = binding.Float16
	bf16 = binding.BFloat16
	vec3 = binding.Vec3{Elem: f32}
)

func array(n int, elem binding.GoType) binding.GoType { return binding.Array{Len: n, Elem: elem} }

func op(x binding.Expr, op byte, y binding.Expr) binding.Expr {
	return &binding.Binary{Op: op, X: x, Y: y}
}

func fun(name string, args ...binding.Expr) binding.Expr {
	return &binding.Call{Func: name, Args: args}
}

func triple(x binding.Expr) [3]binding.Expr {
	return [3]binding.Expr{x, binding.Lit(1), binding.Lit(1)}
}

func line(line int) binding.Pos { return binding.Pos{Filename: "norm.metal", Line: line} }

// buffer is a device pointer to floats.
func buffer(index int, name, goName string, access binding.Access) *binding.Arg {
	return &binding.Arg{
		Name: name, Go: goName, Kind: binding.Buffer, Index: index, Pos: line(10 + index),
		Space: "device", Const: access == binding.Read, Pointer: true,
		Type: "float", GoType: f32, Size: 4, Align: 4, Access: access,
	}
}

// value is a constant reference to a uint.
func value(index int, name, goName string) *binding.Arg {
	return &binding.Arg{
		Name: name, Go: goName, Kind: binding.Value, Index: index, Pos: line(10 + index),
		Space: "constant", Const: true, Type: "uint", GoType: u32, Size: 4, Align: 4,
	}
}

// shared is a threadgroup pointer to floats.
func shared(index int, name, goName string) *binding.Arg {
	return &binding.Arg{
		Name: name, Go: goName, Kind: binding.Threadgroup, Index: index, Pos: line(20),
		Space: "threadgroup", Pointer: true, Type: "float", GoType: f32, Size: 4, Align: 4,
	}
}

func position(name string) *binding.Arg {
	return &binding.Arg{
		Name: name, Kind: binding.Builtin, Attribute: "threadgroup_position_in_grid", Type: "uint", GoType: u32,
	}
}

// shaped states the length of arg.
func shaped(arg *binding.Arg, text string, shape binding.Expr, doc string) *binding.Arg {
	arg.Shape, arg.Stated, arg.ShapeFrom, arg.Doc = shape, text, arg.Pos, doc
	return arg
}

func leaf(arg *binding.Arg) *binding.Leaf {
	return &binding.Leaf{Go: arg.Name, Text: arg.Name, Arg: arg, GoType: arg.GoType}
}

// fusedNorm is the kernel that the design shows.
func fusedNorm() *binding.Kernel {
	dimArg, rowsArg, eps := value(4, "dim", "Dim"), value(5, "rows", "Rows"), value(6, "eps", "Eps")
	eps.Type, eps.GoType = "float", f32
	dim, rows := leaf(dimArg), leaf(rowsArg)
	all := op(rows, '*', dim)
	sharedArg := shaped(shared(0, "shared", "Shared"), "tg_size", binding.TGSize{}, "")
	sharedArg.ShapeFrom = line(21)
	return &binding.Kernel{
		Name: "fused_norm_add_f32", Go: "FusedNormAddF32", Var: "fusedNormAddF32", Pos: line(24),
		Doc: []string{"FusedNormAddF32 adds the RMS-normalised, weighted input to the residual stream."},
		Args: []*binding.Arg{
			shaped(buffer(0, "residual", "Residual", binding.Read), "rows * dim", all, "residual stream"),
			shaped(buffer(1, "input", "Input", binding.Read), "rows * dim", all, "sublayer output"),
			shaped(buffer(2, "weight", "Weight", binding.Read), "dim", dim, "learned scale"),
			shaped(buffer(3, "output", "Output", binding.Write), "rows * dim", all, ""),
			dimArg, rowsArg, eps, sharedArg, position("row_id"),
		},
		Leaves: []*binding.Leaf{dim, rows},
		Geometry: &binding.Geometry{
			Threadgroups: triple(rows),
			Threads:      triple(fun("min", binding.Lit(256), fun("next_pow2", dim))),
			Text:         "(rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads",
			From:         line(19),
			Leaves:       []*binding.Leaf{dim, rows},
		},
	}
}

func source(name string, kernels ...*binding.Kernel) *binding.Source {
	return &binding.Source{
		File: name + ".metal", Stem: name, Ident: name,
		Flat: "#line 1 \"" + name + ".metal\"\n#include <metal_stdlib>\n", Kernels: kernels,
	}
}

func pkg(sources ...*binding.Source) *binding.Package {
	return &binding.Package{Name: "gen", Sources: sources}
}

// normPackage is the package that the design shows.
func normPackage() *binding.Package { return pkg(source("norm", fusedNorm())) }

// gridsPackage has a kernel for every way in which a grid is stated.
func gridsPackage() *binding.Package {
	s := source("grids")
	add := func(
		name, goName, text string, g *binding.Geometry, args []*binding.Arg, leaves ...*binding.Leaf,
	) *binding.Kernel {
		if g != nil {
			g.Text, g.From, g.Leaves = text, line(2), leaves
		}
		k := &binding.Kernel{
			Name: name, Go: goName, Var: name, Pos: line(3 + len(s.Kernels)),
			Args: append([]*binding.Arg{buffer(0, "x", "X", binding.ReadWrite)}, args...), Leaves: leaves, Geometry: g,
		}
		s.Kernels = append(s.Kernels, k)
		return k
	}
	one := triple(binding.Lit(1))

	add("unstated", "Unstated", "", nil, nil)
	add("fixed", "Fixed", "(8, 1, 1) threadgroups of (32, 1, 1) threads",
		&binding.Geometry{Threadgroups: triple(binding.Lit(8)), Threads: triple(binding.Lit(32))}, nil)

	n := value(1, "n", "N")
	add("exact", "Exact", "(n, 1, 1) threads in threadgroups of (256, 1, 1)",
		&binding.Geometry{Threadgroups: triple(fun("ceil_div", leaf(n), binding.Lit(256))), Threads: triple(binding.Lit(256)),
			Size: new(triple(leaf(n)))}, []*binding.Arg{n})
	k := s.Kernels[len(s.Kernels)-1]
	l := leaf(n)
	k.Leaves, k.Geometry.Leaves = []*binding.Leaf{l}, []*binding.Leaf{l}
	k.Geometry.Size[0] = l

	n = value(1, "n", "N")
	l = leaf(n)
	add("rounded", "Rounded", "(ceil_div(n, 256), 1, 1) threadgroups of (256, 1, 1) threads",
		&binding.Geometry{Threadgroups: triple(fun("ceil_div", l, binding.Lit(256))), Threads: triple(binding.Lit(256))},
		[]*binding.Arg{n}, l)

	n = value(1, "n", "N")
	n.GoType, n.Type, n.Size, n.Align = u64, "ulong", 8, 8
	l = leaf(n)
	add("wide", "Wide", "((n + 255) / 256, 1, 1) threadgroups of (256, 1, 1) threads",
		&binding.Geometry{Threadgroups: triple(op(op(l, '+', binding.Lit(255)), '/', binding.Lit(256))),
			Threads: triple(binding.Lit(256))}, []*binding.Arg{n}, l)

	n, m := value(1, "n", "N"), value(2, "grid", "Grid_")
	l, t := leaf(n), leaf(m)
	add("by_threads", "ByThreads", "(ceil_div(n, tg_size), 1, 1) threadgroups of (next_pow2(grid), 1, 1) threads",
		&binding.Geometry{Threadgroups: triple(fun("ceil_div", l, binding.TGSize{})), Threads: triple(fun("next_pow2", t))},
		[]*binding.Arg{n, m}, l, t)

	n, m = value(1, "n", "N"), value(2, "m", "M")
	l, t = leaf(n), leaf(m)
	add("exact_by_threads", "ExactByThreads", "(n * tg_size, 1, 1) threads in threadgroups of (m, 1, 1)",
		&binding.Geometry{Threadgroups: one, Threads: triple(t), Size: new(triple(op(l, '*', binding.TGSize{})))},
		[]*binding.Arg{n, m}, l, t)
	return pkg(s)
}

// argsPackage has a kernel for every kind of argument, and one whose names are in
// the way of generated code.
func argsPackage() *binding.Package {
	mode := &binding.Enum{
		Name: "mode", Go: "Mode", GoType: u32, Pos: line(3),
		Values: []binding.EnumValue{{Name: "fast", Go: "ModeFast", Value: "0", Doc: "no checks"},
			{Name: "exact", Go: "ModeExact", Value: "0x10"}},
	}
	kind := binding.FunctionConstant
	constants := &binding.Constants{Go: "ArgsConstants", Fields: []*binding.Arg{
		{Name: "has_mask", Go: "HasMask", Kind: kind, Type: "bool", GoType: binding.Bool, Size: 1,
			Doc: "whether mask is there"},
		{Name: "scale", Go: "Scale", Kind: kind, Type: "float3", GoType: vec3, Size: 16, Index: 3},
		{Name: "how", Go: "How", Kind: kind, Type: "mode", GoType: mode, Size: 4, Index: 4},
	}}
	params := value(3, "params", "Params")
	params.Type, params.Size = "P", 16
	count := value(4, "count", "Count")
	count.GoType, count.Type, count.Doc = i32, "int", "how many"
	x := buffer(0, "x", "X", binding.Read)
	x.Type, x.GoType, x.Size, x.Align = "half4", array(4, f16), 8, 8
	length := &binding.Leaf{Go: "xLen", Text: "len(x)", Arg: x, Method: "Len", GoType: binding.Int}
	dim := &binding.Leaf{Go: "dim", Text: "params.dim", Arg: params, Selector: ".Inner.Dim", GoType: u32}
	ne := &binding.Leaf{Go: "ne_1", Text: "params.ne[1]", Arg: params, Selector: ".Ne[1]", GoType: u32}
	n := leaf(count)
	table := shaped(buffer(1, "table", "Table", binding.Read), "64", binding.Lit(64), "sines")
	table.Space, table.Type, table.GoType, table.Size, table.Align = "constant", "bfloat", bf16, 2, 2
	counter := buffer(2, "counter", "Counter", binding.ReadWrite)
	counter.Pointer, counter.Type, counter.GoType = false, "atomic_uint", u32
	mask := shaped(buffer(5, "mask", "Mask", binding.Read), "count", n, "")
	mask.Optional = true
	scratch := shaped(shared(0, "scratch", "Scratch"), "2 * params.dim + params.ne[1]",
		op(op(binding.Lit(2), '*', dim), '+', ne), "partial sums")
	free := shared(1, "free", "Free")
	extra := shared(2, "extra", "Extra")
	extra.Optional = true
	single := shared(3, "single", "")
	single.Pointer = false
	every := &binding.Kernel{
		Name: "every", Go: "Every", Var: "every", Pos: line(30), Constants: constants, Uses: constants.Fields,
		Args: []*binding.Arg{shaped(x, "len(x)", length, ""), table, counter, params, count, scratch, mask, free, extra,
			single, position("id")},
		Leaves: []*binding.Leaf{length, dim, ne, n},
	}

	names := []string{"a", "b", "c", "runtime", "min", "type", "int", "taken", "a_"}
	taken := &binding.Kernel{Name: "taken", Go: "Taken", Var: "taken", Pos: line(40)}
	var sum binding.Expr = binding.Lit(1)
	for i, name := range names {
		arg := value(i+1, name, "V"+strconv.Itoa(i))
		l := leaf(arg)
		sum = fun("max", sum, l)
		taken.Args, taken.Leaves = append(taken.Args, arg), append(taken.Leaves, l)
	}
	taken.Args = append(taken.Args, shaped(buffer(0, "x", "X", binding.Write), "max(...)", sum, ""))
	taken.Geometry = &binding.Geometry{Threadgroups: triple(sum), Threads: triple(binding.Lit(32)),
		Text: "as many as it takes", Leaves: taken.Leaves}

	s := source("args", every, taken, texturedKernel(constants))
	s.Needs = binding.Needs{Major: 3, Minor: 1, What: "bfloat", Pos: line(3)}
	s.Constants = constants
	s.Enums = []*binding.Enum{mode}
	inner := &binding.Struct{Name: "Inner", Go: "Inner", Pos: line(5), Size: 4, Align: 4, Var: "innerFields",
		Fields: []*binding.Field{
			{Name: "dim", Go: "Dim", Type: "uint32_t", Plain: "uint", GoType: u32, Size: 4},
		}}
	params.Struct = &binding.Struct{Name: "P", Go: "P", Pos: line(8), Size: 16, Align: 4, Var: "pFields",
		Fields: []*binding.Field{
			{Name: "inner", Go: "Inner", Type: "Inner", Plain: "Inner", GoType: inner, Size: 4},
			{Name: "how", Go: "How", Type: "mode", Plain: "uint", GoType: mode, Offset: 4, Size: 4},
			{Name: "ne", Go: "Ne", Type: "uint[2]", Plain: "uint[2]", GoType: array(2, u32), Offset: 8, Size: 8},
		}}
	params.GoType = params.Struct
	counter.Type, counter.Struct = "Shared",
		&binding.Struct{Name: "Shared", Go: "Shared", Size: 4, Align: 4, Var: "sharedFields_", Fields: []*binding.Field{
			{Name: "n", Go: "N", Type: "atomic_uint", Plain: "atomic_uint", GoType: u32, Size: 4},
		}}
	scratch.Struct = inner
	linked := &binding.Struct{Name: "Linked", Go: "Linked", Pos: line(20), Size: 32, Align: 8, Var: "linkedFields"}
	linked.Fields = []*binding.Field{
		{Name: "value", Go: "Value", Type: "float", Plain: "float", GoType: f32, Size: 4},
		{Name: "next", Go: "Next", Type: "device Linked*", Plain: "device Linked*", GoType: binding.Pointer{Elem: linked},
			Offset: 8, Size: 8, Points: binding.ReadWrite, Doc: "the next one"},
		{Name: "of", Go: "Of", Type: "constant half*[2]", Plain: "constant half*[2]",
			GoType: array(2, binding.Pointer{Elem: f16}), Offset: 16, Size: 16, Points: binding.Read},
	}
	links := &binding.Struct{Name: "Links", Go: "Links", Pos: line(25), Size: 88, Align: 8, Var: "linksFields"}
	links.Fields = []*binding.Field{
		{Name: "l", Go: "L", Type: "Linked[2]", Plain: "Linked[2]", GoType: array(2, linked), Size: 64, Stride: 32},
		{Name: "out", Go: "Out", Type: "texture2d<half, access::write>[2]", Plain: "texture2d<half, access::write>[2]",
			GoType: array(2, binding.TextureRef{Texture: &binding.Basic{Pkg: binding.RuntimePath, Name: "Texture2D"}}),
			Offset: 64, Size: 16, Points: binding.Write, Texture: texture.Form2D, Texels: "FloatTexels"},
		{Name: "s", Go: "S", Type: "sampler", Plain: "sampler", GoType: binding.SamplerRef, Offset: 80, Size: 8},
	}
	s.Structs = []*binding.Struct{inner, params.Struct, linked, links}
	s.Layouts = []*binding.Struct{inner, params.Struct, counter.Struct, linked, links}
	return pkg(s)
}

// texturedKernel takes textures and samplers, by themselves and in arrays.
func texturedKernel(constants *binding.Constants) *binding.Kernel {
	textured := func(index int, name string, form texture.Form, access binding.Access) *binding.Arg {
		return &binding.Arg{Name: name, Go: strings.ToUpper(name[:1]) + name[1:], Kind: binding.Texture, Index: index,
			Pos: line(51 + index), Type: "texture",
			GoType:  &binding.Basic{Pkg: binding.RuntimePath, Name: "Texture" + form.GoName(), Size: 8},
			Texture: form, Texels: "FloatTexels", Access: access}
	}
	sampler := func(index int, name string) *binding.Arg {
		return &binding.Arg{Name: name, Go: strings.ToUpper(name[:1]) + name[1:], Kind: binding.Sampler, Index: index,
			Pos: line(60), Type: "sampler", GoType: &binding.Basic{Pkg: binding.RuntimePath, Name: "Sampler", Size: 8}}
	}
	src, dst := textured(0, "src", texture.Form2D, binding.Read), textured(1, "dst", texture.Form3D, binding.Write)
	src.Doc = "the picture"
	layers := textured(2, "layers", texture.Form2D, binding.ReadWrite)
	layers.Count, layers.GoType = 3, array(3, layers.GoType)
	mask := textured(5, "mask", texture.FormCube, binding.Read)
	mask.Optional, mask.If = true, &binding.Condition{Op: binding.IfTrue, Constant: constants.Fields[0]}
	extra := sampler(2, "extra")
	extra.Optional = true
	more := sampler(0, "more")
	more.Count, more.GoType, more.Doc = 2, array(2, more.GoType), "near and far"
	leaf := func(method string) *binding.Leaf {
		name := strings.ToLower(method)
		return &binding.Leaf{Go: name + "Dst", Text: name + "(dst)", Arg: dst, Method: method, GoType: binding.Int}
	}
	w, h, d := leaf("Width"), leaf("Height"), leaf("Depth")
	all := []*binding.Leaf{w, h, d}
	return &binding.Kernel{
		Name: "textured", Go: "Textured", Var: "textured", Pos: line(50), Constants: constants,
		Uses: constants.Fields[:1], Leaves: all,
		Args: []*binding.Arg{src, dst, layers, mask, more, extra, value(0, "n", "N")},
		Geometry: &binding.Geometry{Size: &[3]binding.Expr{w, h, op(d, '/', binding.Lit(2))},
			Threadgroups: [3]binding.Expr{w, h, d}, Threads: triple(binding.Lit(32)), Leaves: all,
			Text: "one thread for each of (width(dst), height(dst), depth(dst) / 2)"},
	}
}

// structsPackage has structs that need padding, or that Go cannot mirror field by
// field, in a source without kernels.
func structsPackage() *binding.Package {
	s := source("structs")
	packed := &binding.Struct{Name: "Packed", Go: "Packed", Pos: line(9), Size: 13, Align: 1, Fields: []*binding.Field{
		{Name: "tag", Go: "Tag", Type: "uchar", GoType: binding.Uint8, Size: 1},
		{Name: "at", Go: "At", Type: "ulong", GoType: u64, Offset: 1, Size: 8, Bytes: true, Doc: "where"},
		{Name: "n", Go: "N", Type: "uint", GoType: u32, Offset: 9, Size: 4, Bytes: true},
	}}
	padded := &binding.Struct{Name: "Padded", Go: "Padded", Pos: line(2), Size: 64, Align: 16, Fields: []*binding.Field{
		{Name: "flag", Go: "Flag", Type: "bool", GoType: binding.Bool, Size: 1, Doc: "on or off"},
		{Name: "a", Go: "A", Type: "float4", GoType: array(4, f32), Offset: 16, Size: 16},
		{Name: "b", Go: "B", Type: "float3", GoType: vec3, Offset: 32, Size: 16, Doc: "direction"},
		{Name: "c", Go: "C", Type: "half", GoType: f16, Offset: 48, Size: 2, Doc: "weight"},
	}}
	padded.Doc = []string{"Padded is spread out.", "", "  a  .  b"}
	s.Structs = []*binding.Struct{
		{Name: "Empty", Go: "Empty", Pos: line(1), Size: 1, Align: 1},
		padded,
		packed,
		{Name: "Nest", Go: "Nest", Pos: line(15), Size: 80, Align: 16, Fields: []*binding.Field{
			{Name: "p", Go: "P", Type: "Packed", GoType: packed, Size: 13},
			{Name: "q", Go: "Q", Type: "Padded", GoType: padded, Offset: 16, Size: 64},
		}},
	}
	enums := source("enums")
	enums.Enums = []*binding.Enum{{
		Name: "Kind", Go: "Kind", GoType: i32, Pos: line(1), Doc: []string{"Kind is what it is."},
		Values: []binding.EnumValue{
			{Name: "a", Go: "KindA", Value: "-1", Doc: "first"},
			{Name: "bcd", Go: "KindBcd", Value: "2"},
			{Name: "e", Go: "KindE", Value: "3", Doc: "last"},
		},
	}}
	return pkg(enums, s)
}

// hostilePackage is norm with comments that try to be more than comments.
func hostilePackage() *binding.Package {
	k := fusedNorm()
	k.Doc = []string{
		"# Heading", "", "## Markdown", "", "Algorithm", "", "Text after what looks like a heading.", "",
		"go:noinline", "//go:linkname x y", "+build ignore", "*/ func init() {}", "line\nbreak\r\x00\xff\ufeff", "",
		"  preformatted(", "\t+build never", "", "- item {", "- other", "", "[link]: https://example.com", "Deprecated: no.",
	}
	k.Args[0].Doc = "ends here\n}\nfunc init() {"
	k.Args[4].Doc = "go:noinline {"
	k.Geometry.Text = "(\n//go:embed x\n)"
	k.Args[1].Stated = "rows\n* dim"
	k.Args[2].Name = "wei\"ght\\"
	s := source("norm", k)
	s.File = "no\"rm\n.metal"
	s.Doc = []string{"Deprecated: no.", "+build ignore", "*/ func init() {}", "# Heading"}
	s.Enums = []*binding.Enum{{Name: "E", Go: "E", GoType: u32, Doc: []string{"", " "}, Pos: line(1)}}
	return pkg(s)
}

// bigPackage is as large as a library of kernels: 70 with 12 arguments, most of
// them in one source.
func bigPackage() *binding.Package {
	p := pkg()
	for i, kernels := range []int{57, 6, 4, 3} {
		s := source("source" + strconv.Itoa(i))
		for j := range kernels {
			s.Kernels = append(s.Kernels,
				bigKernel("kernel_"+strconv.Itoa(i)+"_"+strconv.Itoa(j), "Kernel"+strconv.Itoa(i)+"x"+strconv.Itoa(j)))
		}
		p.Sources = append(p.Sources, s)
	}
	return p
}

func bigKernel(name, goName string) *binding.Kernel {
	k := fusedNorm()
	k.Name, k.Go, k.Var = name, goName, "k"+goName
	dim := k.Leaves[0]
	for i := len(k.Args); i < 13; i++ { // the last of fusedNorm is a built-in
		n := strconv.Itoa(i)
		arg := shaped(buffer(i, "extra"+n, "Extra"+n, binding.ReadWrite), "dim / 8", op(dim, '/', binding.Lit(8)),
			"one more of them")
		k.Args = append(k.Args, arg)
	}
	return k
}
