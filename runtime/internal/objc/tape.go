package objc

import (
	"cmp"
	"runtime"
	"unsafe"
)

// Tape records messages and sends them all in one call into C. That call costs
// 0.1 µs, and each message a few ns above what its method does; calls one by one
// cost 0.1 µs each.
//
// A tape holds plain words: it keeps neither objects nor Go memory alive, except
// its own [Tape.Words]. The caller holds a reference to every object and keeps every
// buffer reachable until the replay is over, and for as long afterwards as the
// receivers of the messages want.
//
// The zero Tape is ready for use. It is not for concurrent use; methods that the
// replay calls must not use it either.
type Tape struct {
	records []record
	blocks  [][]uintptr
	block   int // the first of blocks that has room
	used    int // words of it
	args    replayArgs
}

// record is one message. The replay routines know its layout.
type record struct {
	shape uintptr
	id    uintptr
	sel   uintptr
	words [6]uintptr
}

// Shapes of records: what their words are. The replay routines know the values.
const (
	shapeWords = iota // argument words
	shapeSizes        // two MTLSize
	shapeMixed        // two words, one that counts for nothing, and an MTLSize
)

const (
	firstRecords = 64
	blockWords   = 1024
)

// Message records a message with at most 6 argument words.
func (t *Tape) Message(id ID, sel *SEL, args ...uintptr) {
	r := t.next(id, sel)
	r.shape = shapeWords
	if copy(r.words[:], args) < len(args) {
		panic(tooMany(sel, len(args)))
	}
}

// MessageSizes records a message whose arguments are two MTLSize, such as
// dispatchThreadgroups:threadsPerThreadgroup:. Apple: MTLTypes.h.
func (t *Tape) MessageSizes(id ID, sel *SEL, a, b [3]uintptr) {
	r := t.next(id, sel)
	r.shape = shapeSizes
	copy(r.words[:3], a[:])
	copy(r.words[3:], b[:])
}

// MessageMixed records a message whose arguments are two words and then an MTLSize,
// such as dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:.
// Apple: MTLTypes.h.
func (t *Tape) MessageMixed(id ID, sel *SEL, a, b uintptr, size [3]uintptr) {
	r := t.next(id, sel)
	r.shape = shapeMixed
	r.words[0], r.words[1] = a, b
	copy(r.words[3:], size[:])
}

func (t *Tape) next(id ID, sel *SEL) *record {
	n := len(t.records)
	if n == cap(t.records) {
		t.records = grow(t.records)
	}
	t.records = t.records[:n+1]
	r := &t.records[n]
	r.id, r.sel = uintptr(id), sel.word
	return r
}

// At returns the selector and the words of message i, an MTLSize of a [Tape.MessageMixed] from the fourth on.
func (t *Tape) At(i int) (sel uintptr, words *[6]uintptr) {
	r := &t.records[i]
	return r.sel, &r.words
}

// Words returns n words, with what was in them, and their address, for messages
// that point to arrays or bytes. They do not move and stay valid until Reset.
func (t *Tape) Words(n int) (words []uintptr, address uintptr) {
	if n == 0 {
		return nil, 0
	}
	for t.block < len(t.blocks) {
		if rest := t.blocks[t.block][t.used:]; n <= len(rest) {
			t.used += n
			return rest[:n:n], uintptr(unsafe.Pointer(&rest[0]))
		}
		t.block++
		t.used = 0
	}
	t.blocks = append(t.blocks, newWords(max(n, blockWords)))
	return t.Words(n)
}

// Len returns the number of recorded messages.
func (t *Tape) Len() int { return len(t.records) }

// replayAddress is that of a C function in assembly, for one record at least:
// void replay(record *first, record *end, id (*msgSend)(id, SEL, ...), id target, double *last).
var replayAddress uintptr

// replayArgs are its arguments.
type replayArgs [5]uintptr

// Replay sends all recorded messages in their order, those that were recorded with no
// receiver to target: an encoder, say, that exists only by now. Their results are ignored.
// The messages stay recorded.
func (t *Tape) Replay(target ID) {
	if len(t.records) == 0 {
		return
	}
	if replayAddress == 0 || c.msgSend == 0 {
		t.ReplayEach(target) // which panics before Load
		return
	}
	first := uintptr(unsafe.Pointer(&t.records[0]))
	end := first + uintptr(len(t.records))*unsafe.Sizeof(record{})
	t.args = replayArgs{first, end, c.msgSend, uintptr(target), 0}
	call(replayAddress, t.args[:])
	runtime.KeepAlive(t)
}

// ReplayEach does the same in one call per message: for platforms without a replay
// routine, for tests that compare the two, and for finding, with a debugger, the
// message that aborts a process.
func (t *Tape) ReplayEach(target ID) {
	s := NewSender()
	defer s.Free()
	for i := range t.records {
		r := &t.records[i]
		s.words[0], s.words[1] = cmp.Or(r.id, uintptr(target)), r.sel
		copy(s.sizes[:], r.words[:])
		n := 0
		switch r.shape {
		case shapeSizes:
			n = s.putSizes()
		case shapeMixed:
			s.words[2], s.words[3] = r.words[0], r.words[1]
			n = s.putSize()
		default:
			n = 2 + copy(s.words[2:], r.words[:])
		}
		call(c.msgSend, s.words[:n])
		s.drop()
	}
	runtime.KeepAlive(t)
}

// Reset forgets the messages and the words, and keeps their storage.
func (t *Tape) Reset() {
	t.records = t.records[:0]
	t.block, t.used = 0, 0
}

// grow and newWords are not inlined, so that the compiler cannot find a tape that
// stays within one function and put its storage on the stack.
//
//go:noinline
func grow(records []record) []record {
	bigger := make([]record, len(records), max(firstRecords, 2*cap(records)))
	copy(bigger, records)
	return bigger
}

//go:noinline
func newWords(n int) []uintptr { return make([]uintptr, n) }
