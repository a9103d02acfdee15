package libcuda

import "unsafe"

// Handles of the API. They are valid in one process.
type (
	Device   int32
	Context  uintptr
	Module   uintptr
	Function uintptr
	Stream   uintptr
	Event    uintptr
	Graph    uintptr
	Exec     uintptr // a graph that can be launched
)

// Attribute is a property of a device (CUdevice_attribute in cuda.h).
type Attribute int32

// The attributes that are asked for.
const (
	MaxThreadsPerBlock      Attribute = 1
	MaxSharedMemoryPerBlock Attribute = 8
	MultiprocessorCount     Attribute = 16
	ComputeCapabilityMajor  Attribute = 75
	ComputeCapabilityMinor  Attribute = 76
)

// Init begins using the driver.
func (l *Library) Init() Result { return l.call(cuInit, 0) }

// DriverGetVersion returns the version of the API that the driver has: 12040 is 12.4.
func (l *Library) DriverGetVersion() (int, Result) {
	var n int32
	r := l.call(cuDriverGetVersion, uintptr(unsafe.Pointer(&n)))
	return int(n), r
}

// DeviceGetCount returns how many devices there are.
func (l *Library) DeviceGetCount() (int, Result) {
	var n int32
	r := l.call(cuDeviceGetCount, uintptr(unsafe.Pointer(&n)))
	return int(n), r
}

// DeviceGet returns the device of a number, from 0.
func (l *Library) DeviceGet(index int) (Device, Result) {
	var d Device
	r := l.call(cuDeviceGet, uintptr(unsafe.Pointer(&d)), uintptr(index))
	return d, r
}

// DeviceGetName returns, say, "NVIDIA H100 80GB HBM3".
func (l *Library) DeviceGetName(d Device) (string, Result) {
	name := make([]byte, 256)
	r := l.call(cuDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(d))
	name[len(name)-1] = 0
	return goString(&name[0]), r
}

// DeviceGetAttribute returns a property of a device.
func (l *Library) DeviceGetAttribute(a Attribute, d Device) (int, Result) {
	var n int32
	r := l.call(cuDeviceGetAttribute, uintptr(unsafe.Pointer(&n)), uintptr(a), uintptr(d))
	return int(n), r
}

// PrimaryCtxRetain returns the context of a device that all of a process share.
func (l *Library) PrimaryCtxRetain(d Device) (Context, Result) {
	var c Context
	r := l.call(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&c)), uintptr(d))
	return c, r
}

// PrimaryCtxRelease gives it back.
func (l *Library) PrimaryCtxRelease(d Device) Result {
	return l.call(cuDevicePrimaryCtxRelease, uintptr(d))
}

// CtxSetCurrent makes a context that of the calling thread of the system. All functions below need one, so a goroutine
// keeps its thread from here to the last of them.
func (l *Library) CtxSetCurrent(c Context) Result { return l.call(cuCtxSetCurrent, uintptr(c)) }
