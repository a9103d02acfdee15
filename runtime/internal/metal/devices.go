package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Devices lists the names of the devices, in the order of their index. Where there
// is none, the error wraps [ErrNoDevice].
func Devices() ([]string, error) { return DevicesOf("", frameworks) }

// DevicesOf is [Devices] of another Objective-C runtime, see [OpenLibrary].
func DevicesOf(objcLibrary string, frameworks []string) (names []string, err error) {
	if err := load(objcLibrary, frameworks); err != nil {
		return nil, err
	}
	objc.WithPool(func() {
		ids := allDevices()
		for _, id := range ids {
			names = append(names, objc.String(objc.ID(id.Send(selName))))
			id.Release()
		}
	})
	if len(names) == 0 {
		return nil, ErrNoDevice
	}
	return names, nil
}

// find returns the device at an index, or the default one for -1, with a reference
// for the caller.
func find(index int) (objc.ID, error) {
	if index < 0 {
		if id := defaultDevice(); id != 0 {
			return id, nil
		}
		index = 0
	}
	var found objc.ID
	ids := allDevices()
	for i, id := range ids {
		if i == index {
			found = id
		} else {
			id.Release()
		}
	}
	switch {
	case found != 0:
		return found, nil
	case len(ids) == 0:
		return 0, ErrNoDevice
	default:
		return 0, fmt.Errorf("%w metal:%d, the last one is metal:%d", ErrNoDevice, index, len(ids)-1)
	}
}

// defaultDevice returns nil in some programs that do have devices: in a command-line
// program without CoreGraphics (see frameworks), and at login.
// Apple: MTLCreateSystemDefaultDevice in MTLDevice.h.
func defaultDevice() objc.ID {
	create, err := objc.Symbol("MTLCreateSystemDefaultDevice")
	if err != nil {
		return 0
	}
	s := objc.NewSender()
	defer s.Free()
	return objc.ID(s.Call(create))
}

// allDevices returns every device, each with a reference for the caller: the
// default one alone where the system lists none. iOS has no list.
// Apple: MTLCopyAllDevices in MTLDevice.h.
func allDevices() []objc.ID {
	var ids []objc.ID
	if list, err := objc.Symbol("MTLCopyAllDevices"); err == nil {
		s := objc.NewSender()
		defer s.Free()
		array := objc.ID(s.Call(list))
		ids = objc.Elements(array)
		for _, id := range ids {
			id.Retain()
		}
		array.Release()
	}
	if len(ids) == 0 {
		if id := defaultDevice(); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}
