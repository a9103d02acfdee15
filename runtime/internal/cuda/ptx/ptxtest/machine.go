package ptxtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"unsafe"
)

// Launch is a call of a kernel.
type Launch struct {
	Grid, Block [3]uint32
	Dynamic     int    // bytes of threadgroup memory
	Params      []byte // all of them
	// Reach returns where so many bytes of device memory are, nil where they are nobody's.
	Reach func(address uint64, size int) unsafe.Pointer
	Seed  uint64 // of the order in which threads run
	Steps int64  // that all threads may take together; 0 for any number
	Stop  func() bool
}

// ErrSteps is the error of a launch that takes too many steps, or that was stopped.
var ErrSteps = errors.New("the kernel does not end")

// Program is a module that can be executed.
type Program struct {
	*Module
	steps   []step
	tables  map[string][]byte // of global variables
	shared  map[string]uint64
	local   map[string]uint64
	static  uint64 // bytes of shared variables
	perLane int    // bytes of a thread's own
}

// step is an instruction that is ready to be executed.
type step struct {
	guard   int // a register, -1 for none
	negated bool
	kind    stepKind
	target  int // of a branch
	run     func(t *thread)
	mask    operand
	in      *Instruction
}

type stepKind uint8

const (
	plainStep stepKind = iota
	branchStep
	endStep
	warpStep    // waits for the threads of a mask
	barrierStep // waits for the threads of the block
)

// The generic addresses of memory that is not global.
const (
	sharedWindow = uint64(1) << 60
	localWindow  = uint64(1) << 61
	paramWindow  = uint64(1) << 62
)

// thread is one while it runs.
type thread struct {
	registers []uint64
	pc        int
	lane      int
	waits     bool
	ended     bool
	warp      *warp
	local     []byte
	special   [4][3]uint32 // tid, ntid, ctaid, nctaid
}

type warp struct {
	threads []*thread
	block   *block
}

type block struct {
	program *Program
	launch  *Launch
	shared  []byte
	warps   []*warp
	random  *rand.Rand
	steps   int64
}

// failure is what a thread panics with whose kernel a card would not execute as meant.
type failure struct{ err error }

// New returns a program of a verified module.
func New(m *Module) (p *Program, err error) {
	defer func() {
		r := recover()
		if f, ok := r.(failure); ok {
			err = f.err
		} else if r != nil {
			panic(r)
		}
	}()
	p = &Program{Module: m, tables: map[string][]byte{}, shared: map[string]uint64{}, local: map[string]uint64{}}
	for _, v := range m.Variables {
		switch v.Space {
		case "global":
			bytes := make([]byte, (v.Size+15)&^15+16)
			bytes = bytes[(16-uintptr(unsafe.Pointer(&bytes[0]))%16)%16:][:v.Size]
			for i, n := range v.Values {
				for b := range v.Elem {
					bytes[i*v.Elem+b] = byte(n >> (8 * b))
				}
			}
			p.tables[v.Name] = bytes
		case "shared":
			if v.Size > 0 {
				p.static = (p.static + 15) &^ 15
				p.shared[v.Name] = p.static
				p.static += uint64(v.Size)
			}
		case "local":
			p.perLane = (p.perLane + 15) &^ 15
			p.local[v.Name] = uint64(p.perLane)
			p.perLane += v.Size
		}
	}
	p.static = (p.static + 15) &^ 15
	for _, v := range m.Variables {
		if v.Space == "shared" && v.Size == 0 {
			p.shared[v.Name] = p.static
		}
	}
	for i := range m.Code {
		p.steps = append(p.steps, p.compile(&m.Code[i]))
	}
	return p, nil
}

// Run executes a launch.
func (p *Program) Run(l *Launch) (err error) {
	defer func() {
		r := recover()
		if f, ok := r.(failure); ok {
			err = f.err
		} else if r != nil {
			panic(r)
		}
	}()
	b := &block{program: p, launch: l, random: rand.New(rand.NewPCG(l.Seed, 2))}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				b.run([3]uint32{x, y, z})
			}
		}
	}
	return nil
}

// run executes a block: one thread after the other, each as far as it comes, until all have ended.
func (b *block) run(position [3]uint32) {
	b.begin(position)
	for {
		alive, moved := 0, false
		for _, w := range b.warps {
			ended, went := w.run()
			alive += len(w.threads) - ended
			moved = moved || went
		}
		switch {
		case alive == 0:
			return
		case !moved && !b.release():
			b.stuck()
		}
	}
}

func (b *block) begin(position [3]uint32) {
	l, p := b.launch, b.program
	n := int(l.Block[0] * l.Block[1] * l.Block[2])
	if size := int(p.static) + l.Dynamic; len(b.shared) != size {
		b.shared = make([]byte, size)
	}
	for i := range b.shared {
		b.shared[i] = 0xa5
	}
	if b.warps == nil {
		for i := range n {
			if i%32 == 0 {
				b.warps = append(b.warps, &warp{block: b})
			}
			w := b.warps[i/32]
			w.threads = append(w.threads, &thread{
				registers: make([]uint64, len(p.Registers)), lane: i % 32, warp: w, local: make([]byte, p.perLane),
			})
		}
	}
	for i := range n {
		t := b.warps[i/32].threads[i%32]
		t.pc, t.waits, t.ended = 0, false, false
		for r := range t.registers {
			t.registers[r] = 0xa5a5a5a5a5a5a5a5
		}
		for r := range t.local {
			t.local[r] = 0xa5
		}
		at := uint32(i)
		t.special = [4][3]uint32{{at % l.Block[0], at / l.Block[0] % l.Block[1], at / (l.Block[0] * l.Block[1])}, l.Block,
			position, l.Grid}
	}
}

