package objc

// putSizes lays the arguments of a message with two MTLSize out: they go by value
// on the stack; four argument registers stay empty.
// System V ABI 3.2.3, class MEMORY.
func (s *Sender) putSizes() int {
	clear(s.words[2:6])
	return 6 + copy(s.words[6:], s.sizes[:])
}

// putSize lays out an MTLSize that follows two words, the second of s.sizes.
func (s *Sender) putSize() int {
	clear(s.words[4:6])
	return 6 + copy(s.words[6:], s.sizes[3:])
}

// putStructs lays arguments out: integers in the registers, and structs on the stack, where integers follow that
// find no register.
func (s *Sender) putStructs(args [][]uintptr) int {
	registers, stack := 2, 6
	clear(s.words[2:6])
	for _, a := range args {
		if len(a) == 1 && registers < 6 {
			s.words[registers] = a[0]
			registers++
		} else {
			stack += copy(s.words[stack:], a)
		}
	}
	return stack
}

// sizeSender returns the function that sends messages which return an MTLSize.
func (f *functions) sizeSender() *uintptr { return &f.msgSendStret }
