package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// textureArg is a texture, or an array of them. metalgen recognises it and leaves
// out the kernel.
var textureArg = argKind{
	kind:    tree.TextureParam,
	indexes: 128,
	implied: func(a *argument) bool { return a.Type.Kind == tree.Texture },
	check:   checkOpaque(tree.Texture),
	slots:   arraySlots,
}
