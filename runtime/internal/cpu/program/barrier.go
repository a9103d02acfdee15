package program

// Around is a construct around a barrier.
type Around struct {
	Kind   ConstructKind
	Id     int32
	Pos    int32 // index of its position
	Active int32 // its mask
	Count  int32 // the number of its counter
}

// ConstructKind is what changes which lanes are active.
type ConstructKind uint8

const (
	BranchConstruct ConstructKind = iota
	LoopConstruct
	SwitchConstruct
	CallConstruct
	KernelConstruct
)

// Departure is a statement that leaves a construct.
type Departure uint8

const (
	ByReturn Departure = iota
	ByBreak
	ByContinue
)

// Departures say in messages how a thread has left.
var Departures = [...]string{ByReturn: "returned", ByBreak: "broke out", ByContinue: "continued"}

// The flags of barriers (section 6.9.1).
const (
	MemDevice      = 1
	MemThreadgroup = 2
	MemTexture     = 4
)
