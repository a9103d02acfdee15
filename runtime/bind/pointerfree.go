package bind

import (
	"reflect"
	"sync"
)

// PointerFree reports whether values of t are nothing but their own bytes, as those of calls must be, and the elements
// of buffers in package runtime. It is called for every recorded value, and so it walks a struct only once.
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
