package abi

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Threads write what they log to memory of the device, one message after the other as they come, and the host sorts and
// formats it: LogRecord is a message there.

// LogSite is a place in the source that logs.
type LogSite struct {
	*ir.LogCall
	Pos  parser.Pos
	Long []bool // by argument: its elements have 64 bits, not 32
}

// LogRecord is what comes before the elements of all arguments, which take 8 bytes each.
type LogRecord struct {
	Site   uint32
	Number uint32 // of the messages of the thread
	Phase  uint32 // barriers before it
	Linear uint32 // the number of the thread in its threadgroup
	Thread [3]uint32
	Group  [3]uint32
	Log    uint32 // the number of an os_log of the kernel
	_      uint32
}

const (
	// MostLogged is how many messages of a call the memory has room for.
	MostLogged = 1 << 14
	// LogHeader are the bytes before the first message: an uint32 that counts all of them.
	LogHeader = 16

	LogRecordSize = 48
)

// LogStride returns the bytes of a message, 0 where the kernel writes none.
func (m *Module) LogStride() int {
	if len(m.Logs) == 0 {
		return 0
	}
	elements := 0
	for i := range m.Logs {
		n := 0
		for _, a := range m.Logs[i].Args {
			n += a.Count
		}
		elements = max(elements, n)
	}
	return LogRecordSize + 8*elements
}

// GetLog returns a message that a kernel has written, and the elements of its arguments.
func GetLog(from []byte) (r LogRecord, elements []uint64) {
	if _, err := binary.Decode(from, binary.LittleEndian, &r); err != nil {
		panic(err)
	}
	for at := LogRecordSize; at < len(from); at += 8 {
		elements = append(elements, binary.LittleEndian.Uint64(from[at:]))
	}
	return r, elements
}

// LogMask returns what the parameters of a call say of the levels that somebody reads.
func LogMask(reads func(l tree.LogLevel) bool) (mask uint32) {
	for l := tree.LogDebug; l <= tree.LogFault; l++ {
		if reads(l) {
			mask |= 1 << l
		}
	}
	return mask
}
