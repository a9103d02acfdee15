package runtime

import (
	"errors"
	"reflect"
	"sync"
)

// checkElement reports why t cannot be in device memory, if so.
func checkElement(t reflect.Type) error {
	if t.Size() == 0 {
		return errors.New("the type has no size")
	}
	if !pointerFree(t) {
		return errors.New("the type holds pointers")
	}
	return nil
}

// pointerFree tells whether values of t are nothing but their own bytes. It is
// asked at every recorded value: scalars are answered by their kind, structs are
// walked once.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer,
		reflect.Slice, reflect.String, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return t.Len() == 0 || pointerFree(t.Elem())
	case reflect.Struct:
		if known, ok := pointerFreeStructs.Load(t); ok {
			return known.(bool)
		}
		free := true
		for f := range t.Fields() {
			free = free && pointerFree(f.Type)
		}
		pointerFreeStructs.Store(t, free)
		return free
	default:
		return true
	}
}

var pointerFreeStructs sync.Map // reflect.Type -> bool
