package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// checkTextureCall checks t.read(...) and the other methods of textures.
func checkTextureCall(c *checker, texture tree.Expr, m *parser.MemberExpr, args []tree.Expr) tree.Expr {
	t := texture.Type()
	method := library.TextureMethods[m.Name]
	switch {
	case library.UnknownMethod(m.Name) != "":
		return c.unsupported(m.Pos, "%s is not supported: it is for %s", m.Name, library.UnknownMethod(m.Name))
	case method == nil || !method.Of(t):
		return c.fail(m.Pos, "%s has no method %s", t.Spelled(), m.Name)
	}
	if lacks := method.Lacks(t); lacks != "" {
		return c.fail(m.Pos, "%s %s, but this is %s", m.Name, lacks, t.Spelled())
	}
	made := &tree.TextureCall{Node: tree.At(m.Pos, method.Returns(t)), Method: method.Method, Texture: texture}
	call := &textureCall{c: c, made: made, name: m.Name, params: method.ParamsOf(t)}
	if method.Method == tree.TextureAtomic {
		made.Atomic = strings.TrimPrefix(m.Name, "atomic_")
	}
	return call.check(args)
}

// textureCall checks the arguments of a method.
type textureCall struct {
	c       *checker
	made    *tree.TextureCall
	name    string
	params  []library.TextureParam
	given   []tree.Expr // parallel to params, nil for what is left out
	options []tree.Expr
}

func (call *textureCall) check(args []tree.Expr) tree.Expr {
	if !call.match(args) {
		return call.mismatch(args)
	}
	long, short := call.ranks(false), call.ranks(true)
	shorter := long == nil || short != nil && types.Lower(short, long)
	switch {
	case long == nil && short == nil:
		return call.mismatch(args)
	case long != nil && short != nil && !shorter && !types.Lower(long, short):
		return call.c.fail(call.made.Pos, "the call of %s is ambiguous: it takes %s as uint and as ushort equally well",
			call.name, types.TypeList(args))
	}
	for i, p := range call.params {
		if !call.set(p, call.given[i], shorter) {
			return nil
		}
	}
	for _, o := range call.options {
		if !call.option(o) {
			return nil
		}
	}
	return call.made
}

// match finds the parameters that arguments are for.
func (call *textureCall) match(args []tree.Expr) bool {
	call.given = make([]tree.Expr, len(call.params))
	for i, p := range call.params {
		switch {
		case p.Word == "options":
			n := 0
			for n < len(args) && library.OptionOf(args[n].Type()) != nil {
				n++
			}
			call.options, args = args[:n], args[n:]
		case len(args) > 0:
			call.given[i], args = args[0], args[1:]
		case !p.Optional:
			return false
		}
	}
	return len(args) == 0
}

// ranks ranks the conversions of the arguments to uint or to ushort; nil where one is
// impossible, or the method does not take ushort.
func (call *textureCall) ranks(short bool) []types.Rank {
	ranks := []types.Rank{}
	differs := false
	for i, p := range call.params {
		want := p.Type
		if short && p.Short != nil {
			want, differs = p.Short, true
		}
		if call.given[i] == nil {
			continue
		}
		r := call.c.rankOf(call.given[i], want)
		if r == types.Impossible {
			return nil
		}
		ranks = append(ranks, r)
	}
	if short && !differs {
		return nil // that is no other function
	}
	return ranks
}

// textureWords are the words of textureMethod as messages have them.
var textureWords = map[string]string{"place": "coord", "texel": "coord", "face": "face", "index": "array",
	"sample": "sample", "level": "lod", "lod": "lod", "compare": "compare_value", "offset": "offset", "value": "color",
	"expected": "expected"}

// mismatch says what the method takes.
func (call *textureCall) mismatch(args []tree.Expr) tree.Expr {
	var words []string
	for _, p := range call.params {
		word := p.Word
		if p.Type != nil {
			word = p.Type.Spelled()
			if p.Short != nil {
				word += "|" + p.Short.Spelled()
			}
			if p.Type.Name != p.Word {
				word += " " + textureWords[p.Word]
			}
		}
		if p.Optional {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return call.c.fail(call.made.Pos, "%s of %s does not take %s, but (%s)", call.name,
		call.made.Texture.Type().Spelled(), types.TypeList(args), strings.Join(words, ", "))
}

// set notes the argument for a parameter.
func (call *textureCall) set(p library.TextureParam, x tree.Expr, short bool) bool {
	made := call.made
	if x == nil {
		if p.Word == "level" || p.Word == "lod" {
			made.Level = types.PlainZero(p.Type, made.Pos)
		}
		return true
	}
	want := p.Type
	if short && p.Short != nil {
		want = p.Short
	}
	if x = call.c.implicit(x, want); x == nil {
		return false
	}
	if p.Short != nil {
		x = call.c.convert(x, p.Type)
	}
	switch p.Word {
	case "sampler":
		made.Sampler = x
	case "place", "texel":
		made.Coord = x
	case "face":
		made.Face = x
	case "index":
		made.Index = x
	case "sample":
		made.Sample = x
	case "level", "lod":
		made.Level = x
	case "compare":
		made.Compare = x
	case "offset":
		made.Offset = x
	case "component":
		v, ok := fold.Value(call.c.facts, x)
		if !ok {
			call.c.fail(x.Position(), "the component of a gather must be constant")
			return false
		}
		made.Component = int(v.Bits)
	case "value", "expected":
		made.Value = append(made.Value, x)
	}
	return true
}

// option notes level(x) and the like.
func (call *textureCall) option(x tree.Expr) bool {
	name, made := x.Type().Name, call.made
	option, ok := x.(*tree.Construct)
	switch {
	case !ok:
		call.c.unsupported(x.Position(), "%s is only known where it is written among the arguments", name)
		return false
	case name == "level" && made.Level == nil && made.DX == nil:
		made.Level = option.Args[0]
		return true
	case name == call.gradient() && made.Level == nil && made.DX == nil:
		made.DX, made.DY = option.Args[0], option.Args[1]
		return true
	case name == "min_lod_clamp" && made.MinLOD == nil:
		made.MinLOD = option.Args[0]
		return true
	case name == "bias":
		call.c.unsupported(x.Position(),
			"bias is for fragment functions: the threads of a kernel are no neighbouring pixels")
		return false
	}
	call.c.fail(x.Position(), "%s of %s does not take %s here", call.name, made.Texture.Type().Spelled(), name)
	return false
}

// gradient is the name of the gradient that goes with the texture.
func (call *textureCall) gradient() string {
	switch f := call.made.Texture.Type().Texture.Form; {
	case f.IsCube():
		return "gradientcube"
	case f.Dimensions() == 3:
		return "gradient3d"
	}
	return "gradient2d"
}
