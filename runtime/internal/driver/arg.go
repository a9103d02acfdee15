package driver

import "github.com/metalgen/metalgen/runtime/bind"

// Arg describes one argument of a kernel, or one function constant of its library.
type Arg struct {
	Index    int
	Name     string
	Type     string  // MSL element type: "float", "half4", "NormParams"
	Size     int     // bytes of one element
	Fields   []Field // of a struct
	Reads    bool    // buffers and textures: the kernel may read it
	Writes   bool    // buffers and textures: the kernel may write it
	Constant bool    // buffers: in the constant address space
	Optional bool
	Shape    string // buffers: the stated shape, "[rows, n]", or ""
	Pos      string

	Count   int // textures and samplers: elements, 1 of what is no array
	Texture bind.TextureType
	Texels  bind.Texels
}

// Field is one member of a struct, as generated code describes it.
type Field = bind.Field
