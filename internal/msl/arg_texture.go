package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// textureArg is a texture, or an array of them. metalgen recognises it and leaves
// out the kernel.
var textureArg = argKind{
	kind:    tree.TextureParam,
	types:   tree.Texture,
	indexes: 128,
	slots:   arraySlots,
}
