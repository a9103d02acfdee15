package objc

import (
	"fmt"
	"sync"
	"unsafe"
)

// ID is an object or a class; 0 is nil, to which every message may be sent, with
// a zero result. Apple: objc/objc.h.
type ID uintptr

// maxArguments is what fits after receiver and selector: all that a call takes.
const maxArguments = 13

// Sender sends messages one at a time. It keeps the words of a call, which have to
// be on the heap, so that a call does not allocate them. It is not for concurrent
// use.
type Sender struct {
	words [2 + maxArguments]uintptr
	sizes [6]uintptr // of structs that are passed by value
	error uintptr    // an NSError *
	held  [8]unsafe.Pointer
	holds int

	message record // whose result is a double
	double  float64
}

var senders = sync.Pool{New: func() any { return new(Sender) }}

// NewSender takes a sender from a pool.
func NewSender() *Sender { return senders.Get().(*Sender) }

// Free puts s back into the pool. It must not be used any more.
func (s *Sender) Free() {
	s.drop()
	senders.Put(s)
}

// Hold returns the address of p, and keeps what is there on the heap and alive
// until the next send of s returns.
func (s *Sender) Hold(p unsafe.Pointer) uintptr {
	s.held[s.holds] = p
	s.holds++
	return uintptr(p)
}

// Send sends one message and returns its result: 0 or 1 where the selector was
// declared with the result type B, where C defines the low byte only; nothing
// sensible where the result is void or floating-point.
// Apple: objc_msgSend in objc/message.h.
func (s *Sender) Send(id ID, sel *SEL, args ...uintptr) uintptr {
	result := s.send(sel, s.start(id, sel, args, 0))
	s.drop()
	return result
}

// SendSizes sends a message whose arguments are two MTLSize.
// Apple: MTLTypes.h; System V ABI 3.2.3 (class MEMORY), AAPCS64 6.8.2 (B.4).
func (s *Sender) SendSizes(id ID, sel *SEL, a, b [3]uintptr) uintptr {
	s.start(id, sel, nil, 0)
	copy(s.sizes[:3], a[:])
	copy(s.sizes[3:], b[:])
	result := s.send(sel, s.putSizes())
	s.drop()
	return result
}

// SendStructs sends a message with structs among its arguments. Each argument is a slice: an integer of one word, or
// a struct of more than two, such as MTLSize and MTLRegion: there may be six words in all.
// Apple: MTLTypes.h; System V ABI 3.2.3 (class MEMORY), AAPCS64 6.8.2 (B.4).
func (s *Sender) SendStructs(id ID, sel *SEL, args ...[]uintptr) uintptr {
	s.start(id, sel, nil, 0)
	result := s.send(sel, s.putStructs(args))
	s.drop()
	return result
}

// SendError sends a message whose last argument, which args leave out, is an
// NSError **. A result of nil or NO is an error, of type [*Error]; other results
// never are. The error object is autoreleased: call it within [WithPool].
// Apple: Error Handling Programming Guide, "Using and Creating Error Objects".
func (s *Sender) SendError(id ID, sel *SEL, args ...uintptr) (uintptr, error) {
	s.error = 0
	n := s.start(id, sel, args, 1)
	s.words[n] = s.Hold(unsafe.Pointer(&s.error))
	result := s.send(sel, n+1)
	s.drop()
	if result != 0 {
		return result, nil
	}
	return 0, errorOf(sel, ID(s.error))
}

// start lays the words of a message out, leaving room for extra more, and returns
// their number.
func (s *Sender) start(id ID, sel *SEL, args []uintptr, extra int) int {
	if len(args)+extra > maxArguments {
		panic(tooMany(sel, len(args)+extra))
	}
	s.words[0], s.words[1] = uintptr(id), sel.word
	return 2 + copy(s.words[2:], args)
}

func tooMany(sel *SEL, n int) string { return fmt.Sprintf("objc: %s: %d argument words", sel, n) }

func (s *Sender) send(sel *SEL, n int) uintptr {
	result := call(c.msgSend, s.words[:n])
	if sel.isBool && result&0xff != 0 {
		return 1
	}
	if sel.isBool {
		return 0
	}
	return result
}

// Call calls a C function, such as one that [Symbol] found, whose arguments and
// result are words.
func (s *Sender) Call(fn uintptr, args ...uintptr) uintptr {
	result := call(fn, s.words[:copy(s.words[:], args)])
	s.drop()
	return result
}

func (s *Sender) drop() {
	clear(s.held[:s.holds])
	s.holds = 0
}

// Send sends one message, like [Sender.Send].
func (id ID) Send(sel *SEL, args ...uintptr) uintptr {
	s := NewSender()
	result := s.Send(id, sel, args...)
	s.Free()
	return result
}

// SendError sends one message, like [Sender.SendError].
func (id ID) SendError(sel *SEL, args ...uintptr) (uintptr, error) {
	s := NewSender()
	result, err := s.SendError(id, sel, args...)
	s.Free()
	return result, err
}
