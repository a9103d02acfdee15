package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// object is memory that pointers point into: a buffer, a variable that needs an
// address. Nothing outside of it can be reached.
type object struct {
	base unsafe.Pointer
	size int64 // bytes that may be reached, of one lane where striped
	// striped is set for thread memory, of which each lane has its own: the
	// 32-bit words of all lanes lie side by side, so that what all lanes do at
	// once touches memory in one piece.
	striped bool
	skew    int64 // how far base is from the alignment of the largest scalar
	start   int   // of threadgroup memory: where in it
	missing bool  // an argument that was left out
	// constant is set for memory of the constant address space, which kernels must not
	// store to.
	constant bool
	// virtual is the address of base that pointers in device and constant memory have, 0 where it
	// has none. See op_resource.go.
	virtual uint64
	watched watching       // by the sanitizer
	extent  *shadow.Extent // nil where the sanitizer does not compare it with what is touched
	unset   unsafe.Pointer // see op_unset_memory.go; nil where all is set
	info    *objectInfo

	// What textures and samplers are, which have no bytes. They are nil in other objects.
	texture *texture
	sampler *bind.Sampler
}

// watching says which shadow an object's memory has.
type watching uint8

const (
	notWatched watching = iota // nothing can race with what touches it
	inThreadgroupMemory
	inDeviceMemory
	inTextureMemory
)

// object returns the object that a pointer points into.
func (f *frame) object(p uint64) *object {
	n := objectOf(p)
	if n >= uint64(len(f.objects)) { // a pointer made of other bits: the null object
		n = 0
	}
	return &f.objects[n]
}

// isNull reports whether the object is none, or an argument that was left out.
func (o *object) isNull() bool { return o.info.source.kind == fromNothing || o.missing }

// hold makes bytes the memory of the object.
func (o *object) hold(bytes []byte) {
	o.base, o.size = unsafe.Pointer(unsafe.SliceData(bytes)), int64(len(bytes))
}

// show makes the object a texture. A kernel can make a pointer of it through a union: what is not for writing may be
// memory that nobody can write.
func (o *object) show(t *texture) {
	o.texture = t
	o.hold(t.bytes)
	o.constant = t.spec.Usage != 0 && t.spec.Usage&(driver.TextureWrite|driver.TextureAtomic) == 0
}

// at returns the address of a byte for a lane.
func (o *object) at(offset int64, lane int) unsafe.Pointer {
	if o.striped {
		return unsafe.Add(o.base, (offset>>2*width+int64(lane))*4+offset&3)
	}
	return unsafe.Add(o.base, offset)
}

// clearObject zeroes a variable in thread memory, which begins its life.
func clearObject(f *frame, in *instruction) {
	o := f.object(at[uint64](f, in.a).base)
	clear(unsafe.Slice((*byte)(o.base), (o.size+7)&^7*width))
}

// aligned reports whether an offset is at a multiple of the size of a scalar.
func (o *object) aligned(offset int64, size int) bool { return (offset+o.skew)&int64(size-1) == 0 }

// holds reports whether size bytes at an offset are inside.
func (o *object) holds(offset int64, size int) bool {
	return offset >= 0 && offset <= o.size-int64(size)
}

// elementAt returns the element in which a byte lies, or "" for one between texels.
func (o *object) elementAt(offset int64) string {
	if o.texture == nil {
		return o.info.elementAt(offset)
	}
	if t, ok := o.texture.view.TexelAt(int(offset)); ok {
		return o.info.name + o.texture.view.Name(t)
	}
	return ""
}
