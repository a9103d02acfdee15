package objc

import "fmt"

// Class returns a class by its name. Apple: objc_getClass in objc/runtime.h.
func Class(name string) (ID, error) {
	s := NewSender()
	defer s.Free()
	id := ID(s.Call(c.getClass, s.holdString(name)))
	if id == 0 {
		return 0, fmt.Errorf("objc: class %s: %w", name, ErrNotFound)
	}
	return id, nil
}
