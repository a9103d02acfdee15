package abi

import "encoding/binary"

// Resource is memory that pointers in memory may lead to, or a texture, whose Address is its ID less 1, and whose
// Length is 0: as a pointer its ID leads nowhere.
type Resource struct {
	Address, Length uint64
	Class           int    // of a texture, its place among those of Options.Found, plus 1
	Field           []byte // of a texture, what the field of one that is an argument has
}

// ResourceSize is the size of a row of the table in bytes.
const ResourceSize = 16

// PutResources writes the table of the resources of a call, which are in the order of their addresses. Its first row
// stands for the null pointer.
func PutResources(to []byte, list []Resource) []byte {
	to = append(to, make([]byte, ResourceSize)...)
	for _, r := range list {
		to = binary.LittleEndian.AppendUint64(to, r.Address)
		to = binary.LittleEndian.AppendUint64(to, r.Length)
	}
	return to
}

// PutFound writes what follows the table in kernels that find textures: of each row its class and where in all of this
// its field is, two uint32, and then the fields.
func PutFound(to []byte, list []Resource) []byte {
	from := len(to)
	to = append(to, make([]byte, FoundSize*(len(list)+1))...)
	for n, r := range list {
		binary.LittleEndian.PutUint32(to[from+FoundSize*(n+1):], uint32(r.Class))
		binary.LittleEndian.PutUint32(to[from+FoundSize*(n+1)+4:], uint32(len(to)))
		to = append(to, r.Field...)
	}
	return to
}

// FoundSize is the size of what is said of a row in bytes.
const FoundSize = 8

const (
	// Nowhere is the number of what an address leads to that is in none of the resources. The offset is the address.
	Nowhere = 1<<15 - 1
	// MaxResources is how many a call may have.
	MaxResources = 1 << 14
	// FirstSampler is the number of the sampler whose ID is 1.
	FirstSampler = Nowhere - MaxSamplers
	// MaxSamplers is how many a kernel may find.
	MaxSamplers = 32
)
