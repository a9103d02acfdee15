package program

// Purpose is what a thread does with bits that nothing has written.
type Purpose uint8

// The purposes.
const (
	UseBranch Purpose = iota
	UsePrint
	UseAddress
	UseIndex
	UseStore
	UseAtomic
	UseCompare
	UseChange
	UseHandle
	UseCoordinate
	UseGradient
)

// purposes say in messages what a thread does: it "branches on" them.
var purposes = [...]string{
	UseBranch: "branches on it", UsePrint: "prints it", UseAddress: "computes an address of it",
	UseIndex: "computes an index of it", UseStore: "stores a result of it to device memory",
	UseAtomic:  "passes a result of it to an atomic function",
	UseCompare: "compares it with an atomic function", UseChange: "changes it with an atomic function",
	UseHandle: "chooses a texture by it", UseCoordinate: "computes a coordinate of it",
	UseGradient: "computes a gradient of it",
}

// String says what a thread does, as in "thread (1, 0, 0) branches on it".
func (p Purpose) String() string { return purposes[p] }
