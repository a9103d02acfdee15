package bind

import "fmt"

// Arg describes one argument of a kernel, or one function constant of its library.
type Arg struct {
	Kind     ArgKind
	Index    int     // as Metal numbers the arguments of this kind
	Name     string  // as in the source
	Type     string  // MSL type of one element: "float", "half4", "NormParams"
	Size     int     // bytes of one element
	Fields   []Field // of a struct, to compare with Metal's own layout; or the reference itself
	Align    int     // buffers: byte alignment of an element; 0 means any
	Access   Access  // buffers and textures: what the kernel does with it
	Pointers bool    // there are pointers, textures or samplers in it, which the call follows
	Constant bool    // buffers: a pointer in the constant address space
	Optional bool    // may be left unset; the zero Buffer and threadgroup length 0 count as unset
	Count    int     // textures and samplers: elements of an array of them, 0 for one that is not in an array

	// Of a texture. Its Access is Read where the kernel reads or samples it.
	Texture TextureType
	Texels  Texels

	// If is the function constant that switches an optional argument on, "has_mask". A call sets such an argument only
	// if the source has it, so setting it to nothing is a mistake.
	If string

	// Shape is the length as the source states it, "[rows * dim]" or "tg_size", or "" if nothing does. See
	// [Call.Buffer].
	Shape string
	Pos   string // where the source says so: "norm.metal:12"
}

// Field is one member of a struct, as the Metal source lays it out.
type Field struct {
	Name   string
	Type   string  // MSL type: "uint", "float[4]", "Strides", or the name of an enum
	Offset int     // bytes from the beginning of the struct
	Fields []Field // of a struct, or of each element of an array of structs

	// Of structs that hold pointers, textures and samplers.
	Access  Access      // of a pointer, a texture, or an array of them: what the kernel does with what it leads to
	Beyond  Access      // of a pointer: Read if all that pointers and textures there lead to is only read, else 0
	Texture TextureType // of a texture, as in Arg
	Texels  Texels      // of a texture, as in Arg; 0 of others
	Stride  int         // of an array of structs: bytes from one to the next
}

// ArgKind says how an argument is set.
type ArgKind uint8

// argKinds is the table of kinds, with their names in messages. Each kind is in a file of its own.
var argKinds = [...]string{
	BufferArg:      "buffer",
	ValueArg:       "value",
	ThreadgroupArg: "threadgroup",
	ConstantArg:    "function constant",
	TextureArg:     "texture",
	SamplerArg:     "sampler",
}

// String returns the name of the kind in messages: "buffer", "function constant".
func (k ArgKind) String() string {
	if k == 0 || int(k) >= len(argKinds) {
		return fmt.Sprintf("ArgKind(%d)", uint8(k))
	}
	return argKinds[k]
}
