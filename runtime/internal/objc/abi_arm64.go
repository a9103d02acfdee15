package objc

import "unsafe"

// putSizes lays the arguments of a message with two MTLSize out: as pointers to
// copies, which the callee may write to. AAPCS64 6.8.2, rule B.4.
func (s *Sender) putSizes() int {
	s.words[2] = s.Hold(unsafe.Pointer(&s.sizes[0]))
	s.words[3] = s.Hold(unsafe.Pointer(&s.sizes[3]))
	return 4
}

// putSize lays out an MTLSize that follows two words, the second of s.sizes.
func (s *Sender) putSize() int {
	s.words[4] = s.Hold(unsafe.Pointer(&s.sizes[3]))
	return 5
}

// putStructs lays arguments out: structs as pointers to copies.
func (s *Sender) putStructs(args [][]uintptr) int {
	n, used := 2, 0
	for _, a := range args {
		if len(a) == 1 {
			s.words[n] = a[0]
		} else {
			s.words[n] = s.Hold(unsafe.Pointer(&s.sizes[used]))
			used += copy(s.sizes[used:], a)
		}
		n++
	}
	return n
}

// sizeSender returns the function that sends messages which return an MTLSize: arm64
// has a register of its own for the address of a large result.
func (f *functions) sizeSender() *uintptr { return &f.msgSend }
