package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// A struct that is copied in memory is copied in words, as far as its alignment allows: loaders of tiles
// say `struct alignas(16) { uchar bytes[16]; }`.

// copied returns the value of a struct as it is assigned to a place in memory, and that place, so that words of the
// one are words of the other. It reports false for other assignments.
func (b *builder) copied(e *tree.Assign, to place) (place, value, bool) {
	if t := e.L.Type(); t.Kind != tree.StructType || !to.memory || to.packed || !isPlace(e.R) {
		return to, nil, false
	}
	from := b.lvalue(e.R)
	if !from.memory || from.packed {
		return to, b.load(from, e.R.Position()), true
	}
	from.words, to.words = true, true
	return to, b.load(from, e.R.Position()), true
}

// wordsIn returns words that have the bytes of integers, where those lie side by side and are aligned to words.
// Other scalars stay what they are.
func wordsIn(leaves []leaf, align int) []leaf {
	var words []leaf
	for i := 0; i < len(leaves); {
		n := 1
		word := leaves[i]
		for _, size := range [...]int{4, 2} {
			if count := narrowIn(leaves[i:], size); count > 0 && align >= size && word.offset%size == 0 {
				word, n = leaf{kind: unsignedOf[size], offset: word.offset}, count
				break
			}
		}
		words = append(words, word)
		i += n
	}
	return words
}

// narrowIn returns how many integers of fewer bytes, side by side, come to exactly so many, or 0.
func narrowIn(leaves []leaf, size int) int {
	bytes := 0
	for i, l := range leaves {
		if l.isHandle() || l.packed || l.unit || narrowRanges[l.kind].high == 0 || l.offset != leaves[0].offset+bytes {
			return 0
		}
		if bytes += sizes[l.kind]; bytes >= size {
			if bytes > size || i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
