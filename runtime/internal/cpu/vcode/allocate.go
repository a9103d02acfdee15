package vcode

import (
	"math"
	"slices"
)

// maxRegisters is more than any machine has of a class.
const maxRegisters = 40

// Allocator chooses registers of a machine for virtual ones. Those that Unit has made exist in all of a program and
// have homes, those that Temp has made in a block.
type Allocator struct {
	m       Machine
	t       *Traits
	layout  Scratch
	class   []Class // by virtual register, as all these
	home    []Home
	fixed   []Reg
	reg     []Reg // where it is now, or 0
	dirty   []bool
	soon    []int32  // when it is read next
	made    []*Instr // what makes it anew, of constants
	units   int
	touched []Reg

	owner  [Classes][maxRegisters]Reg
	pinned [Classes][maxRegisters]bool
	spills int // slots in use
	free   []int32
	change int
	pc     int32 // of the instruction that is made
	block  *Block
	reads  []int32 // by operand: when it is read next
	later  []func()

	constants constants
	last      exitStub
	one       Instr // see put
	Leave     Label // where ways out end: the instruction is in register 1, the result in 2
	failed    bool
}

// Scratch is where in the Run there is memory for the code alone, and for tiles.
type Scratch struct {
	At, Size int32
	Tiles    int32
}

// What the scratch memory is for: macros, and then what finds no register.
const (
	macroIndexes = 0
	macroValues  = 128
	macroSaved   = 384
	firstSpill   = 512
)

// Spill returns the memory of code without macros: all of it is for what finds no register.
func Spill(at, size int32) Scratch { return Scratch{At: at - firstSpill, Size: size + firstSpill} }

// Block is instructions that run one after the other.
type Block struct {
	Code []Instr
	// Needed reports whether a unit has to be at home where others go on at an instruction of the program, LiveAt
	// whether it is read from a block on, and LiveOut from one of those that come next. Needed is nil where nobody goes
	// on: units without a register of their own end with the block.
	Needed  func(unit Reg, pc int32) bool
	LiveAt  func(unit Reg, block int32) bool
	LiveOut func(unit Reg) bool
	// Fixed are the units that have a register of their own somewhere in the block.
	Fixed []Reg
	// PC are the instructions of the program that those of Code belong to.
	PC []int32
}

// never is when what is not read again is read, and late when what only others may read.
const (
	unknown = -1

	never = math.MaxInt32
	late  = never - 1
	atEnd = never - 2
)

// NewAllocator returns one for a program.
func NewAllocator(m Machine, s Scratch) *Allocator {
	a := &Allocator{m: m, t: m.Traits(), layout: s}
	a.add(NoClass, Home{}) // register 0
	a.units = 1
	a.last.change = -1
	return a
}

func (a *Allocator) add(c Class, h Home) Reg {
	if n := len(a.class); n == cap(a.class) { // append grows long slices by less, and leaves more behind
		n += 256
		a.class, a.home, a.fixed = slices.Grow(a.class, n), slices.Grow(a.home, n), slices.Grow(a.fixed, n)
		a.reg, a.dirty, a.soon = slices.Grow(a.reg, n), slices.Grow(a.dirty, n), slices.Grow(a.soon, n)
		a.made = slices.Grow(a.made, n)
	}
	a.class, a.home, a.fixed = append(a.class, c), append(a.home, h), append(a.fixed, 0)
	a.reg, a.dirty, a.soon = append(a.reg, 0), append(a.dirty, false), append(a.soon, unknown)
	a.made = append(a.made, nil)
	return Reg(len(a.class) - 1)
}

// Unit makes a register that exists in all of the program. All are made before the first block.
func (a *Allocator) Unit(c Class, h Home) Reg {
	r := a.add(c, h)
	a.units = len(a.class)
	return r
}

// Temp makes a register that exists in the block that is made next.
func (a *Allocator) Temp(c Class) Reg { return a.add(c, Home{}) }

// Units returns how many units there are, with register 0.
func (a *Allocator) Units() int { return a.units }

// ClassOf returns the class of a register.
func (a *Allocator) ClassOf(r Reg) Class { return a.class[r] }

// Fix gives a unit a register of the machine.
func (a *Allocator) Fix(unit, r Reg) { a.fixed[unit] = r }

// Fixed returns the register of the machine that a unit has, or 0.
func (a *Allocator) Fixed(unit Reg) Reg { return a.fixed[unit] }

// Failed reports whether there was no register or no memory for something. Nothing is made from then on: what registers
// hold is not known any more.
func (a *Allocator) Failed() bool { return a.failed }

