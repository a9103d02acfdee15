package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// textureType resolves `texture2d<T, access, coherence>`.
func textureType(in Env, t *parser.Type, name string) (*tree.Type, error) {
	args, err := writtenArgs(in, t.Args.Args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > 3 {
		return nil, Errorf(t.At.Pos, "%s takes the type of its elements and an access, as in %s<float, access::read>",
			name, name)
	}
	elem, err := TypeFromTokens(args[0].in, args[0].tokens)
	if err != nil {
		return nil, err
	}
	texture, elements := library.TextureTypes[name], library.ColorElements
	if texture.Depth {
		elements = library.DepthElements
	}
	if !types.Arithmetic(elem) || !slices.Contains(elements, elem.Scalar) {
		return nil, Errorf(t.At.Pos, "%s cannot have elements of type %s: they are %s", name, elem.Spelled(),
			library.Listed(elements))
	}
	if len(args) > 1 {
		access, err := args[1].choice("access")
		if err != nil {
			return nil, err
		}
		if texture.Access = tree.TextureAccess(access); !library.Allows(texture) {
			return nil, Errorf(t.At.Pos, "%s cannot have access::%s", name, texture.Access)
		}
	}
	if len(args) > 2 {
		coherence, err := args[2].choice("memory_coherence")
		if err != nil {
			return nil, err
		}
		texture.Coherent = coherence > 0
	}
	return tree.TextureOf(texture, elem.Scalar), nil
}

// choice evaluates a template argument that is a value of an enum of the library.
func (a writtenArg) choice(enum string) (int, error) {
	v, err := a.in.Constant(a.tokens)
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if values := library.Enums[enum].Enum.Values; !ok || n < 0 || n >= int64(len(values)) {
		return 0, Errorf(a.tokens.Pos, "%s is no value of %s", v, enum)
	}
	return int(n), nil
}
