package bind

// ThreadgroupArg is a threadgroup pointer, set by [Call.Threadgroup].
const ThreadgroupArg ArgKind = 3

// Threadgroup sets the length of the threadgroup pointer argument at index, in elements. Its bytes are rounded up to a
// multiple of 16, as Metal requires.
func (c *Call[G]) Threadgroup(index, elements int) {
	if s := c.slot(ThreadgroupArg, index); s != nil {
		s.Count = elements
	}
}
