package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// samplingOption is a type that says how to sample: level(2). The numbers of its values
// are all that there is of it, and it has no use but as an argument.
type samplingOption struct {
	typ    *tree.Type
	values []*tree.Type
}

// samplingOptions are those of the methods of textures (section 6.12), and of samplers
// (section 2.10).
var samplingOptions = makeSamplingOptions()

func makeSamplingOptions() map[string]*samplingOption {
	m := map[string]*samplingOption{}
	for name, values := range map[string][]*tree.Type{
		"level":          {tree.ScalarType(tree.Float)},
		"bias":           {tree.ScalarType(tree.Float)},
		"min_lod_clamp":  {tree.ScalarType(tree.Float)},
		"gradient2d":     {tree.VectorType(tree.Float, 2), tree.VectorType(tree.Float, 2)},
		"gradient3d":     {tree.VectorType(tree.Float, 3), tree.VectorType(tree.Float, 3)},
		"gradientcube":   {tree.VectorType(tree.Float, 3), tree.VectorType(tree.Float, 3)},
		"max_anisotropy": {tree.ScalarType(tree.Int)},
		"lod_clamp":      {tree.ScalarType(tree.Float), tree.ScalarType(tree.Float)},
	} {
		m[name] = &samplingOption{&tree.Type{Kind: tree.Opaque, Name: name}, values}
	}
	return m
}

// optionOf returns the option that a type is, or nil.
func optionOf(t *tree.Type) *samplingOption {
	if o := samplingOptions[t.Name]; o != nil && o.typ == t {
		return o
	}
	return nil
}

// callOption makes an option: level(2). Functions of the source come first.
func (call namedCall) callOption() (x tree.Expr, ok bool) {
	path := libraryPath(call.name.Path)
	if len(path) != 1 || call.name.Args != nil || samplingOptions[path[0]] == nil ||
		!callees(call.c, call.name.Path).empty() || call.c.in.hides(call.name.Path) {
		return nil, false
	}
	args, ok := call.c.exprs(call.e.Args)
	if !ok {
		return nil, true
	}
	option := samplingOptions[path[0]]
	if n := len(option.values); len(args) != n {
		return call.c.fail(call.name.Pos, "%s takes %s, these are %d", path[0], arity(n, n), len(args)), true
	}
	for i, t := range option.values {
		if args[i] = call.c.implicit(args[i], t); args[i] == nil {
			return nil, true
		}
	}
	return &tree.Construct{Node: tree.At(call.name.Pos, option.typ), Args: args}, true
}

// defaultSampler is the state of a sampler that says nothing of it.
func defaultSampler() *tree.SamplerState {
	return &tree.SamplerState{Normalized: true, MaxAnisotropy: 1, LODMax: largestFloat}
}

var largestFloat = float32(limits["MAXFLOAT"].Float)

// apiAddress, apiCompare are the numbers in Metal's API of the values of enums that
// MSL numbers in its own order.
var (
	apiAddress = [...]tree.AddressMode{tree.ClampToZero, tree.ClampToEdge, tree.Repeat, tree.MirroredRepeat,
		tree.ClampToBorder}
	apiCompare = [...]tree.CompareFunction{tree.CompareNever, tree.CompareLess, tree.CompareLessEqual,
		tree.CompareGreater, tree.CompareGreaterEqual, tree.CompareEqual, tree.CompareNotEqual, tree.CompareAlways,
		tree.CompareNever}
)

