package objc

var selRespondsToSelector = Selector("respondsToSelector:", "B:")

// Retain adds a reference to the object and returns it.
// Clang: Objective-C Automatic Reference Counting, "Runtime support".
func (id ID) Retain() ID {
	s := NewSender()
	defer s.Free()
	return ID(s.Call(c.retain, uintptr(id)))
}

// Release gives up a reference. What the object then releases may be
// autoreleased: call it within [WithPool].
// Clang: Objective-C Automatic Reference Counting, "Runtime support".
func (id ID) Release() {
	s := NewSender()
	defer s.Free()
	s.Call(c.release, uintptr(id))
}

// Responds reports whether the object has a method, which is how the parts of an
// API that came with later systems are found. Apple: NSObject.h.
func (id ID) Responds(sel *SEL) bool { return id.Send(selRespondsToSelector, sel.word) != 0 }
