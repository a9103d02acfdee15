package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// binding is an argument as Metal's compiler sees it. Apple: MTLBinding in
// MTLArgument.h.
type binding struct {
	kind     bindingKind
	index    int
	name     string
	access   access
	used     bool
	size     int // of an element, 0 where Metal does not tell
	dataType dataType
	members  []member // of a struct
	texture  textureBinding
}

// bindingKind is an MTLBindingType, and before macOS 13 an MTLArgumentType.
// Kinds that are not listed here are of ray tracing and graphics.
type bindingKind int

const (
	bindingBuffer      bindingKind = 0
	bindingThreadgroup bindingKind = 1
	bindingTexture     bindingKind = 2
	bindingSampler     bindingKind = 3
)

var bindingKinds = map[bindingKind]string{
	bindingBuffer: "buffer", bindingThreadgroup: "threadgroup", bindingTexture: "texture", bindingSampler: "sampler",
}

// access is an MTLBindingAccess.
type access int

const accessRead access = 0

var accesses = map[access]string{accessRead: "read only", 1: "read and written", 2: "written"}

// member is one of a struct. Apple: MTLStructMember in MTLArgument.h.
type member struct {
	name     string
	offset   int
	dataType dataType
	length   int             // of an array
	element  dataType        // of an array
	members  []member        // of a struct, or of the structs of an array
	to       pointee         // of a pointer, or of the pointers of an array
	texture  *textureBinding // of a texture, or of the textures of an array
}

// pointee is what an MTLPointerType says of what it points to.
type pointee struct {
	known    bool
	access   access
	dataType dataType
}

// refers reports whether the member is a pointer, a texture or a sampler, or an array of them.
func (m *member) refers() bool {
	t := m.dataType
	if t == typeArray {
		t = m.element
	}
	return t == typePointer || t == typeTexture || t == typeSampler
}

// typeName returns the type of the member as MSL writes it.
func (m *member) typeName() string {
	switch {
	case m.dataType == typeArray && m.to.known:
		return fmt.Sprintf("an array of %d pointers to %s", m.length, m.to.dataType)
	case m.dataType == typeArray && m.texture != nil:
		return fmt.Sprintf("an array of %d textures", m.length)
	case m.dataType == typeArray:
		return fmt.Sprintf("%s[%d]", m.element, m.length)
	case m.to.known:
		return "a pointer to " + m.to.dataType.String()
	}
	return m.dataType.String()
}

// bindings reads an MTLComputePipelineReflection. Before macOS 13 and iOS 16 its
// objects were MTLArguments, with all but the same methods. Callers are within a
// pool.
func bindings(reflection objc.ID) []binding {
	sel := selBindings
	if !reflection.Responds(sel) {
		sel = selArguments
	}
	var list []binding
	for _, id := range objc.Elements(objc.ID(reflection.Send(sel))) {
		list = append(list, readBinding(id))
	}
	return list
}

func readBinding(id objc.ID) binding {
	b := binding{
		kind:   bindingKind(id.Send(selBindingType)),
		index:  int(id.Send(selIndex)),
		name:   objc.String(objc.ID(id.Send(selName))),
		access: access(id.Send(selAccess)),
		used:   isUsed(id),
	}
	for _, k := range argKinds {
		if k.binding == b.kind && k.describe != nil { // each has the methods of its kind only
			k.describe(id, &b)
		}
	}
	return b
}

// isUsed reports whether the compiler has left an argument in.
func isUsed(id objc.ID) bool {
	sel := selIsUsed
	if !id.Responds(sel) {
		sel = selIsActive
	}
	return id.Send(sel) != 0
}

// membersOf reads an MTLStructType, which may be nil.
func membersOf(structType objc.ID) []member {
	if structType == 0 {
		return nil
	}
	var list []member
	for _, id := range objc.Elements(objc.ID(structType.Send(selMembers))) {
		m := member{
			name:     objc.String(objc.ID(id.Send(selName))),
			offset:   int(id.Send(selOffset)),
			dataType: dataType(id.Send(selDataType)),
		}
		switch m.dataType {
		case typeStruct:
			m.members = membersOf(objc.ID(id.Send(selStructType)))
		case typePointer:
			m.to = pointeeOf(objc.ID(id.Send(selPointerType)))
		case typeTexture:
			m.texture = textureTypeOf(objc.ID(id.Send(selTextureReference)))
		case typeArray:
			if array := objc.ID(id.Send(selArrayType)); array != 0 {
				m.length = int(array.Send(selArrayLength))
				m.element = dataType(array.Send(selElementType))
				m.members = membersOf(objc.ID(array.Send(selElementStruct)))
				m.to = pointeeOf(objc.ID(array.Send(selElementPointer)))
				m.texture = textureTypeOf(objc.ID(array.Send(selElementTexture)))
			}
		}
		list = append(list, m)
	}
	return list
}

// pointeeOf reads an MTLPointerType, which may be nil. What is in a struct that it leads to
// is not read: that may lead back.
func pointeeOf(pointerType objc.ID) pointee {
	if pointerType == 0 {
		return pointee{}
	}
	return pointee{
		known: true, access: access(pointerType.Send(selAccess)), dataType: dataType(pointerType.Send(selElementType)),
	}
}
