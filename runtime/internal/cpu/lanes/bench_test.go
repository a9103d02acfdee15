package lanes

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// BenchmarkOperations calls each operation of each instruction set: nanoseconds for 32 lanes.
func BenchmarkOperations(b *testing.B) {
	for _, set := range available {
		operations(set.table, set.table, func(name string, f, _ reflect.Value) {
			var in [8]uintptr
			var keep []reflect.Value
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range f.Type().NumIn() {
				v := usual(rng, f.Type().In(i))
				if v.CanFloat() {
					return // it is not in a register for integers
				}
				if v.Kind() == reflect.Pointer {
					in[i] = v.Pointer()
				} else {
					in[i] = scalar
				}
				keep = append(keep, v)
			}
			// Reflection would cost more than the call. All parameters are in registers, so more of them
			// do no harm.
			call := *(*func(a, b, c, d, e, f, g, h uintptr))(unsafe.Pointer(f.UnsafeAddr()))
			b.Run(set.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					call(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7])
				}
			})
			runtime.KeepAlive(keep)
		})
	}
}

// scalar is what operations take for one number: for the number, the limit and the skew of a gather too, to which the
// addresses of usual fit.
const scalar = 64

// usual returns an operand as kernels have it: numbers around 1.
func usual(rng *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[*byte]():
		v = reflect.ValueOf(&new([memorySize]byte)[memorySize/2])
	case t.Kind() == reflect.Pointer:
		v = reflect.New(t.Elem())
		for i := range Width {
			v.Elem().Index(i).Set(usual(rng, t.Elem().Elem()))
		}
	case v.CanFloat():
		v.SetFloat(rng.Float64() * 4)
	case t.Kind() == reflect.Uint64:
		v.SetUint(scalar + rng.Uint64N(scalar/4)*4)
	default:
		set(v, rng.Uint64N(1<<20))
	}
	return v
}
