package objc

var (
	selCount         = Selector("count", "Q")
	selObjectAtIndex = Selector("objectAtIndex:", "@Q")
)

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
