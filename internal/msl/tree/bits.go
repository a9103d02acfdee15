package tree

// Bits returns so many bits of bytes, as in a bit-field: bit first and those above it, the
// lowest bit of the first byte being bit 0.
func Bits(from []byte, first, width int) uint64 {
	var v uint64
	for i := first / 8; 8*i < first+width; i++ {
		v |= up(uint64(from[i]), 8*i-first)
	}
	return v << (64 - width) >> (64 - width)
}

// SetBits replaces the bits that Bits returns with the lowest of v.
func SetBits(to []byte, first, width int, v uint64) {
	ones := ^uint64(0) >> (64 - width)
	for i := first / 8; 8*i < first+width; i++ {
		to[i] = to[i]&^byte(up(ones, first-8*i)) | byte(up(v&ones, first-8*i))
	}
}

// up shifts v up by n bits, or down where n is negative.
func up(v uint64, n int) uint64 {
	if n < 0 {
		return v >> -n
	}
	return v << n
}