// run executes the threads of a warp in a random order. It returns how many have ended, and whether any did something.
func (w *warp) run() (ended int, moved bool) {
	first := w.block.random.IntN(len(w.threads))
	for i := range w.threads {
		t := w.threads[(first+i)%len(w.threads)]
		if !t.ended && !t.waits {
			t.run()
			moved = true
		}
		if t.ended {
			ended++
		}
	}
	for _, t := range w.threads {
		if t.waits && w.meet(t) {
			moved = true
		}
	}
	return ended, moved
}

func (t *thread) run() {
	b := t.warp.block
	for {
		if b.steps++; b.steps&0xffff == 0 && (b.launch.Stop != nil && b.launch.Stop()) ||
			b.launch.Steps > 0 && b.steps > b.launch.Steps {
			panic(failure{ErrSteps})
		}
		s := &b.program.steps[t.pc]
		if s.guard >= 0 && t.registers[s.guard] != 0 == s.negated {
			t.pc++
			continue
		}
		switch s.kind {
		case plainStep:
			s.run(t)
			t.pc++
		case branchStep:
			t.pc = s.target
		case endStep:
			t.ended = true
			return
		default:
			t.waits = true
			return
		}
	}
}

// fail ends the execution.
func (t *thread) fail(format string, args ...any) {
	s := &t.warp.block.program.steps[t.pc]
	panic(failure{fmt.Errorf("line %d: %s %v: %s, in thread %v of block %v", s.in.Line, s.in.Name, s.in.Operands,
		fmt.Sprintf(format, args...), t.special[0], t.special[2])})
}

// meet executes the instruction at which a thread waits, if all of its mask have come, and reports whether they have.
func (w *warp) meet(t *thread) bool {
	s := &w.block.program.steps[t.pc]
	if s.kind != warpStep {
		return false
	}
	mask := uint32(s.mask.get(t))
	if mask>>t.lane&1 == 0 {
		t.fail("the mask %08x lacks the thread", mask)
	}
	var come []*thread
	for _, other := range w.threads {
		switch {
		case mask>>other.lane&1 == 0 || other.ended:
		case !other.waits:
			return false
		case other.pc != t.pc || uint32(s.mask.get(other)) != mask:
			return false
		default:
			come = append(come, other)
		}
	}
	w.together(s, come)
	for _, other := range come {
		other.waits = false
		other.pc++
	}
	return true
}

// release lets the threads of a block go on that have all come to a barrier.
func (b *block) release() bool {
	for _, w := range b.warps {
		for _, t := range w.threads {
			if !t.ended && (!t.waits || b.program.steps[t.pc].kind != barrierStep) {
				return false
			}
		}
	}
	for _, w := range b.warps {
		for _, t := range w.threads {
			t.waits = false
			t.pc++
		}
	}
	return true
}

// stuck ends an execution in which all threads wait for one another.
func (b *block) stuck() {
	text := "all threads wait:"
	for _, w := range b.warps {
		for _, t := range w.threads {
			if !t.ended {
				s := &b.program.steps[t.pc]
				mask := uint64(0)
				if s.kind == warpStep {
					mask = s.mask.get(t)
				}
				text += fmt.Sprintf("\n\tthread %v at line %d, %s, mask %08x", t.special[0], s.in.Line, s.in.Name, mask)
			}
		}
	}
	panic(failure{errors.New(text)})
}

// bytes returns the memory at an address, of so many bytes.
func (t *thread) bytes(space string, address uint64, size int) []byte {
	b := t.warp.block
	switch {
	case space == "":
		switch {
		case address&paramWindow != 0:
			space, address = "param", address&^paramWindow
		case address&localWindow != 0:
			space, address = "local", address&^localWindow
		case address&sharedWindow != 0:
			space, address = "shared", address&^sharedWindow
		}
	}
	if address%uint64(size) != 0 {
		t.fail("address %#x is not aligned to %d bytes", address, size)
	}
	within := func(memory []byte) []byte {
		if address > uint64(len(memory)) || uint64(size) > uint64(len(memory))-address {
			t.fail("%d bytes at %d are beyond the %d bytes of the space %s", size, address, len(memory), space)
		}
		return memory[address:][:size]
	}
	switch space {
	case "shared":
		return within(b.shared)
	case "local":
		return within(t.local)
	case "param":
		return within(b.launch.Params)
	}
	for _, table := range b.program.tables {
		begin := uint64(uintptr(unsafe.Pointer(&table[0])))
		if address >= begin && address+uint64(size) <= begin+uint64(len(table)) {
			return table[address-begin:][:size]
		}
	}
	p := b.launch.Reach(address, size)
	if p == nil {
		t.fail("%d bytes at %#x are nobody's", size, address)
	}
	return unsafe.Slice((*byte)(p), size)
}

func (t *thread) load(space string, address uint64, size int) uint64 {
	m := t.bytes(space, address, size)
	switch size {
	case 1:
		return uint64(m[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(m))
	case 4:
		return uint64(binary.LittleEndian.Uint32(m))
	}
	return binary.LittleEndian.Uint64(m)
}

func (t *thread) store(space string, address uint64, size int, v uint64) {
	m := t.bytes(space, address, size)
	switch size {
	case 1:
		m[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(m, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(m, uint32(v))
	default:
		binary.LittleEndian.PutUint64(m, v)
	}
}

// Static returns the bytes of threadgroup memory of a block that a launch does not choose.
func (p *Program) Static() int { return int(p.static) }
