package invoke

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
)

// sized passes bytes to the runtime as one value, or as elements, of a certain
// size. The runtime takes the size from a Go type, and Go makes no types of
// sizes at run time, so there is one instance of each function for each size
// that is likely.
type sized interface {
	value(c *runtime.Call, index int, b []byte)
	constant(c *runtime.Call, index int, b []byte)
	view(b runtime.Buffer[byte]) runtime.View
}

type as[T any] struct{}

func (as[T]) value(c *runtime.Call, index int, b []byte)    { runtime.Value(c, index, from[T](b)) }
func (as[T]) constant(c *runtime.Call, index int, b []byte) { runtime.Constant(c, index, from[T](b)) }
func (as[T]) view(b runtime.Buffer[byte]) runtime.View      { return runtime.Cast[T](b).View() }

// from is a T of these bytes. All T here are made of bytes, so any alignment is
// right.
func from[T any](b []byte) (v T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), b)
	return v
}

// bySize are the sizes that there are. Each takes ten kilobytes of the command, so
// they are not all that there could be.
var bySize = func() map[int]sized {
	m := make(map[int]sized)
	// Scalars and packed vectors of narrow ones.
	add[[1]byte](m)
	add[[2]byte](m)
	add[[3]byte](m)
	add[[6]byte](m)
	// Vectors, matrices and params structs.
	add[[4]byte](m)
	add[[8]byte](m)
	add[[12]byte](m)
	add[[16]byte](m)
	add[[20]byte](m)
	add[[24]byte](m)
	add[[28]byte](m)
	add[[32]byte](m)
	add[[36]byte](m)
	add[[40]byte](m)
	add[[44]byte](m)
	add[[48]byte](m)
	add[[52]byte](m)
	add[[56]byte](m)
	add[[60]byte](m)
	add[[64]byte](m)
	add[[68]byte](m)
	add[[72]byte](m)
	add[[76]byte](m)
	add[[80]byte](m)
	add[[84]byte](m)
	add[[88]byte](m)
	add[[92]byte](m)
	add[[96]byte](m)
	add[[100]byte](m)
	add[[104]byte](m)
	add[[108]byte](m)
	add[[112]byte](m)
	add[[116]byte](m)
	add[[120]byte](m)
	add[[124]byte](m)
	add[[128]byte](m)
	add[[136]byte](m)
	add[[144]byte](m)
	add[[152]byte](m)
	add[[160]byte](m)
	add[[168]byte](m)
	add[[176]byte](m)
	add[[184]byte](m)
	add[[192]byte](m)
	add[[200]byte](m)
	add[[208]byte](m)
	add[[216]byte](m)
	add[[224]byte](m)
	add[[232]byte](m)
	add[[240]byte](m)
	add[[248]byte](m)
	add[[256]byte](m)
	// Blocks of quantised weights.
	add[[18]byte](m)
	add[[34]byte](m)
	add[[66]byte](m)
	add[[110]byte](m)
	add[[210]byte](m)
	return m
}()

func add[T any](m map[int]sized) { m[int(unsafe.Sizeof(*new(T)))] = as[T]{} }
