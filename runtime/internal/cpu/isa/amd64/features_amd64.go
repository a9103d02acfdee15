//go:build !purego

package amd64

// features reports whether the processor has what the machines need, and the system saves the registers.
func features() (found [3]bool) {
	const (
		fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29 // leaf 1, c
		avx2, bmi               = 1 << 5, 1<<3 | 1<<8                // leaf 7, b
		f, dq, bw, vl           = 1 << 16, 1 << 17, 1 << 30, 1 << 31
		vbmi                    = 1 << 1 // leaf 7, c

		vectors, all = 0x6, 0xe6 // what the system saves
	)
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return found
	}
	_, _, c, _ := cpuid(1, 0)
	if !has(c, fma|osxsave|avx|f16c) {
		return found
	}
	saved := xgetbv()
	_, b, c, _ := cpuid(7, 0)
	found[0] = has(saved, vectors) && has(b, avx2|bmi)
	found[1] = has(saved, all) && has(b, avx2|f|dq|bw|vl)
	found[2] = found[1] && has(c, vbmi)
	return found
}

func has(bits, wanted uint32) bool { return bits&wanted == wanted }

// cpuid returns a leaf of what the processor says about itself.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

// xgetbv returns which registers the system saves.
func xgetbv() uint32
