package bind

// ConstantArg is a function constant, set by [Constant].
const ConstantArg ArgKind = 4

// Constant sets the function constant at index: a bool, a number or a vector of at most 16 bytes, of exactly the size
// that the source declares.
func Constant[T, G any](c *Call[G], index int, v T) {
	set(&c.arguments, ConstantArg, index, v)
}

// ConstantBytes is [Constant] for programs that learn its type at run time: v is the value as Metal lays it out.
func (c *Call[G]) ConstantBytes(index int, v []byte) {
	c.setBytes(ConstantArg, index, v)
}
