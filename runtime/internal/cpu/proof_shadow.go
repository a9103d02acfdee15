package cpu

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/prove"
)

// workerShadow is the shadow of device memory that a worker has. It is looked at in blocks: most have been touched by
// one worker alone, or by none.
type workerShadow struct {
	slab   []uint32
	words  [][]uint32 // by the plan's Shadows
	blocks [][]amount // of these
}

// blockWords is how many words a block has.
const blockWords = 1 << 10

// amount says how much of a block has numbers of a dispatch.
type amount uint8

const (
	untouched amount = iota
	partly
	wholly
)

// shadowOf gives a worker shadow of its own.
func (p *proof) shadowOf(worker int64, g *interp.Threadgroup) {
	s := &p.shadows[worker]
	if s.words == nil {
		p.take(s)
	}
	for i, shadow := range p.by.plan.Shadows {
		for j := range g.Frames {
			if len(s.words[i]) > 0 {
				g.Frames[j].Objects[shadow.Object].Base = unsafe.Pointer(&s.words[i][0])
			}
		}
	}
}

// take takes shadow for all device memory that has some.
func (p *proof) take(s *workerShadow) {
	const line = 16 // words
	words := func(i int) int {
		if shadow := &p.by.plan.Shadows[i]; !shadow.Group {
			return int(p.Objects[shadow.Object].Size) / 4
		}
		return 0
	}
	total := 0
	for i := range p.by.plan.Shadows {
		total += (words(i) + line - 1) &^ (line - 1)
	}
	s.slab = p.kernel.device.slabs.take(total, p.words[0])
	rest := s.slab
	for i := range p.by.plan.Shadows {
		n := words(i)
		s.words = append(s.words, rest[:n:n])
		s.blocks = append(s.blocks, make([]amount, (n+blockWords-1)/blockWords))
		rest = rest[(n+line-1)&^(line-1):]
	}
}

// summarize finds what a worker has touched.
func (p *proof) summarize(worker int64) {
	s := &p.shadows[worker]
	for i, words := range s.words {
		for b := range s.blocks[i] {
			s.blocks[i][b] = touchedIn(block(words, b), p.words[0])
		}
	}
}

// block returns the words of a block.
func block(words []uint32, b int) []uint32 {
	return words[b*blockWords : min((b+1)*blockWords, len(words))]
}

// touchedIn says how many of some words are first at least, two at a time: no word has the highest bit.
func touchedIn(words []uint32, first uint32) amount {
	const high = 1<<63 | 1<<31
	least := uint64(first)<<32 | uint64(first)
	any, all := uint64(0), uint64(high)
	for _, w := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/2) {
		t := w | high - least
		any, all = any|t, all&t
	}
	if len(words)&1 != 0 {
		last := uint64(words[len(words)-1])
		t := (last | last<<32) | high - least
		any, all = any|t, all&t
	}
	switch {
	case any&high == 0:
		return untouched
	case all&high == high:
		return wholly
	}
	return partly
}

// agrees reports whether no two workers have touched the same memory, one of them writing.
func (p *proof) agrees() bool {
	list := p.by.plan.Shadows
	for i := range list {
		for j := range list {
			if list[i].Of != list[j].Of || list[i].Reads && (list[j].Reads && !p.by.plan.Atomics || i != j) {
				continue
			}
			for a := range p.shadows {
				for b := range p.shadows[:a] {
					x, y := &p.shadows[a], &p.shadows[b]
					if p.meet(x, i, y, j) || i != j && p.meet(y, i, x, j) {
						return false
					}
				}
			}
		}
	}
	return true
}

