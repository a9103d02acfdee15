package driver

// TextureArg is the texture of an argument, or of one element of an array.
type TextureArg struct {
	Arg     *Arg
	Element int
	Texture Texture
}
