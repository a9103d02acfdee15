//go:build linux && (amd64 || arm64)

package metaltest

import (
	"reflect"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var threadgroupKind = argKind{
	number: 1,
	takes:  func(p *tree.Param) bool { return p.Kind == tree.ThreadgroupParam },
	read: func(d *Dispatch, r *argRecord) {
		d.Shared = append(d.Shared, Shared{int(r.index), int(r.length)})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) {
		for _, s := range from.Shared {
			to.Shared = append(to.Shared, driver.Shared{Arg: &driver.Arg{Index: s.Index}, Length: s.Length})
		}
	},
}

// Shared is the length of a threadgroup argument.
type Shared struct{ Index, Length int }

// staticMemory returns the size of the threadgroup variables of a body. They have no
// declarations in it, only uses, anywhere.
func staticMemory(body *tree.Func) int {
	if body == nil {
		return 0
	}
	w := &groupVars{seen: map[any]bool{}}
	w.walk(reflect.ValueOf(body.Body))
	return w.size
}

type groupVars struct {
	seen map[any]bool
	size int
}

func (w *groupVars) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() || w.seen[v.Interface()] {
			return
		}
		w.seen[v.Interface()] = true
		switch x := v.Interface().(type) {
		case *tree.Type, *tree.Kernel:
			return
		case *tree.Var:
			if x.Space == "threadgroup" && !x.Param && x.Static {
				w.size = (w.size+15)&^15 + x.Type.Size
			}
			return
		case *tree.Call:
			w.walk(reflect.ValueOf(x.Func.Body))
			w.walk(reflect.ValueOf(x.Args))
			return
		}
		w.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	}
}
