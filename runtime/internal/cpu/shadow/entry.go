package shadow

// entry is one access to the bytes of a word, packed into 64 bits: which bytes, who, in
// which of its steps, from where in the source, and how. The zero entry means no access.
//
//	bits  0 to  4  the lane that touched byte 0, or would have
//	bits  5 to  6  how many bytes each lane has, see spans
//	bits  7 to 11  the simd-group
//	bit  12        writes
//	bit  13        atomic
//	bits 14 to 31  the site
//	bits 32 to 35  the bytes, one bit each
//	bits 36 to 63  the step
type entry uint64

// How the bytes of a word are shared out among lanes.
const (
	spanByte  entry = iota << 5 // the next lane for each byte
	spanHalf                    // the next lane for each two bytes
	spanWord                    // one lane
	spanGroup                   // all lanes of the simd-group together
)

const (
	lanes = 32

	laneBits  entry = lanes - 1
	spanBits  entry = 3 << 5
	whoBits         = laneBits | spanBits | 31<<7
	writeBit  entry = 1 << 12
	atomicBit entry = 1 << 13
	classBits       = writeBit | atomicBit
	siteBits  entry = MaxSite << siteShift
	maskBits  entry = 15 << 32
	wholeWord       = maskBits
	stepBits  entry = maxStep << stepShift

	simdShift = 7
	siteShift = 14
	maskShift = 32
	stepShift = 36

	// MaxSite bounds the numbers of places in the source.
	MaxSite = 1<<18 - 1
	maxStep = 1<<28 - 1
)

func (e entry) simdgroup() int { return int(e>>simdShift) & 31 }
func (e entry) step() uint32   { return uint32(e >> stepShift) }
func (e entry) mask() entry    { return e & maskBits }

// lane returns the lane that touched a byte, 0 to 3.
func (e entry) lane(b int) int {
	switch e & spanBits {
	case spanByte:
		return int(e+entry(b)) & 31
	case spanHalf:
		return int(e+entry(b>>1)) & 31
	}
	return int(e) & 31
}

// at returns the entry for one byte alone.
func (e entry) at(b int) entry {
	one := e & (1 << (maskShift + b))
	if one == 0 {
		return 0
	}
	if e&spanBits < spanWord {
		e = e&^(spanBits|laneBits) | spanWord | entry(e.lane(b))
	}
	return e&^maskBits | one
}

// join returns one entry for the bytes of two, where both are of lanes that lie side by
// side as spans have it.
func join(a, b entry) (entry, bool) {
	all := a.mask() | b.mask()
	if a&spanBits == spanGroup || b&spanBits == spanGroup {
		return b | all, a&spanBits == b&spanBits
	}
	for span := spanWord; ; span -= spanHalf {
		e, ok := entry(0), true
		for i := range 4 {
			for _, part := range [2]entry{a, b} {
				if part>>(maskShift+i)&1 == 0 {
					continue
				}
				shift := span >> 5
				first := entry(part.lane(i)-i>>shift) & laneBits
				if e == 0 {
					e = b&^(laneBits|spanBits) | first | span | all
				}
				ok = ok && e&laneBits == first
			}
		}
		if ok || span == spanByte {
			return e, ok
		}
	}
}

// sameThread reports whether both are of one simd-group and, in all bytes that both have,
// of one lane.
func sameThread(a, b entry) bool {
	if (a^b)&whoBits == 0 {
		return true
	}
	if (a^b)>>simdShift&31 != 0 || (a&spanBits == spanGroup) != (b&spanBits == spanGroup) {
		return false
	}
	if a&spanBits == spanGroup {
		return true
	}
	for i := range 4 {
		if (a&b)>>(maskShift+i)&1 != 0 && a.lane(i) != b.lane(i) {
			return false
		}
	}
	return true
}

// crossed reports whether both are of one simd-group, and may be of one lane in some bytes
// and of different ones in others.
func crossed(a, b entry) bool {
	return a != 0 && (a^b)&whoBits != 0 && (a^b)>>simdShift&31 == 0 && min(a&spanBits, b&spanBits) < spanWord
}

// covers reports whether whatever conflicts with b, by how it is accessed, conflicts with
// a too.
func covers(a, b entry) bool {
	a, b = a&classBits, b&classBits
	return a == b || b == atomicBit // a load, which conflicts with plain writes only, as all do
}

// compatible reports whether two accesses may go on at once.
func compatible(a, b entry) bool { return (a|b)&writeBit == 0 || a&b&atomicBit != 0 }
