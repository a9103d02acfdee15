package objc

import (
	"fmt"
	"strings"
)

// Check compares the declared types of s with those of the method that the class
// of id really has. It knows nothing of methods that an object forwards to
// another; those are an error that wraps [ErrNotFound], like methods that do not
// exist. Class methods are checked with the class as id.
// Apple: class_getInstanceMethod, method_getTypeEncoding in objc/runtime.h.
func (s *SEL) Check(id ID) error {
	if c.objectClass == 0 || c.instanceMethod == 0 || c.methodTypes == 0 {
		return fmt.Errorf("objc: %s: method types of this runtime: %w", s, ErrNotFound)
	}
	sender := NewSender()
	defer sender.Free()
	class := sender.Call(c.objectClass, uintptr(id))
	method := sender.Call(c.instanceMethod, class, s.word)
	if method == 0 {
		return fmt.Errorf("objc: method %s: %w", s, ErrNotFound)
	}
	have := goString(sender.Call(c.methodTypes, method))
	if !sameTypes(s.encoding, have) {
		return fmt.Errorf("objc: %s: declared as %q, the method is %q", s, s.encoding, have)
	}
	return nil
}

// sameTypes compares a declared encoding with a method's own, in which each type
// is followed by an offset: "v56@0:8{?=QQQ}16{?=QQQ}40".
func sameTypes(declared, method string) bool {
	have := types(method)
	if len(have) < 3 || have[1] != "@" || have[2] != ":" {
		return false
	}
	have = append(have[:1], have[3:]...)
	return strings.Join(types(declared), " ") == strings.Join(have, " ")
}

// types cuts an encoding into its types, without offsets and without qualifiers:
// where `const` stands is the compiler's business, and calls do not depend on it.
func types(encoding string) []string {
	var list []string
	for encoding != "" {
		if isDigit(encoding[0]) {
			encoding = encoding[1:]
			continue
		}
		n := typeEnd(encoding)
		t := strings.TrimLeft(encoding[:n], "rnNoORVA")
		t = strings.ReplaceAll(t, "^r", "^")
		if t == "c" {
			t = "B" // BOOL is a signed char on amd64, a bool on arm64
		}
		list = append(list, t)
		encoding = encoding[n:]
	}
	return list
}

// typeEnd returns the length of the first type of an encoding.
func typeEnd(s string) int {
	i := 0
	for i < len(s) && strings.IndexByte("^rnNoORVA", s[i]) >= 0 {
		i++
	}
	if i == len(s) {
		return i
	}
	switch s[i] {
	case '{', '(', '[':
		depth := 0
		for ; i < len(s); i++ {
			switch s[i] {
			case '{', '(', '[':
				depth++
			case '}', ')', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return i
	case '@':
		if i+1 < len(s) && s[i+1] == '?' {
			return i + 2
		}
	}
	return i + 1
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
