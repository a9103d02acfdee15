//go:build amd64 && !purego

package exec

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// permissions returns those of the pages at an address, as Linux writes them, or "" if no pages are there.
func permissions(t *testing.T, at uintptr) string {
	const free = 0x10000 // MEM_FREE, which package windows lacks
	var info windows.MemoryBasicInformation
	if err := windows.VirtualQuery(at, &info, unsafe.Sizeof(info)); err != nil {
		t.Fatal(err)
	}
	switch {
	case info.State == free:
		return ""
	case info.Protect == windows.PAGE_EXECUTE_READ:
		return "r-xp"
	}
	return "others"
}
