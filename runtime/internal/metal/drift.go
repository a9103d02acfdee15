package metal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A kernel that is not what the generated code takes it for computes garbage. So
// what Metal's own compiler says of its arguments is compared with the description,
// when its pipeline is made. A false alarm would be as bad: what Metal leaves out,
// does not use, or says in a way that is not certain, is not compared.

// drift returns a *driver.DriftError for the first argument that is not what k
// says, and nil where there is none. A kernel that declares threadgroup memory
// itself might see that listed too.
func drift(k *driver.Kernel, list []binding, declaresGroup bool) error {
	for i := range list {
		b := &list[i]
		if _, known := bindingKinds[b.kind]; !b.used || !known {
			continue
		}
		if declaresGroup && mayDeclare(b.kind) {
			continue
		}
		if err := driftOfBinding(k, b); err != nil {
			return err
		}
	}
	return nil
}

func mayDeclare(kind bindingKind) bool {
	return slices.ContainsFunc(argKinds[:], func(k *argKind) bool { return k.binding == kind && k.declares })
}

func driftOfBinding(k *driver.Kernel, b *binding) error {
	args := argsOf(k, b.kind)
	slot := func(index int) string { return bindingKinds[b.kind] + " " + strconv.Itoa(index) }
	is := func(index int, name string) string { return slot(index) + " is " + name }
	named := slices.IndexFunc(args, func(a *driver.Arg) bool { return a.Name == b.name })
	at := slices.IndexFunc(args, func(a *driver.Arg) bool { return a.Index == b.index })
	switch {
	case at >= 0 && (b.name == "" || args[at].Name == b.name):
		return driftOfArg(k, args[at], b)
	case named >= 0:
		return driftOf(k, args[named], is(args[named].Index, b.name), is(b.index, b.name))
	case at >= 0:
		return driftOf(k, args[at], is(b.index, args[at].Name), is(b.index, b.name))
	default:
		return &driver.DriftError{
			Kernel: k.Name, Pos: k.Pos, Generated: slot(b.index) + " is not used", Metal: is(b.index, b.name),
		}
	}
}

func driftOfArg(k *driver.Kernel, arg *driver.Arg, b *binding) error {
	if readOnly := arg.Reads && !arg.Writes; readOnly && b.access != accessRead {
		return driftOf(k, arg, "it is "+accesses[accessRead], "it is "+accesses[b.access])
	}
	for _, kind := range argKinds {
		if kind.binding == b.kind && kind.drift != nil {
			if generated, metal := kind.drift(arg, b); metal != "" {
				return driftOf(k, arg, generated, metal)
			}
			return nil
		}
	}
	if isArray(arg.Type) || b.dataType == typeArray {
		return nil // the element, or the whole, may be meant
	}
	if len(arg.Fields) == 1 && arg.Fields[0].Name == "" {
		return nil // elements that refer to memory: no document says what they are
	}
	// of what an argument points to, where Metal does not speak of the pointer itself
	known := b.dataType != typePointer && b.dataType != typeNone
	if known && (!b.dataType.is(arg.Type) || len(arg.Fields) > 0 && b.dataType != typeStruct) {
		return driftOf(k, arg, "it is of type "+arg.Type, "it is of type "+b.dataType.String())
	}
	if len(arg.Fields) > 0 {
		if err := driftOfFields(k, arg, "", arg.Fields, b.members); err != nil {
			return err
		}
	}
	if b.dataType != typePointer && b.size != 0 && b.size != arg.Size {
		return driftOf(k, arg, bytesOf(arg.Type, arg.Size), bytesOf(arg.Type, b.size))
	}
	return nil
}

func bytesOf(name string, size int) string { return fmt.Sprintf("%s has %d bytes", name, size) }

