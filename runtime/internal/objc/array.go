package objc

import "unsafe"

var (
	selCount         = Selector("count", "Q")
	selArrayWith     = Selector("arrayWithObjects:count:", "@r^@Q")
	selObjectAtIndex = Selector("objectAtIndex:", "@Q")
)

// Array returns an NSArray of objects, which the pool holds. Apple: NSArray.h.
func Array(list ...ID) (ID, error) {
	class, err := Class("NSArray")
	if err != nil {
		return 0, err
	}
	s := NewSender()
	defer s.Free()
	first := unsafe.Pointer(unsafe.SliceData(list))
	return ID(s.Send(class, selArrayWith, s.Hold(first), uintptr(len(list)))), nil
}

// Elements returns the objects of an NSArray. The array holds the references.
// Apple: NSArray.h.
func Elements(array ID) []ID {
	s := NewSender()
	defer s.Free()
	list := make([]ID, s.Send(array, selCount))
	for i := range list {
		list[i] = ID(s.Send(array, selObjectAtIndex, uintptr(i)))
	}
	return list
}
