package abi

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
)

// Module is a kernel as PTX.
type Module struct {
	Kernel *ir.Kernel
	Entry  string // the name of the kernel in the text
	Text   string
	Size   int     // bytes of the block of parameters
	Fields []Field // of the block
	Sites  []Site  // by their number in the record of a fault
	Static int     // bytes of threadgroup memory beside that of arguments
	Limits []Limit // by the number of a field
	// Activated are the variables of functions that call themselves which pointers may lead to: in a record, those of the
	// first call have the numbers that follow the objects of the kernel, then those of the second.
	Activated []int
	// Resources is the number that the first row of the table of resources has in a record, 0 where there is no table.
	Resources int
	// Finds is set where the table is followed by what PutFound writes.
	Finds bool
	Logs  []LogSite // by their number in a LogRecord
	// MostLogs is how many messages a thread writes at most, 0 where that is not known.
	MostLogs int
}

// Limit is what the text compares offsets or indexes with: it is computed of the length of an object.
type Limit struct {
	Object int
	Bytes  int64 // of accesses, from the offset on
	Scale  int64 // of an index; 0 for an offset
	Signed bool  // an index of 32 bits is
	Wide   bool  // the index has 64 bits
}

// Of returns the first offset, or the first index, at which an object of a length has too few bytes. An index that may
// be negative is a large one without its sign.
func (l Limit) Of(length int64) uint64 {
	room := max(length-l.Bytes+1, 0)
	if l.Scale == 0 {
		return uint64(room)
	}
	most := int64(math.MaxUint32)
	switch {
	case l.Wide:
		most = math.MaxInt64
	case l.Signed:
		most = 1<<31 - 1
	}
	return uint64(min((room+l.Scale-1)/l.Scale, most))
}

// Field is a part of the block of parameters.
type Field struct {
	Kind   FieldKind
	Index  int // of an object, or of a function constant
	Offset int
	Size   int
}

// FieldKind says what a field holds.
type FieldKind uint8

// The kinds of fields. Integers are little-endian.
const (
	RecordField   FieldKind = iota // the address of a Record
	GridField                      // of a ragged grid: three uint32 of threads, and three of a full threadgroup
	BufferField                    // the address of a buffer and its bytes, two uint64
	ValueField                     // the bytes of a value
	SharedField                    // of threadgroup memory: where it begins and its bytes, two uint32
	ConstantField                  // the bits of a function constant, uint64, and whether it is there, uint32
	LimitField                     // the number of a Limit, uint64
	TextureField                   // layers and samples, two uint32, and each Level
	ResourceField                  // the address of the table of resources, uint64, and its rows, uint32
	LogField                       // the address of memory for messages, uint64, and a LogMask, uint32
	HandleField                    // the ID of a texture or a sampler, uint64
)