// meet reports whether two workers have touched the same: one of them has written it, or read what the other one has
// touched by atomics, if both are shadows of reads.
func (p *proof) meet(x *workerShadow, i int, y *workerShadow, j int) bool {
	if x.words == nil || y.words == nil {
		return false
	}
	first, atomics := p.words[0], p.byAtomics()
	reads := p.by.plan.Shadows[i].Reads
	for b, t := range x.blocks[i] {
		if t == untouched || y.blocks[j][b] == untouched {
			continue
		}
		other := block(y.words[j], b)
		for k, v := range block(x.words[i], b) {
			if w := other[k]; v >= first && w >= first && !(reads && (v == atomics) == (w == atomics)) {
				return true
			}
		}
	}
	return false
}

// byAtomics is the number of what atomics have touched.
func (p *proof) byAtomics() uint32 { return p.words[1] + 1 }

// markWritten tells the sanitizer which bytes of shapes were written.
func (p *proof) markWritten(d *recorded) {
	for _, n := range p.by.plan.Written {
		if e := d.Objects[n].Extent; e != nil && e.Watches() {
			p.touched(n, p.byAtomics(), func(offset, size int64) {
				if size = min(size, e.Bytes-offset); size > 0 { // other slices of a texture have none
					e.Mark(offset, size)
				}
			})
		}
	}
}

// touched calls visit for the bytes of a buffer that were written, and those that atomics and loads have touched with
// certain numbers at least.
func (p *proof) touched(object int, least uint32, visit func(offset, size int64)) {
	for i, of := range p.by.plan.Shadows {
		if of.Of != object {
			continue
		}
		from := p.words[0]
		if of.Reads {
			from = least
		}
		for w := range p.shadows {
			if s := &p.shadows[w]; s.words != nil {
				touchedWords(p.piece(&of), s.words[i], s.blocks[i], from, from == p.words[0], visit)
			}
		}
	}
}

// piece returns how many bytes of its object a word of shadow is of.
func (p *proof) piece(of *prove.Shadow) int64 {
	if t := p.Objects[of.Of].Texture; t != nil {
		return int64(t.Spec.Format.Info().Size)
	}
	return int64(4 / of.Times)
}

// touchedWords calls visit for pieces of memory whose words in the shadow of a worker are least at least. That may be
// so of all words in blocks that were touched.
func touchedWords(piece int64, words []uint32, blocks []amount, least uint32, all bool, visit func(at, size int64)) {
	from, to := int64(0), int64(0)
	for b, t := range blocks {
		if t == untouched {
			continue
		}
		at := int64(b * blockWords)
		if t == wholly && all {
			if to != at {
				visit(from*piece, (to-from)*piece)
				from = at
			}
			to = at + int64(len(block(words, b)))
			continue
		}
		for k, v := range block(words, b) {
			if v >= least {
				visit((at+int64(k))*piece, piece)
			}
		}
	}
	visit(from*piece, (to-from)*piece)
}

// slabs keeps the shadow of device memory from one dispatch to the next. Its words are numbers of earlier ones.
type slabs struct {
	mu   sync.Mutex
	next uint32
	idle []slab
}

// slab is shadow whose words are less than end.
type slab struct {
	words []uint32
	end   uint32
}

// maxStamp is the greatest number: they are compared with a sign.
const maxStamp = 1<<31 - 1

// stamps returns the first of so many numbers that no other dispatch has.
func (s *slabs) stamps(n uint32) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == 0 || s.next > maxStamp-n {
		s.next, s.idle = 1, nil
	}
	first := s.next
	s.next += n
	return first
}

// take returns so many words, all less than first: a dispatch that began later may have given back others.
func (s *slabs) take(words int, first uint32) []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, idle := range s.idle {
		if cap(idle.words) >= words && idle.end <= first {
			s.idle = slices.Delete(s.idle, i, i+1)
			return idle.words[:words]
		}
	}
	return make([]uint32, words)
}

// maxIdleSlabs bounds the slabs that are kept.
const maxIdleSlabs = 8

// give gives back words that are less than end. Those of before numbers began anew are of no use.
func (s *slabs) give(words []uint32, end uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < maxIdleSlabs && cap(words) > 0 && end <= s.next {
		s.idle = append(s.idle, slab{words, end})
	}
}
