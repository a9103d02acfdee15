package abi

import "encoding/binary"

// Resource is memory that pointers in memory may lead to.
type Resource struct{ Address, Length uint64 }

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

const (
	// Nowhere is the number of what an address leads to that is in none of the resources. The offset is the address.
	Nowhere = 1<<15 - 1
	// MaxResources is how many a call may have.
	MaxResources = 1 << 14
)
