package ir

// Op is an operation.
type Op uint8

// Effect says what an instruction does besides having results. An instruction without effects
// may be left out where nobody uses its results, carried out where the source does not, and
// moved.
type Effect uint8

// The effects.
const (
	Traps      Effect = 1 << iota // it may end the dispatch with a fault
	Reads                         // memory, or a local
	Writes                        // memory, or a local
	Converges                     // its results depend on which threads execute it together
	Terminates                    // it ends a region
	Constructs                    // it has regions
)

// Info is a row of the table of operations: what is known of one.
type Info struct {
	Name string
	// types are those that the instruction's Type may be.
	types typeSet
	// Signature has a letter for each operand and, after a colon, each result: T for one held
	// as the instruction's Type, b i l f p for a Bool, I32, I64, F32, Ptr; ? after a letter for
	// one that may be left out, * for any number of the last letter's, . for any type.
	Signature string
	Effect    Effect
	// eval says what the operation comes to on constants, by the type that it takes: see eval.go.
	eval evals
	// Cheap is set for what costs no more than a branch around it would.
	Cheap bool
}

// Has reports whether the operation has one of the effects.
func (i *Info) Has(e Effect) bool { return i.Effect&e != 0 }

// On reports whether the operation takes operands as t.
func (i *Info) On(t Type) bool { return i.types.has(t) }

// Info returns the row of the operation.
func (op Op) Info() *Info { return &table[op] }

// String returns the name of the operation in the text.
func (op Op) String() string { return table[op].Name }

// Named returns the operation of a name: that of a function of MSL where it does just what that does.
func Named(name string) (Op, bool) {
	op, ok := byName[name]
	return op, ok
}

// Ops returns how many operations there are: they are 1 to Ops()-1.
func Ops() int { return int(ops) }

var byName = map[string]Op{}

func init() {
	for op := Op(1); op < ops; op++ {
		byName[table[op].Name] = op
	}
}
