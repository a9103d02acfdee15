package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// logObject is an os_log of the program. Its number is the value that it has in registers.
type logObject struct{ subsystem, category string }

// logSite is a place in the source that logs.
type logSite struct {
	level  tree.LogLevel
	format []tree.Conversion
	log    int32 // the register of the number of the os_log
	args   []logArg
}

// logArg is what a conversion prints, by the registers of its elements.
type logArg struct {
	regs  []int32
	class class
	kind  tree.ScalarKind // of an element; ULong for a pointer
}
