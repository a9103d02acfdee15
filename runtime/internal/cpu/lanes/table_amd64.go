//go:build !purego

package lanes

import (
	"math/bits"
	"unsafe"
)

// tables returns those that this processor can use, the best one last.
func tables() []named {
	all := []named{{"go", inGo()}}
	has2, has512 := features()
	if has2 {
		all = append(all, named{"avx2", tableAVX2()})
	}
	if has512 {
		all = append(all, named{"avx512", tableAVX512()})
	}
	return all
}

// features reports whether the processor has what avx2_amd64.s and avx512_amd64.s need, and the
// system saves the registers.
func features() (has2, has512 bool) {
	const (
		fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29 // leaf 1, c
		avx2, bmi               = 1 << 5, 1<<3 | 1<<8                // leaf 7, b
		f, dq, bw, vl           = 1 << 16, 1 << 17, 1 << 30, 1 << 31

		vectors, all = 0x6, 0xe6 // what the system saves
	)
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return false, false
	}
	_, _, c, _ := cpuid(1, 0)
	if !has(c, fma|osxsave|avx|f16c) {
		return false, false
	}
	saved := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	return has(saved, vectors) && has(b, avx2|bmi), has(saved, all) && has(b, avx2|f|dq|bw|vl)
}

func has(bits, wanted uint32) bool { return bits&wanted == wanted }

// reuse sets an operation to one of another type that does the same to bits.
func reuse[F, G any](to *F, from G) { *to = *(*F)(unsafe.Pointer(&from)) }

// finish computes the lanes that assembly has left: they hold x.
func finish(z *[Width]float32, left uint32, f func(x float32) float32) {
	for ; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		z[i] = f(z[i])
	}
}

func finish2(z *[Width]float32, left uint32, y *[Width]float32, f func(x, y float32) float32) {
	for ; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		z[i] = f(z[i], y[i])
	}
}
