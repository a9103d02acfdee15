package bind

// ValueArg is a constant reference, to a scalar, an array or a struct, set by [Value].
const ValueArg ArgKind = 2

// Value sets the argument at index that the kernel takes by constant reference: a scalar, an array or a params struct,
// of exactly the size that the kernel declares. It copies the bytes of v.
func Value[T, G any](c *Call[G], index int, v T) {
	set(&c.arguments, ValueArg, index, v)
}

// ValueBytes is [Value] for programs that learn the type of an argument at run time: v is the value as Metal lays it
// out.
func (c *Call[G]) ValueBytes(index int, v []byte) {
	c.setBytes(ValueArg, index, v)
}
