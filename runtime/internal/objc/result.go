package objc

import (
	"structs"
	"unsafe"
)

// size is MTLSize of Apple's MTLTypes.h.
type size struct {
	_                    structs.HostLayout
	width, height, depth uintptr
}

// Double sends a message without arguments whose result is a double or a CFTimeInterval, as a
// tape of that message alone.
func (id ID) Double(sel *SEL) float64 {
	s := NewSender()
	defer s.Free()
	m := &s.message
	m.id, m.sel = uintptr(id), sel.word
	first := s.Hold(unsafe.Pointer(m))
	args := replayArgs{first, first + unsafe.Sizeof(*m), c.msgSend, 0, s.Hold(unsafe.Pointer(&s.double))}
	s.Call(replayAddress, args[:]...)
	return s.double
}

// Size sends a message without arguments whose result is an MTLSize. It
// allocates. A struct that large is returned through memory, which on amd64 is
// a function of its own. Apple: objc_msgSend_stret in objc/message.h.
func (id ID) Size(sel *SEL) [3]uintptr {
	if c.sendSize == nil {
		panic("objc: " + sel.name + ": the Objective-C runtime has no objc_msgSend_stret")
	}
	s := c.sendSize(id, sel.word)
	return [3]uintptr{s.width, s.height, s.depth}
}
