package interp

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Object is memory that pointers point into: a buffer, a variable that needs an
// address. Nothing outside of it can be reached.
type Object struct {
	Base unsafe.Pointer
	Size int64 // bytes that may be reached, of one lane where striped
	Near int64 // of those, what machine code reaches, see MaxNear
	// Striped is set for thread memory. Each lane has its own: the
	// 32-bit words of all lanes lie side by side, so that what all lanes do at
	// once touches memory in one piece.
	Striped bool
	Skew    int64 // how far base is from the alignment of the largest scalar
	Start   int   // of threadgroup memory: where in it
	Missing bool  // an argument that was left out
	// Constant is set for memory of the constant address space, which kernels must not
	// store to.
	Constant bool
	// Virtual is the address of base that pointers in device and constant memory have, 0 where it
	// has none. See op_resource.go.
	Virtual uint64
	Watched watching       // by the sanitizer
	Extent  *shadow.Extent // nil where the sanitizer does not compare it with what is touched
	Unset   unsafe.Pointer // bits that nothing has written, see package sanitize; nil where all is set
	Info    *program.Object

	// What textures and samplers are, which have no bytes. They are nil in other objects.
	Texture *storage.Texture
	Sampler *bind.Sampler
	Texels  Texels
}

// Texels is where the texels of a texture's first level are, for machine code.
type Texels struct {
	First         unsafe.Pointer
	Row           int64 // bytes from a row to the next one
	Width, Height int64
}

// MaxNear is how many bytes machine code reaches: so many words have numbers of 32 bits with a sign. What is farther
// away is for the interpreter.
const MaxNear = 1 << 33

// watching says which shadow an object's memory has.
type watching uint8

const (
	NotWatched watching = iota // nothing can race with what touches it
	InThreadgroupMemory
	InDeviceMemory
	InTextureMemory
)

// Object returns the object that a pointer points into.
func (f *Frame) Object(p uint64) *Object {
	n := program.ObjectOf(p)
	if n >= uint64(len(f.Objects)) { // a pointer made of other bits: the null object
		n = 0
	}
	return &f.Objects[n]
}

// isNull reports whether the object is the null object, or an argument that was left out.
func (o *Object) isNull() bool { return o.Info.Source.Kind == program.FromNothing || o.Missing }

// Hold makes bytes the memory of the object.
func (o *Object) Hold(bytes []byte) {
	o.Base, o.Size = unsafe.Pointer(unsafe.SliceData(bytes)), int64(len(bytes))
}

// Show makes the object a texture. A kernel can make a pointer of it through a union: what is not for writing may be
// memory that nobody can write.
func (o *Object) Show(t *storage.Texture) {
	o.Texture = t
	o.Hold(t.Bytes)
	l := &t.Levels[0]
	o.Texels = Texels{unsafe.Pointer(&t.Bytes[l.Offset]), int64(l.Row), int64(l.Width), int64(l.Height)}
	o.Constant = t.Spec.Usage != 0 && t.Spec.Usage&(driver.TextureWrite|driver.TextureAtomic) == 0
}

// At returns the address of a byte for a lane.
func (o *Object) At(offset int64, lane int) unsafe.Pointer {
	if o.Striped {
		return unsafe.Add(o.Base, (offset>>2*width+int64(lane))*4+offset&3)
	}
	return unsafe.Add(o.Base, offset)
}

// clearObject zeroes a variable in thread memory, which begins its life.
func clearObject(f *Frame, in *program.Instruction) {
	o := f.Object(At[uint64](f, in.A).Base)
	clear(unsafe.Slice((*byte)(o.Base), (o.Size+7)&^7*width))
}

// aligned reports whether an offset is at a multiple of the size of a scalar.
func (o *Object) aligned(offset int64, size int) bool { return (offset+o.Skew)&int64(size-1) == 0 }

// Holds reports whether size bytes at an offset are inside.
func (o *Object) Holds(offset int64, size int) bool {
	return offset >= 0 && offset <= o.Size-int64(size)
}

// ElementAt returns the element in which a byte lies, or "" for one between texels.
func (o *Object) ElementAt(offset int64) string {
	if o.Texture == nil {
		return o.Info.ElementAt(offset)
	}
	if t, ok := o.Texture.Access.TexelAt(int(offset)); ok {
		return o.Info.Name + o.Texture.Access.Name(t)
	}
	return ""
}
