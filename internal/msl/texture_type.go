package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// textureTypes are the templates of textures, with their default access (section 2.9).
var textureTypes = makeTextureTypes()

func makeTextureTypes() map[string]tree.TextureType {
	m := map[string]tree.TextureType{}
	add := func(t tree.TextureType) {
		t.Access = t.DefaultAccess()
		m[t.Template()] = t
	}
	for form := tree.Texture1D; form <= tree.TextureBuffer; form++ {
		add(tree.TextureType{Form: form})
		if form.Size() == 2 {
			add(tree.TextureType{Form: form, Depth: true})
		}
	}
	return m
}

// The types of the elements of textures.
var (
	colorElements = []tree.ScalarKind{tree.Half, tree.Float, tree.Short, tree.UShort, tree.Int, tree.UInt, tree.ULong}
	depthElements = []tree.ScalarKind{tree.Float}
)

// textureType resolves `texture2d<T, access, coherence>`.
func textureType(in env, t *parser.Type, name string) (*tree.Type, error) {
	args, err := writtenArgs(in, t.Args.Args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > 3 {
		return nil, posError(t.At.Pos, "%s takes the type of its elements and an access, as in %s<float, access::read>", name,
			name)
	}
	elem, err := typeFromTokens(args[0].in, args[0].tokens)
	if err != nil {
		return nil, err
	}
	texture, elements := textureTypes[name], colorElements
	if texture.Depth {
		elements = depthElements
	}
	if !types.Arithmetic(elem) || !slices.Contains(elements, elem.Scalar) {
		return nil, posError(t.At.Pos, "%s cannot have elements of type %s: they are %s", name, elem.Spelled(),
			listed(elements))
	}
	if len(args) > 1 {
		access, err := args[1].choice("access")
		if err != nil {
			return nil, err
		}
		if texture.Access = tree.TextureAccess(access); !allows(texture) {
			return nil, posError(t.At.Pos, "%s cannot have access::%s", name, texture.Access)
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
	v, err := a.in.constant(a.tokens)
	if err != nil {
		return 0, err
	}
	n, ok := v.Int()
	if values := libraryEnums[enum].Enum.Values; !ok || n < 0 || n >= int64(len(values)) {
		return 0, posError(a.tokens.Pos, "%s is no value of %s", v, enum)
	}
	return int(n), nil
}

// allows reports whether a texture may have its access.
func allows(t tree.TextureType) bool {
	switch {
	case t.Form.Multisampled():
		return t.Access == tree.ReadAccess
	case t.Depth:
		return !t.Access.Writes()
	case t.Form == tree.TextureBuffer:
		return t.Access != tree.SampleAccess
	}
	return true
}

// listed is types as messages list them.
func listed(kinds []tree.ScalarKind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
