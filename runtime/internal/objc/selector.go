package objc

import (
	"iter"
	"slices"
	"sync"
)

// SEL is a selector together with the types that its method is expected to have.
// Apple: objc/objc.h.
type SEL struct {
	name     string
	encoding string
	word     uintptr // the C SEL; 0 before Load
	since    int     // the macOS that brought it, if that is later than the oldest
	isBool   bool
}

var registry selectors

type selectors struct {
	sync.Mutex
	all []*SEL
}

// Selector declares a selector, usually as the value of a package variable. It may
// be called before [Load]. The encoding gives the type of the result and then of
// the arguments, without the "@:" of the receiver and the selector, as in "v@QQ"
// (Objective-C Runtime Programming Guide, "Type Encodings"). Two declarations of
// the same name and encoding are the same *SEL; two encodings of one name are
// two, as two classes may well have such methods.
func Selector(name, encoding string) *SEL {
	registry.Lock()
	defer registry.Unlock()
	for _, s := range registry.all {
		if s.name == name && s.encoding == encoding {
			return s
		}
	}
	s := &SEL{name: name, encoding: encoding, isBool: encoding != "" && encoding[0] == 'B'}
	if c.registerName != 0 {
		s.resolve()
	}
	registry.all = append(registry.all, s)
	return s
}

// SelectorSince is [Selector] for a message that came with a later system than macOS 12, the oldest that runs Go
// programs. Its senders find out first whether the receiver has it: tools/encodings holds the version against
// Apple's headers, and wants a guard.
func SelectorSince(macOS int, name, encoding string) *SEL {
	s := Selector(name, encoding)
	s.since = macOS
	return s
}

// Since returns the macOS that brought the message, or 0 where no system that matters lacks it.
func (s *SEL) Since() int { return s.since }

// Selectors yields all declared selectors in the order of their declaration.
func Selectors() iter.Seq[*SEL] {
	registry.Lock()
	defer registry.Unlock()
	return slices.Values(slices.Clone(registry.all))
}

// String returns the name, as in "setBuffer:offset:atIndex:".
func (s *SEL) String() string { return s.name }

// Encoding returns the encoding that the selector was declared with.
func (s *SEL) Encoding() string { return s.encoding }

// Word returns the C value, for methods that take a selector as an argument. It
// is 0 before [Load].
func (s *SEL) Word() uintptr { return s.word }

func (r *selectors) resolve() {
	r.Lock()
	defer r.Unlock()
	for _, s := range r.all {
		s.resolve()
	}
}

func (s *SEL) resolve() {
	sender := NewSender()
	defer sender.Free()
	s.word = sender.Call(c.registerName, sender.holdString(s.name))
}
