package cpu

// around is a construct around a barrier.
type around struct {
	kind   constructKind
	id     int32
	pos    int32 // index of its position
	active int32 // its mask
	count  int32 // the number of its counter
}

// constructKind is what changes which lanes are active.
type constructKind uint8

const (
	branchConstruct constructKind = iota
	loopConstruct
	switchConstruct
	callConstruct
	kernelConstruct
)

// departure is a statement that leaves a construct.
type departure uint8

const (
	byReturn departure = iota
	byBreak
	byContinue
)

var departures = [...]string{byReturn: "returned", byBreak: "broke out", byContinue: "continued"}

// The flags of barriers (section 6.9.1).
const (
	memDevice      = 1
	memThreadgroup = 2
	memTexture     = 4
)
