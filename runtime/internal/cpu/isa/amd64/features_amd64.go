//go:build !purego

package amd64

// features reports whether the processor has what the machines need, and the system saves the registers.
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

// cpuid returns a leaf of what the processor says about itself.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

// xgetbv returns which registers the system saves.
func xgetbv() uint32
