package pixel

// MSL, section 8.7.6: a number that a component cannot hold is written as the nearest one that it can.

func unsigned(bits int) conversion {
	top := uint32(1)<<bits - 1
	return conversion{
		decode: func(b uint32) uint32 { return b },
		encode: func(v uint32) uint32 { return min(v, top) },
	}
}

func signed(bits int) conversion {
	top, unused := int32(1)<<(bits-1)-1, 32-bits
	return conversion{
		decode: func(b uint32) uint32 { return uint32(int32(b<<unused) >> unused) },
		encode: func(v uint32) uint32 { return uint32(min(max(int32(v), -top-1), top)) << unused >> unused },
	}
}
