package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// TextureTypes are the templates of textures, with their default access (section 2.9).
var TextureTypes = makeTextureTypes()

func makeTextureTypes() map[string]tree.TextureType {
	m := map[string]tree.TextureType{}
	add := func(t tree.TextureType) {
		t.Access = t.DefaultAccess()
		m[t.Template()] = t
	}
	for form := tree.Texture1D; form <= tree.TextureBuffer; form++ {
		add(tree.TextureType{Form: form})
		if form.Dimensions() == 2 {
			add(tree.TextureType{Form: form, Depth: true})
		}
	}
	return m
}

// The types of the elements of textures.
var (
	ColorElements = []tree.ScalarKind{tree.Half, tree.Float, tree.Short, tree.UShort, tree.Int, tree.UInt, tree.ULong}
	DepthElements = []tree.ScalarKind{tree.Float}
)

// Allows reports whether a texture may have its access.
func Allows(t tree.TextureType) bool {
	switch {
	case t.Form.IsMultisampled():
		return t.Access == tree.ReadAccess
	case t.Depth:
		return !t.Access.Writes()
	case t.Form == tree.TextureBuffer:
		return t.Access != tree.SampleAccess
	}
	return true
}

// Listed is types as messages list them.
func Listed(kinds []tree.ScalarKind) string {
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
