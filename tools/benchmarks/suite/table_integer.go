package suite

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// integer: integers.
var integer = []Kernel{
	{
		Name: "murmur", Source: "integer", After: "hashes", Size: "256 Ki keys of 64 bytes",
		Grid: [3]int{256 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(words(r, 16*256<<10)), out[uint32](256 << 10), value(uint32(256 << 10))}
		},
	},
	{
		Name: "histogram", Source: "integer", After: "Parboil histo", Size: "4 Mi bytes in blocks of 64 Ki",
		Grid: [3]int{64 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(bytes(r, 4<<20)), out[uint32](64 * 256), value(uint32(64 << 10))}
		},
		Want: func(a []Arg) []float64 {
			bins := make([]float64, 64*256)
			for i, b := range a[0].data.([]uint8) {
				bins[i>>16*256+int(b)]++
			}
			return bins
		},
	},
	{
		Name: "sha256", Source: "integer", After: "hashes", Size: "128 Ki blocks", Grid: [3]int{128 << 10},
		Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			blocks := make([]uint32, 0, 16*128<<10)
			for range 128 << 10 { // messages of 55 bytes fill a block with what ends them
				blocks = append(append(blocks, words(r, 13)...), r.Uint32()|0x80, 0, 55*8)
				blocks[len(blocks)-3] = blocks[len(blocks)-3]&^0xff | 0x80
			}
			return []Arg{in(blocks), out[uint32](8 * 128 << 10), value(uint32(128 << 10))}
		},
		Want: func(a []Arg) []float64 {
			var sums []float64
			for block := range slices.Chunk(a[0].data.([]uint32), 16) {
				var message []byte
				for _, w := range block {
					message = binary.BigEndian.AppendUint32(message, w)
				}
				sum := sha256.Sum256(message[:55])
				for i := 0; i < len(sum); i += 4 {
					sums = append(sums, float64(binary.BigEndian.Uint32(sum[i:])))
				}
			}
			return sums
		},
	},
	{
		Name: "fnv", Source: "integer", After: "hashes", Size: "128 Ki keys of 32 bytes", Grid: [3]int{128 << 10},
		Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 32*128<<10)), out[uint32](128 << 10), value(uint32(128 << 10)), value(uint32(32)),
			}
		},
		Want: func(a []Arg) []float64 {
			var sums []float64
			for key := range slices.Chunk(a[0].data.([]uint8), 32) {
				h := fnv.New32a()
				h.Write(key)
				sums = append(sums, float64(h.Sum32()))
			}
			return sums
		},
	},
	{
		Name: "philox", Source: "integer", After: "Random123", Size: "4 Mi numbers", Grid: [3]int{1 << 20},
		Group: [3]int{256},
		Args:  func(r *rand.Rand) []Arg { return []Arg{out[uint32](4 << 20), value(uint32(42))} },
	},
	{
		Name: "xorshift64", Source: "integer", After: "random numbers of 64 bits", Size: "256 Ki states, 64 steps",
		Grid: [3]int{256 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			seeds := make([]uint64, 256<<10)
			for i := range seeds {
				seeds[i] = r.Uint64()
			}
			return []Arg{in(seeds), out[uint64](256 << 10), value(uint32(64))}
		},
		Want: func(a []Arg) []float64 {
			var halves []float64
			for _, s := range a[0].data.([]uint64) {
				s |= 1
				for range 64 {
					s ^= s >> 12
					s ^= s << 25
					s ^= s >> 27
				}
				s = (s ^ s>>30) * 0xbf58476d1ce4e5b9
				s ^= s >> 31
				halves = append(halves, float64(uint32(s)), float64(s>>32))
			}
			return halves
		},
	},
	{
		Name: "collatz", Source: "integer", After: "a classic", Size: "the numbers up to 512 Ki", Grid: [3]int{512 << 10},
		Group: [3]int{256},
		Args:  func(r *rand.Rand) []Arg { return []Arg{out[uint32](512 << 10), value(uint32(1))} },
		Want: func(a []Arg) []float64 {
			return each(512<<10, func(i int) float64 {
				steps := 0
				for n := uint32(i + 1); n != 1; steps++ {
					if n%2 == 1 {
						n = 3*n + 1
					} else {
						n /= 2
					}
				}
				return float64(steps)
			})
		},
	},
}
