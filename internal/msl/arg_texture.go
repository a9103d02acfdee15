package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// textureArg is a texture, or an array of them.
var textureArg = argKind{
	kind:    tree.TextureParam,
	types:   tree.Texture,
	indexes: 128,
	check:   checkHandle,
	slots:   arraySlots,
	byValue: true,
}

// checkHandle returns what is wrong with a texture or sampler that is no value.
func checkHandle(a *argument) error {
	if a.indirect || a.Space != "" {
		return resolve.Errorf(a.Pos, "argument %s: a %s is passed by value, and several as array<%s, N>", a.called(),
			a.Kind, types.Bare(a.Type))
	}
	return nil
}