// driftOfFields compares the members of a struct, which prefix leads to. Metal may
// know nothing of them, and members without a name belong to a union or base class.
func driftOfFields(k *driver.Kernel, arg *driver.Arg, prefix string, fields []driver.Field, members []member) error {
	if len(members) == 0 || slices.ContainsFunc(members, func(m member) bool { return m.name == "" }) {
		return nil
	}
	for i := range fields {
		f := &fields[i]
		at := slices.IndexFunc(members, func(m member) bool { return m.name == f.Name })
		if at < 0 {
			return driftOf(k, arg, placeOf(prefix, f.Name, f.Offset), "there is no "+prefix+f.Name)
		}
		m := &members[at]
		if m.offset != f.Offset && laidOut(members) {
			return driftOf(k, arg, placeOf(prefix, f.Name, f.Offset), placeOf(prefix, f.Name, m.offset))
		}
		if want, have := driftOfType(f, m); have != "" {
			return driftOf(k, arg, prefix+f.Name+" is "+want, "it is "+have)
		}
		if f.Texels != 0 && m.texture != nil {
			if generated, metal := m.texture.drift(f.Texture, f.Texels); metal != "" {
				return driftOf(k, arg, prefix+f.Name+": "+generated, metal)
			}
		}
		if len(f.Fields) > 0 {
			if err := driftOfFields(k, arg, prefix+f.Name+".", f.Fields, m.members); err != nil {
				return err
			}
		}
	}
	for i := range members {
		m := &members[i]
		if !slices.ContainsFunc(fields, func(f driver.Field) bool { return f.Name == m.name }) {
			return driftOf(k, arg, "there is no "+prefix+m.name, placeOf(prefix, m.name, m.offset))
		}
	}
	return nil
}

// laidOut reports whether Metal says where members are. In a struct with pointers or textures, which is an argument
// buffer to it, it may say how they are numbered instead: then they are closer to each other than a pointer is long.
func laidOut(members []member) bool {
	for i := 1; i < len(members); i++ {
		if before := &members[i-1]; before.refers() && members[i].offset-before.offset < wordSize {
			return false
		}
	}
	return true
}

func placeOf(prefix, name string, offset int) string {
	return fmt.Sprintf("%s%s is at byte %d", prefix, name, offset)
}

// driftOfType compares the type of a field with that of a member, and returns what
// both sides say where they differ. How Metal describes an array of arrays is not
// certain, nor one of a single element.
func driftOfType(f *driver.Field, m *member) (want, have string) {
	element, length, array := cutArray(f.Type)
	var same bool
	switch {
	case isArray(element) || array && length <= 1 || m.dataType == typeNone:
		same = true
	case f.Access != 0:
		return driftOfReference(f, m, element, length)
	case array:
		same = m.dataType == typeArray && m.length == length && m.element.is(element)
	case len(f.Fields) > 0:
		same = m.dataType == typeStruct
	default:
		same = m.dataType.is(f.Type)
	}
	if same {
		return "", ""
	}
	return f.Type, m.typeName()
}

// driftOfReference compares the types of a pointer or a texture, or of an array of them. Metal may know no more than
// that it is a number of 64 bits.
func driftOfReference(f *driver.Field, m *member, element string, length int) (want, have string) {
	switch {
	case m.dataType.isNumber() && !m.dataType.is("ulong"),
		m.dataType == typeArray && m.length != length,
		f.Texels == 0 && m.texture != nil, f.Texels != 0 && m.to.known,
		m.to.known && !m.to.dataType.is(pointedTo(element)):
		return f.Type, m.typeName()
	case f.Access == bind.Read && m.to.known && m.to.access != accessRead:
		return f.Type + ", " + accesses[accessRead], m.typeName() + ", " + accesses[m.to.access]
	}
	return "", ""
}

// dimensions returns where those of an array begin in its type. What stands before the last * is what pointers point
// to.
func dimensions(name string) int {
	pointed := strings.LastIndexAny(name, "*&") + 1
	if n := strings.IndexByte(name[pointed:], '['); n >= 0 {
		return pointed + n
	}
	return len(name)
}

func isArray(name string) bool { return dimensions(name) < len(name) }

// cutArray takes the first dimension off an array type.
func cutArray(name string) (element string, length int, ok bool) {
	at := dimensions(name)
	if at == len(name) {
		return name, 0, false
	}
	number, rest, _ := strings.Cut(name[at+1:], "]")
	length, err := strconv.Atoi(number)
	if err != nil {
		return name, 0, false
	}
	return name[:at] + rest, length, true
}

// pointedTo returns what a type of pointers points to: float of "device float*".
func pointedTo(name string) string {
	_, name, _ = strings.Cut(strings.TrimRight(name, "*&"), " ")
	return name
}

// driftOf returns the drift of an argument. Values have no place of their own.
func driftOf(k *driver.Kernel, arg *driver.Arg, generated, metal string) error {
	pos := arg.Pos
	if pos == "" {
		pos = k.Pos
	}
	return &driver.DriftError{Kernel: k.Name, Pos: pos, Arg: arg.Name, Generated: generated, Metal: metal}
}
