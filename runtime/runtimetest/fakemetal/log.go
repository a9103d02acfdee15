package fakemetal

// Log is what a device of [Open] was sent.
type Log struct{}

// Message is one Objective-C message, or a remark of the fake's own, which has no
// Class and its text in Selector.
type Message struct {
	Class    string // of the receiver: "MTLBuffer"
	Receiver string // `MTLBuffer#1 "weights"`, or the name of a class
	Selector string
	Args     []string // as a person would write them; addresses are "pointer"
}

// Counts are numbers of what was sent.
type Counts struct {
	Messages       int
	CommandBuffers int
	Encoders       int
	Dispatches     int
	Barriers       int
	Needless       int // barriers of ended encoders that no two dispatches needed
}

// Barrier is what [Log.Order] says for a barrier.
const Barrier = "barrier"
