package metal

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// system is what the kernel says of the system. Classes do not tell its version: Metal has had some for a year before
// their header did. Nor does NSProcessInfo, which macOS 26 has tell 16.0 to programs of an older SDK.
type system struct {
	kernel int    // the major version of Darwin: 21 is macOS 12, 25 is macOS 26, and 27 is macOS 27
	build  string // "24B83"
}

// The first kernels of systems that brought what no selector tells.
const (
	kernelOfMacOS13 = 22
	kernelOfMacOS14 = 23
	kernelOfMacOS15 = 24
	kernelOfMacOS26 = 25
)

// thisSystem asks the kernel. Where it does not answer, the system counts as the oldest one that runs Go programs.
func thisSystem() system {
	major, _, _ := strings.Cut(sysctl("kern.osrelease"), ".")
	kernel, _ := strconv.Atoi(major)
	return system{kernel: kernel, build: sysctl("kern.osversion")}
}

// sysctl returns a text of the kernel, or "". Apple: sysctlbyname in sys/sysctl.h.
func sysctl(name string) string {
	function, err := objc.Symbol("sysctlbyname")
	if err != nil {
		return ""
	}
	s := objc.NewSender()
	defer s.Free()
	key := append([]byte(name), 0)
	var out struct {
		length uintptr
		text   [256]byte
	}
	to := &out
	to.length = uintptr(len(to.text))
	if int32(s.Call(function, s.Hold(unsafe.Pointer(&key[0])), s.Hold(unsafe.Pointer(&to.text)),
		s.Hold(unsafe.Pointer(&to.length)), 0, 0)) != 0 {
		return ""
	}
	text, _, _ := strings.Cut(string(to.text[:min(to.length, uintptr(len(to.text)))]), "\x00")
	return text
}
