package libcuda

import "unsafe"

// Flags of memory of the host (cuda.h).
const (
	HostAllocPortable    = 1
	HostAllocDeviceMap   = 2
	HostRegisterPortable = 1
	HostRegisterMap      = 2
	HostRegisterReadOnly = 8
)

// MemGetInfo returns how many bytes of device memory are free, and how many there are.
func (l *Library) MemGetInfo() (free, total int, r Result) {
	var f, t uintptr
	r = l.call(cuMemGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int(f), int(t), r
}

// MemAlloc returns the address of device memory.
func (l *Library) MemAlloc(size int) (uint64, Result) {
	var address uint64
	r := l.call(cuMemAlloc, uintptr(unsafe.Pointer(&address)), uintptr(size))
	return address, r
}

// MemFree frees device memory.
func (l *Library) MemFree(address uint64) Result { return l.call(cuMemFree, uintptr(address)) }

// MemHostAlloc returns memory of the host that stays where it is, which devices reach.
func (l *Library) MemHostAlloc(size int) (unsafe.Pointer, Result) {
	var p unsafe.Pointer
	r := l.call(cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(size), HostAllocPortable|HostAllocDeviceMap)
	return p, r
}

// MemFreeHost frees it.
func (l *Library) MemFreeHost(p unsafe.Pointer) Result { return l.call(cuMemFreeHost, uintptr(p)) }

// MemHostGetDevicePointer returns where kernels find memory of the host.
func (l *Library) MemHostGetDevicePointer(p unsafe.Pointer) (uint64, Result) {
	var address uint64
	r := l.call(cuMemHostGetDevicePointer, uintptr(unsafe.Pointer(&address)), uintptr(p), 0)
	return address, r
}

// MemHostRegister has pages of the host stay where they are, so that devices reach them.
func (l *Library) MemHostRegister(p unsafe.Pointer, size int, readOnly bool) Result {
	flags := uintptr(HostRegisterPortable | HostRegisterMap)
	if readOnly {
		flags |= HostRegisterReadOnly
	}
	return l.call(cuMemHostRegister, uintptr(p), uintptr(size), flags)
}

// MemHostUnregister ends that.
func (l *Library) MemHostUnregister(p unsafe.Pointer) Result {
	return l.call(cuMemHostUnregister, uintptr(p))
}

// MemcpyAsync copies bytes between addresses of the host or of devices, in the order of a stream.
func (l *Library) MemcpyAsync(to, from uint64, size int, s Stream) Result {
	return l.call(cuMemcpyAsync, uintptr(to), uintptr(from), uintptr(size), uintptr(s))
}

// MemsetD8Async sets bytes of device memory, in the order of a stream.
func (l *Library) MemsetD8Async(to uint64, value byte, size int, s Stream) Result {
	return l.call(cuMemsetD8Async, uintptr(to), uintptr(value), uintptr(size), uintptr(s))
}
