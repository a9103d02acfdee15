package runtime

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
)

// A reference is what a struct that kernels read from memory has in place of a pointer, a texture or a sampler: a
// number, by which the device finds it.

// referenceKind is what is particular to one kind of reference.
type referenceKind struct {
	what string // "a pointer to a buffer"
	bad  map[uint64]badNumber
	find func(d *Device, number uint64) (target, bool)
}

// target is what a reference leads to: memory, a texture, or neither of a sampler, which lives as long as its device.
type target struct {
	memory  *allocation
	texture *texture
}

// resource returns what the device has made, nil of a sampler.
func (t target) resource() *resource {
	switch {
	case t.memory != nil:
		return &t.memory.resource
	case t.texture != nil:
		return t.texture.resource
	}
	return nil
}

// Numbers that references have which nothing can be reached by.
const (
	freedNumber uint64 = math.MaxUint64 - iota
	mistakenNumber
	noNumber
	lastNumber = noNumber - 1
)

// badNumber is what messages call one.
type badNumber struct {
	have string
	err  error
}

// lookUp returns what a reference leads to. Nothing is the target of null.
func (d *Device) lookUp(kind *referenceKind, number uint64) (t target, have string, err error) {
	switch {
	case number == 0:
		return target{}, "", nil
	case number > lastNumber:
		bad := kind.bad[number]
		return target{}, bad.have, bad.err
	}
	t, ok := kind.find(d, number)
	if !ok {
		return target{}, fmt.Sprintf("%#x, which leads to nothing", number), ErrNoMemory
	}
	if r := t.resource(); r != nil && r.freed.Load() {
		bad := kind.bad[freedNumber]
		return target{}, bad.have, bad.err
	}
	return t, "", nil
}

// referenceField is a reference within a value.
type referenceField struct {
	offset int
	path   string // "Pos", "Lists[2]", "" for the value itself
	kind   *referenceKind
}

var referenceFields sync.Map // reflect.Type -> []referenceField

// referencesIn returns the references that values of a type have.
func referencesIn(t reflect.Type) []referenceField {
	switch t.Kind() {
	case reflect.Struct, reflect.Array:
	default:
		return nil
	}
	if known, ok := referenceFields.Load(t); ok {
		return known.([]referenceField)
	}
	var list []referenceField
	appendReferences(&list, t, 0, "")
	referenceFields.Store(t, list)
	return list
}

// reference is a Pointer, a TextureRef or a SamplerRef.
type reference interface{ reference() *referenceKind }

var referenceType = reflect.TypeFor[reference]()

func appendReferences(list *[]referenceField, t reflect.Type, offset int, path string) {
	switch {
	case t.Kind() == reflect.Array:
		if t.Len() == 0 || len(referencesIn(t.Elem())) == 0 {
			return
		}
		for i := range t.Len() {
			appendReferences(list, t.Elem(), offset+i*int(t.Elem().Size()), path+"["+strconv.Itoa(i)+"]")
		}
	case t.Kind() != reflect.Struct:
	case t.Implements(referenceType):
		kind := reflect.Zero(t).Interface().(reference).reference()
		*list = append(*list, referenceField{offset, path, kind})
	default:
		for f := range t.Fields() {
			name := f.Name
			if path != "" {
				name = path + "." + name
			}
			appendReferences(list, f.Type, offset+int(f.Offset), name)
		}
	}
}
