package objc

import (
	"maps"
	"slices"
	"unsafe"
)

var selDictionary = Selector("dictionaryWithObjects:forKeys:count:", "@r^@r^@Q")

// NewDictionary makes an NSDictionary of strings that the caller has to release.
// A string that is not valid UTF-8 is an error. Call it within [WithPool].
// Apple: NSDictionary.h.
func NewDictionary(entries map[string]string) (ID, error) {
	class, err := Class("NSDictionary")
	if err != nil {
		return 0, err
	}
	var keys, values []ID
	defer func() {
		for _, id := range append(keys, values...) {
			id.Release()
		}
	}()
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		id, err := NewString(key)
		if err != nil {
			return 0, err
		}
		keys = append(keys, id)
		if id, err = NewString(entries[key]); err != nil {
			return 0, err
		}
		values = append(values, id)
	}
	s := NewSender()
	defer s.Free()
	atValues, atKeys := s.Hold(unsafe.Pointer(unsafe.SliceData(values))), s.Hold(unsafe.Pointer(unsafe.SliceData(keys)))
	return ID(s.Send(class, selDictionary, atValues, atKeys, uintptr(len(keys)))).Retain(), nil
}
