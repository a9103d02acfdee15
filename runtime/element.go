package runtime

import (
	"errors"
	"reflect"

	"github.com/metalgen/metalgen/runtime/bind"
)

// checkElement returns why values of t cannot be in the memory of a device, or nil.
func checkElement(t reflect.Type) error {
	if t.Size() == 0 {
		return errors.New("the type has no size")
	}
	if !bind.PointerFree(t) {
		return errors.New("the type has Go pointers, which devices cannot follow")
	}
	return nil
}
