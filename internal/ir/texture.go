package ir

import "github.com/metalgen/metalgen/internal/msl/tree"

// ReadsTexel reports whether a call reads one texel, by its place.
func ReadsTexel(c *TextureCall) bool { return c.Method == tree.TextureRead }

// WritesTexel reports whether a call writes a texel.
func WritesTexel(c *TextureCall) bool { return c.Method == tree.TextureWrite }

// SamplesTexels reports whether a call reads texels that a sampler finds.
func SamplesTexels(c *TextureCall) bool {
	return c.Method >= tree.TextureSample && c.Method <= tree.TextureGatherCompare
}

// bounds are the methods that say what operands of a call have to be less than.
var bounds = map[int]tree.TextureMethod{
	TextureCoord: tree.TextureWidth, TextureCoord + 1: tree.TextureHeight, TextureCoord + 2: tree.TextureDepth,
	TextureLayer: tree.TextureArraySize, TextureLevel: tree.TextureLevels, TextureSample: tree.TextureSamples,
}

// TexelBound returns a call that asks for what an operand has to be less than, with its operands, those of the call
// being args. It is nil where no method says so, as of the six faces.
func TexelBound(c *TextureCall, operand int, args []Value) (*TextureCall, []Value) {
	method, ok := bounds[operand]
	if !ok {
		return nil, nil
	}
	call, list := *c, make([]Value, TextureTexel)
	call.Method, list[TextureHandleAt] = method, args[TextureHandleAt]
	if method <= tree.TextureDepth {
		list[TextureLevel] = args[TextureLevel]
	}
	return &call, list
}