// Make chooses the registers of a block and has the machine make it.
func (a *Allocator) Make(b *Block) {
	if a.failed {
		return
	}
	a.block = b
	a.change++
	for c := range a.owner {
		a.owner[c] = [maxRegisters]Reg{}
	}
	for _, u := range b.Fixed {
		a.owner[a.t.file(a.class[u])][a.fixed[u]] = u
	}
	a.constants.use(a, b.Code)
	a.look()
	at := 0
	for i := 0; i < len(b.Code) && !a.failed; i++ {
		at = a.instruction(i, &b.Code[i], at)
	}
	for _, r := range a.touched {
		a.reg[r], a.dirty[r], a.soon[r] = 0, false, unknown
	}
	a.touched = a.touched[:0]
	n := a.units
	a.class, a.home, a.fixed, a.reg = a.class[:n], a.home[:n], a.fixed[:n], a.reg[:n]
	a.dirty, a.soon, a.made = a.dirty[:n], a.soon[:n], a.made[:n]
	a.spills, a.free = 0, a.free[:0]
}

// look finds when each operand is read next: a.reads has A, B, C, D and Args of each instruction.
func (a *Allocator) look() {
	code := a.block.Code
	total := 0
	for i := range code {
		total += 4 + len(code[i].Args)
	}
	if cap(a.reads) < total {
		a.reads = make([]int32, total+total/2)
	}
	a.reads = a.reads[:total]
	then := func(r Reg) int32 {
		if r <= 0 {
			return never
		}
		if a.soon[r] == unknown {
			a.touched = append(a.touched, r)
			a.soon[r] = never
			if int(r) < a.units && a.block.Needed != nil && a.block.LiveOut(r) {
				a.soon[r] = atEnd
			}
		}
		return a.soon[r]
	}
	at := total
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		at -= 4 + len(in.Args)
		next := a.reads[at:]
		next[3] = then(in.D)
		ends := int(in.D) >= a.units || a.block.Needed == nil && in.D > 0 && a.fixed[in.D] == 0
		if next[3] == never && ends && in.Exit == nil { // nothing reads it
			*in = Instr{Args: in.Args}
			continue
		}
		if in.D > 0 {
			a.soon[in.D] = never
		}
		for j, r := range in.Args {
			next[4+j] = then(r)
		}
		next[0], next[1], next[2] = then(in.A), then(in.B), then(in.C)
		for _, r := range in.Args {
			if r > 0 {
				a.soon[r] = int32(i)
			}
		}
		for _, r := range [...]Reg{in.A, in.B, in.C} {
			if r > 0 {
				a.soon[r] = int32(i)
			}
		}
	}
}

// instruction chooses the registers of one, and returns where the reads of the next are.
func (a *Allocator) instruction(i int, in *Instr, at int) int {
	next := a.reads[at : at+4+len(in.Args)]
	at += len(next)
	switch in.Op {
	case Nothing:
		return at
	case Flush, FlushAll:
		a.flush(int32(in.Imm), in.Op == FlushAll)
		return at
	case Forget:
		if a.fixed[in.D] == 0 && a.reg[in.D] != 0 {
			a.drop(in.D)
		}
		return at
	}
	virtual := *in
	pc := a.block.PC[i]
	a.pc = pc
	if in.Op == Scatter || in.Op == ScatterAlong || in.Op == Exchange || in.Op == LaneOf {
		a.storeArgs(in, next[4:], pc)
	}
	in.A, in.B, in.C = a.use(in.A), a.use(in.B), a.use(in.C)
	for j, r := range in.Args {
		in.Args[j] = a.use(r)
	}
	var temps Temps
	for c, n := range a.t.Temps[in.Op] {
		for j := range n {
			temps[c][j] = a.take(a.t.file(Class(c)))
		}
	}
	in.T = temps
	if in.Exit != nil {
		in.Target = a.exit(in.Exit)
		in.D = a.define(virtual.D, next[3], &virtual)
	}
	a.done(virtual.A, in.A, next[0], pc)
	a.done(virtual.B, in.B, next[1], pc)
	a.done(virtual.C, in.C, next[2], pc)
	for j := range in.Args {
		a.doneArg(in.Args[j], infoArgs(in.Op), next[4+j], pc, a.t)
	}
	if in.Exit == nil {
		in.D = a.define(virtual.D, next[3], &virtual)
	}
	if virtual.D > 0 && a.fixed[virtual.D] == 0 && next[3] == never {
		a.release(virtual.D, pc)
	}
	a.pinned = [Classes][maxRegisters]bool{}
	a.emit(in)
	return at
}

// storeArgs stores the arguments of a macro that has them in memory, one after the other: there may be more of them
// than registers.
func (a *Allocator) storeArgs(in *Instr, next []int32, pc int32) {
	for j, r := range in.Args {
		p := a.use(r)
		a.put(Instr{Op: VStore, A: Run, B: p, Imm: a.placeOfArg(in.Op, j)})
		a.pinned[V][p] = false
	}
	for j, r := range in.Args {
		a.done(r, a.reg[r], next[j], pc)
	}
	in.Args = nil
}

func infoArgs(op Op) Class { return Infos[op].Args }

