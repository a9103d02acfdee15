package runtimetest

import (
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Texture is the texture that an argument, or an element of an array of them, was bound to.
type Texture struct {
	Index   int // of the argument, or of the element
	Name    string
	Access  runtime.Access
	Texture int // which allocation, as of a [Binding]; views count as well
}

func cloneTexture(t *driver.TextureArg) Texture {
	return Texture{
		Index: t.Arg.Index + t.Element, Name: t.Arg.Name, Access: access(t.Arg), Texture: t.Texture.(*texture).id,
	}
}
