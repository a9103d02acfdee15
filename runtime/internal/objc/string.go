package objc

import "unsafe"

var (
	selAlloc         = Selector("alloc", "@")
	selInitWithBytes = Selector("initWithBytes:length:encoding:", "@r^vQQ")
	selUTF8String    = Selector("UTF8String", "r*")
)

// utf8 is NSUTF8StringEncoding.
const utf8 = 4

// NewString makes an NSString that the caller has to release. A string that is
// not valid UTF-8 is an error. Apple: NSString.h.
func NewString(text string) (ID, error) {
	class, err := Class("NSString")
	if err != nil {
		return 0, err
	}
	s := NewSender()
	defer s.Free()
	id := ID(s.Send(class, selAlloc))
	address := s.Hold(unsafe.Pointer(unsafe.StringData(text)))
	id = ID(s.Send(id, selInitWithBytes, address, uintptr(len(text)), utf8))
	if id == 0 {
		return 0, &Error{Domain: "objc", Description: "not a UTF-8 string"}
	}
	return id, nil
}

// String returns the text of an NSString up to its first zero, and "" for nil. Apple: NSString.h.
func String(id ID) string {
	var text string
	WithPool(func() { text = goString(id.Send(selUTF8String)) })
	return text
}

// goString copies a C string.
func goString(address uintptr) string {
	if address == 0 {
		return ""
	}
	// Memory of C does not move and is not collected, so a word may become a
	// pointer again; vet cannot know that it is C's.
	start := *(**byte)(unsafe.Pointer(&address))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(start), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(start, n))
}

// holdString returns the address of a zero-terminated copy.
func (s *Sender) holdString(text string) uintptr {
	bytes := append([]byte(text), 0)
	return s.Hold(unsafe.Pointer(&bytes[0]))
}
