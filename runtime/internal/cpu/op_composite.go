package cpu

func extractUint(f *frame, in *instruction) {
	extract(f, in, unsignedBits)
}

func extractInt(f *frame, in *instruction) {
	extract(f, in, signedBits)
}

// unsignedBits and signedBits return the lowest n bits as an integer.
func unsignedBits(v uint64, n uint32) uint64 { return v << (64 - n) >> (64 - n) }

func signedBits(v uint64, n uint32) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// extract takes n bits from offset on; with n = 0 none.
func extract(f *frame, in *instruction, take func(v uint64, n uint32) uint64) {
	x, offset, n := at[uint64](f, in.a).lanes(), at[uint32](f, in.b).lanes(), at[uint32](f, in.c).lanes()
	z := at[uint64](f, in.d).vector()
	for i := range z {
		z[i] = extracted(x[i], offset[i], n[i], take)
	}
}

func extracted(x uint64, offset, n uint32, take func(v uint64, n uint32) uint64) uint64 {
	if n == 0 {
		return 0
	}
	return take(x>>min(offset, 64), min(n, 64))
}
