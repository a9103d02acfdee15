package bind

import (
	"reflect"
	"sync"
)

// PointerFree reports whether values of t hold no pointers, as the values of calls and the elements of buffers must. It
// is called for every recorded value, and so it walks a struct only once.
func PointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer,
		reflect.Slice, reflect.String, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return t.Len() == 0 || PointerFree(t.Elem())
	case reflect.Struct:
		if known, ok := pointerFreeStructs.Load(t); ok {
			return known.(bool)
		}
		free := true
		for f := range t.Fields() {
			free = free && PointerFree(f.Type)
		}
		pointerFreeStructs.Store(t, free)
		return free
	default:
		return true
	}
}

var pointerFreeStructs sync.Map // reflect.Type -> bool
