package binding

// Absent is the kind of arguments under a function constant that nothing switches on.
var Absent ArgKind = absent{}

type absent struct{ notPassed }

func (absent) String() string { return "absent" }
