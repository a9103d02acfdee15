package objc

// putSizes lays the arguments of a message with two MTLSize out: they go by value
// on the stack, behind the four argument registers that stay empty.
// System V ABI 3.2.3, class MEMORY.
func (s *Sender) putSizes() int {
	clear(s.words[2:6])
	return 6 + copy(s.words[6:], s.sizes[:])
}

// putSize lays an MTLSize behind two words out, the second of s.sizes.
func (s *Sender) putSize() int {
	clear(s.words[4:6])
	return 6 + copy(s.words[6:], s.sizes[3:])
}

// sizeSender returns the function that sends messages which return an MTLSize.
func (f *functions) sizeSender() *uintptr { return &f.msgSendStret }
