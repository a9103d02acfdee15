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

var selInit = Selector("init", "@")

// New makes an object of a class that the caller has to release. Apple: NSObject.h.
func New(class string) (ID, error) {
	id, err := Class(class)
	if err != nil {
		return 0, err
	}
	return ID(ID(id.Send(selAlloc)).Send(selInit)), nil
}
