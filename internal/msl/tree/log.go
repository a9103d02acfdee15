package tree

// LogType is os_log, what kernels write messages to. Its values are the same for all
// threads, so a device need only tell them apart.
var LogType = &Type{Kind: Opaque, Name: "os_log", Size: 16, Align: 8}

// IsLog reports whether t is os_log.
func (t *Type) IsLog() bool { return t.Kind == Opaque && t.Name == LogType.Name }

// Text is a string literal, as a pointer to its characters and the zero after them.
type Text struct {
	Node
	Value string
}

// LogObject is os_log(Subsystem, Category), or os_log_default where both are empty.
type LogObject struct {
	Node
	Subsystem, Category string
}

// Log writes a message to X, an os_log. Each Conversion of the Format takes its Width and
// Precision, where they are FromArg, and its value off the Args, which are ints, integers
// of at least 32 bits, floats of any size, pointers and vectors, as the conversion wants.
type Log struct {
	Node
	X      Expr
	Level  LogLevel
	Format []Conversion
	Args   []Expr
}

// LogLevel says how serious a message is.
type LogLevel uint8

// The levels, from the least serious on, as log_type numbers them.
const (
	LogDebug LogLevel = iota
	LogInfo
	LogDefault
	LogError
	LogFault
)

// Conversion is a piece of a format as printf has them: Before, and then a value.
type Conversion struct {
	Before    string
	Verb      byte // one of d u o x X c f F e E g G a A p, or 0 for no value
	Flags     Flags
	Width     int // or FromArg; 0 for none
	Precision int // or FromArg, or NoPrecision
	Elements  int // of a vector, else 0
	// Bytes are what is printed of an integer, or of each element.
	Bytes int
}

// What Width and Precision may be besides numbers.
const (
	FromArg     = -1
	NoPrecision = -2
)

// Flags are those of a Conversion.
type Flags uint8

// The flags, by their characters: - + space # 0.
const (
	FlagMinus Flags = 1 << iota
	FlagPlus
	FlagSpace
	FlagSharp
	FlagZero
)
