package program

import "github.com/metalgen/metalgen/internal/msl/tree"

// LogObject is an os_log of the program. Its number is the value that it has in registers.
type LogObject struct{ Subsystem, Category string }

// LogSite is a place in the source that logs.
type LogSite struct {
	Level  tree.LogLevel
	Format []tree.Conversion
	Log    int32 // the register of the number of the os_log
	Args   []LogArg
}

// LogArg is what a conversion prints, by the registers of its elements.
type LogArg struct {
	Regs  []int32
	Class Class
}