// samplerStates has what a value of an enum says of a sampler. The last one that speaks of a state counts.
var samplerStates = map[string]func(s *tree.SamplerState, n int){
	"coord":        func(s *tree.SamplerState, n int) { s.Normalized = n == 0 },
	"address":      func(s *tree.SamplerState, n int) { a := apiAddress[n]; s.Address = [3]tree.AddressMode{a, a, a} },
	"s_address":    func(s *tree.SamplerState, n int) { s.Address[0] = apiAddress[n] },
	"t_address":    func(s *tree.SamplerState, n int) { s.Address[1] = apiAddress[n] },
	"r_address":    func(s *tree.SamplerState, n int) { s.Address[2] = apiAddress[n] },
	"border_color": func(s *tree.SamplerState, n int) { s.Border = tree.BorderColor(n) },
	"filter":       func(s *tree.SamplerState, n int) { s.Min, s.Mag = tree.Filter(n), tree.Filter(n) },
	"min_filter":   func(s *tree.SamplerState, n int) { s.Min = tree.Filter(n) },
	"mag_filter":   func(s *tree.SamplerState, n int) { s.Mag = tree.Filter(n) },
	"mip_filter":   func(s *tree.SamplerState, n int) { s.Mip = tree.MipFilter(n) },
	"compare_func": func(s *tree.SamplerState, n int) { s.Compare = apiCompare[n] },
}

// sampler checks sampler(coord::pixel, filter::linear, ...).
func (made construction) sampler(args []tree.Expr) tree.Expr {
	if len(args) == 1 && args[0].Type().Kind == tree.Sampler {
		return args[0]
	}
	state := defaultSampler()
	for _, a := range args {
		if !made.samplerState(state, a) {
			return nil
		}
	}
	return &tree.SamplerConst{Node: tree.At(made.pos, made.t), State: state}
}

// samplerState notes what one argument says of a sampler.
func (made construction) samplerState(s *tree.SamplerState, a tree.Expr) bool {
	t := a.Type()
	if optionOf(t) != nil {
		return made.samplerOption(s, a)
	}
	set := samplerStates[t.Name]
	switch {
	case t.Kind == tree.EnumType && t == libraryEnums["reduction"]:
		return made.noReduction(a)
	case t.Kind != tree.EnumType || set == nil || t != libraryEnums[t.Name]:
		made.c.fail(a.Position(), "a sampler is not made of %s", t.Spelled())
		return false
	}
	v, ok := made.c.facts.fold(a)
	n, whole := v.Int()
	if !ok || !whole || n < 0 || n >= int64(len(t.Enum.Values)) {
		made.c.fail(a.Position(), "the %s of a sampler must be constant", t.Name)
		return false
	}
	set(s, int(n))
	return true
}

// noReduction reports whether a sampler averages, as all do that say nothing else.
func (made construction) noReduction(a tree.Expr) bool {
	if v, ok := made.c.facts.fold(a); ok && v.Bits == 0 {
		return true
	}
	made.c.unsupported(a.Position(), "samplers with a reduction are not supported yet")
	return false
}

// samplerOption notes max_anisotropy(n) and lod_clamp(a, b).
func (made construction) samplerOption(s *tree.SamplerState, a tree.Expr) bool {
	option, ok := a.(*tree.Construct)
	if !ok {
		made.c.unsupported(a.Position(), "%s is only known where it is written among the arguments", a.Type().Spelled())
		return false
	}
	var values [2]tree.Value
	for i, x := range option.Args {
		if values[i], ok = made.c.facts.fold(x); !ok {
			made.c.fail(x.Position(), "the %s of a sampler must be constant", option.Typ.Name)
			return false
		}
	}
	switch option.Typ.Name {
	case "max_anisotropy":
		n, _ := values[0].Int()
		if n < 1 || n > 16 {
			made.c.fail(a.Position(), "max_anisotropy is 1 to 16, not %d", n)
			return false
		}
		s.MaxAnisotropy = int(n)
	case "lod_clamp":
		s.LODMin, s.LODMax = float32(values[0].Float), float32(values[1].Float)
	case "bias":
		made.c.unsupported(a.Position(), "samplers with a bias are not supported yet")
		return false
	default:
		made.c.fail(a.Position(), "a sampler is not made of %s", option.Typ.Name)
		return false
	}
	return true
}

// isNullTexture checks is_null_texture(t).
func isNullTexture(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || args[0].Type().Kind != tree.Texture {
		return c.fail(pos, "%s takes a texture, not %s", f.name, types.TypeList(args))
	}
	return &tree.TextureCall{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Method: tree.TextureIsNull, Texture: args[0]}
}