// doneArg is done for an argument that is known only by the machine's register.
func (a *Allocator) doneArg(r Reg, c Class, next, pc int32, t *Traits) {
	if r <= 0 {
		return
	}
	if v := a.owner[t.file(c)][r]; v > 0 && a.fixed[v] == 0 {
		a.done(v, r, next, pc)
	}
}

// use returns the register of the machine that holds a register, which is loaded if need be.
func (a *Allocator) use(r Reg) Reg {
	if r <= 0 {
		return r
	}
	if f := a.fixed[r]; f != 0 {
		return f
	}
	file := a.t.file(a.class[r])
	p := a.reg[r]
	if p == 0 {
		p = a.take(file)
		a.give(r, p)
		a.load(r, p)
	}
	a.pinned[file][p] = true
	return p
}

// give makes p hold r.
func (a *Allocator) give(r, p Reg) {
	a.reg[r] = p
	a.owner[a.t.file(a.class[r])][p] = r
	a.change++
}

// done notes that a register has been read, and when that is so again.
func (a *Allocator) done(r, p Reg, next, pc int32) {
	if r <= 0 || a.fixed[r] != 0 {
		return
	}
	a.soon[r] = next
	if next == never {
		a.release(r, pc)
	}
	if p > 0 {
		a.pinned[a.t.file(a.class[r])][p] = false
	}
}

// release makes the register of the machine free that holds what is not read again. Others may still want it.
func (a *Allocator) release(r Reg, pc int32) {
	p := a.reg[r]
	if p == 0 {
		return
	}
	if int(r) < a.units && a.dirty[r] && a.wanted(r, pc) {
		a.soon[r] = late
		return
	}
	a.drop(r)
	if h := &a.home[r]; int(r) >= a.units && h.How != Nowhere {
		a.free = append(a.free, h.Disp)
		*h = Home{}
	}
}

// wanted reports whether others may still read a unit: who begins the instruction anew, or comes after it.
func (a *Allocator) wanted(r Reg, pc int32) bool {
	return a.block.Needed != nil && (a.block.Needed(r, pc) || a.block.Needed(r, pc+1))
}

func (a *Allocator) drop(r Reg) {
	p := a.reg[r]
	a.owner[a.t.file(a.class[r])][p] = 0
	a.reg[r], a.dirty[r] = 0, false
	a.change++
}

// define returns the register of the machine for what an instruction makes.
func (a *Allocator) define(r Reg, next int32, in *Instr) Reg {
	if r <= 0 {
		return r
	}
	if f := a.fixed[r]; f != 0 {
		return f
	}
	p := a.reg[r]
	if p == 0 {
		p = a.take(a.t.file(a.class[r]))
		a.give(r, p)
	}
	if !a.dirty[r] {
		a.dirty[r] = true
		a.change++
	}
	a.soon[r] = next
	switch in.Op {
	case GConst, VConst32, VConst64, VWords:
		if int(r) >= a.units {
			again := *in
			a.made[r], a.dirty[r] = &again, false
		}
	}
	return p
}

// take returns a register of the machine that holds nothing.
func (a *Allocator) take(file Class) Reg {
	n := a.t.Registers[file]
	best, when := Reg(0), int32(-1)
	owner, pinned := &a.owner[file], &a.pinned[file]
	for p := Reg(1); int(p) <= n; p++ {
		if pinned[p] {
			continue
		}
		r := owner[p]
		if r == 0 {
			best = p
			break
		}
		if a.fixed[r] != 0 {
			continue
		}
		s := a.soon[r]
		if s == late && !a.wanted(r, a.pc) {
			a.drop(r)
			best = p
			break
		}
		if a.dirty[r] && s < late { // others are cheaper to do without
			s -= min(s, 4)
		}
		if s > when {
			best, when = p, s
		}
	}
	if best == 0 {
		a.failed = true
		return 1
	}
	if r := owner[best]; r != 0 {
		a.evict(r)
	}
	pinned[best] = true
	return best
}

// evict stores what a register of the machine holds, and makes that free.
func (a *Allocator) evict(r Reg) {
	if a.dirty[r] {
		if a.home[r].How == Nowhere {
			a.home[r] = a.spill(a.class[r])
		}
		a.store(r)
	}
	a.drop(r)
}

// Load has a fixed unit loaded from its home, and Store stored there.
func (a *Allocator) Load(unit Reg) { a.load(unit, a.fixed[unit]) }

// flush stores what is read from a block on.
func (a *Allocator) flush(to int32, all bool) {
	for file := range a.owner {
		for p, r := range a.owner[file] {
			if r <= 0 || int(r) >= a.units || a.fixed[r] != 0 || !a.dirty[r] || !a.block.LiveAt(r, to) {
				continue
			}
			a.storeFrom(r, Reg(p))
			a.dirty[r] = false
			a.change++
		}
	}
	if !all {
		return
	}
	for _, u := range a.block.Fixed {
		if a.block.LiveAt(u, to) {
			a.storeFrom(u, a.fixed[u])
		}
	}
}
