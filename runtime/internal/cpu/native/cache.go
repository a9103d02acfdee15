package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// caches are registers that have what has been made of others, in the blocks that are written.
type caches struct {
	slots   []slotCache
	changes []int32 // of slots, counted
	stamp   int32
	actives [8]reg // the active lanes of a part
	full    bool   // all lanes are active
	numbers map[number]reg
	words   map[words]reg
	vectors map[[16]uint32]reg // other constants
	rows    int32              // bytes of scratch memory in use
}

type slotCache struct {
	stamp int32
	splat reg // what is the same in all lanes, or the base of what counts up
	lanes [16]reg
	preds [8]reg

	scaled   reg // the base of what counts up, by times
	by       int32
	away     reg                  // how far a pointer is from the first byte of its object
	inverses [2]reg               // see arith.Operands
	goes     [wide.LongIndex]bool // does not wrap around, as an index of a kind
}

// number is a constant in all elements.
type number struct {
	op   vcode.Op
	bits uint64
}

// words are a constant that counts up from element to element.
type words struct {
	first int64
	step  int32
	longs bool
}

func (c *caches) reset() {
	c.stamp++
	c.actives, c.full = [8]reg{}, false
	c.numbers, c.words, c.vectors = map[number]reg{}, map[words]reg{}, map[[16]uint32]reg{}
	c.rows = 0
}

// of returns what is cached of a register.
func (c *caches) of(n int32) *slotCache {
	s := &c.slots[n]
	if s.stamp != c.stamp {
		*s = slotCache{stamp: c.stamp}
	}
	return s
}

// changed forgets what is cached of a register.
func (c *caches) changed(n int32) {
	c.slots[n].stamp = 0
	c.changes[n]++
}

// scratchRow returns where in the Run there is memory for a row, or false where there is no more.
func (l *lanes) scratchRow(bytes int32) (at int64, ok bool) {
	end := l.cache.rows + (bytes+63)&^63
	if end > abi.RowBytes {
		return 0, false
	}
	at = int64(abi.RunScratch + abi.ScratchBytes + l.cache.rows)
	l.cache.rows = end
	return at, true
}
