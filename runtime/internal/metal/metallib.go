package metal

import (
	"fmt"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// load makes a library of a metallib. The destructor 0 is
// DISPATCH_DATA_DESTRUCTOR_DEFAULT, with which the bytes are copied: they are Go's.
// Apple: dispatch_data_create in dispatch/data.h.
func (d *Device) load(file string, bytes []byte) (objc.ID, error) {
	if len(bytes) == 0 {
		return 0, fmt.Errorf("the metallib for %s is empty", file)
	}
	create, err := objc.Symbol("dispatch_data_create")
	if err != nil {
		return 0, err
	}
	release, err := objc.Symbol("dispatch_release")
	if err != nil {
		return 0, err
	}
	s := objc.NewSender()
	defer s.Free()
	data := s.Call(create, s.Hold(unsafe.Pointer(unsafe.SliceData(bytes))), uintptr(len(bytes)), 0, 0)
	defer func() { s.Call(release, data) }()
	id, err := s.SendError(d.id, selNewLibraryWithData, data)
	if err != nil {
		return 0, fmt.Errorf("the metallib for %s: %w", file, err)
	}
	return objc.ID(id), nil
}
