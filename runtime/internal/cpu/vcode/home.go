package vcode

// Home is where a register has its value in memory while no register of the machine holds it.
type Home struct {
	Base Reg // pinned
	Disp int32
	How  How
}

// How is how memory holds a value.
type How uint8

// The ways.
const (
	Nowhere How = iota
	InWord
	InLong
	InSplat32 // the first element; all others are copies of it
	InSplat64
	InLanes
	InPredicate
)

// loads and stores are the instructions for what is held in memory.
var (
	loads = [...]Op{
		InWord: GLoad32, InLong: GLoad64, InSplat32: VLoadSplat32, InSplat64: VLoadSplat64, InLanes: VLoad,
		InPredicate: PLoad,
	}
	stores = [...]Op{
		InWord: GStore32, InLong: GStore64, InSplat32: VStoreS32, InSplat64: VStoreS64, InLanes: VStore,
		InPredicate: PStore,
	}
)

// spill returns memory for what has no home.
func (a *Allocator) spill(c Class) Home {
	how := [...]How{G: InLong, V: InLanes, P: InPredicate}[c]
	if n := len(a.free); n > 0 {
		at := a.free[n-1]
		a.free = a.free[:n-1]
		return Home{Run, at, how}
	}
	at := int32(firstSpill + spillBytes*a.spills)
	a.spills++
	if at+spillBytes > a.layout.Size {
		a.failed = true
		at = firstSpill
	}
	return Home{Run, a.layout.At + at, how}
}

func (a *Allocator) load(r, p Reg) {
	if made := a.made[r]; made != nil {
		again := *made
		again.D = p
		a.m.Emit(&again)
		return
	}
	h := a.home[r]
	a.m.Emit(&Instr{Op: a.held(loads[h.How]), D: p, A: h.Base, Imm: int64(h.Disp)})
}

func (a *Allocator) store(r Reg) { a.storeFrom(r, a.reg[r]) }

func (a *Allocator) storeFrom(r, p Reg) {
	h := a.home[r]
	a.m.Emit(&Instr{Op: a.held(stores[h.How]), A: h.Base, B: p, Imm: int64(h.Disp)})
}

// held returns how a predicate is loaded or stored where it is a vector.
func (a *Allocator) held(op Op) Op {
	if a.t.Registers[P] == 0 {
		switch op {
		case PLoad:
			return VLoad
		case PStore:
			return VStore
		}
	}
	return op
}
