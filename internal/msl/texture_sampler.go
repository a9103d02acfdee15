package msl

import (
	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// callOption makes an option: level(2). Functions of the source come first.
func (call namedCall) callOption() (x tree.Expr, ok bool) {
	path := library.Path(call.name.Path)
	if len(path) != 1 || call.name.Args != nil || library.SamplingOptions[path[0]] == nil ||
		!callees(call.c, call.name.Path).Empty() || call.c.in.Hides(call.name.Path) {
		return nil, false
	}
	args, ok := call.c.exprs(call.e.Args)
	if !ok {
		return nil, true
	}
	option := library.SamplingOptions[path[0]]
	if n := len(option.Values); len(args) != n {
		return call.c.fail(call.name.Pos, "%s takes %s, these are %d", path[0], library.Arity(n, n), len(args)), true
	}
	for i, t := range option.Values {
		if args[i] = call.c.implicit(args[i], t); args[i] == nil {
			return nil, true
		}
	}
	return &tree.Construct{Node: tree.At(call.name.Pos, option.Type), Args: args}, true
}

// sampler checks sampler(coord::pixel, filter::linear, ...).
func (made construction) sampler(args []tree.Expr) tree.Expr {
	if len(args) == 1 && args[0].Type().Kind == tree.Sampler {
		return args[0]
	}
	state := library.DefaultSampler()
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
	if library.OptionOf(t) != nil {
		return made.samplerOption(s, a)
	}
	set := library.SamplerStates[t.Name]
	switch {
	case t.Kind == tree.EnumType && t == library.Enums["reduction"]:
		return made.noReduction(a)
	case t.Kind != tree.EnumType || set == nil || t != library.Enums[t.Name]:
		made.c.fail(a.Position(), "a sampler is not made of %s", t.Spelled())
		return false
	}
	v, ok := fold.Value(made.c.facts, a)
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
	if v, ok := fold.Value(made.c.facts, a); ok && v.Bits == 0 {
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
		if values[i], ok = fold.Value(made.c.facts, x); !ok {
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
func isNullTexture(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || args[0].Type().Kind != tree.Texture {
		return c.fail(pos, "%s takes a texture, not %s", f.Name, types.TypeList(args))
	}
	return &tree.TextureCall{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Method: tree.TextureIsNull, Texture: args[0]}
}
