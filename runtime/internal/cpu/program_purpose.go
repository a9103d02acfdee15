package cpu

// purpose is what a thread does with bits that nothing has written.
type purpose uint8

// The purposes.
const (
	useBranch purpose = iota
	usePrint
	useAddress
	useIndex
	useStore
	useAtomic
	useCompare
	useChange
	useHandle
	useCoordinate
	useGradient
)

// purposes say in messages what a thread does: it "branches on" them.
var purposes = [...]string{
	useBranch: "branches on it", usePrint: "prints it", useAddress: "computes an address of it",
	useIndex: "computes an index of it", useStore: "stores to device memory what depends on it",
	useAtomic:  "hands an atomic function what depends on it",
	useCompare: "compares it by an atomic function", useChange: "changes it by an atomic function",
	useHandle: "chooses a texture by it", useCoordinate: "computes a coordinate of it",
	useGradient: "computes a gradient of it",
}

// String says what a thread does, as in "thread (1, 0, 0) branches on it".
func (p purpose) String() string { return purposes[p] }
