package libcuda

import (
	"runtime"
	"strings"
	"unsafe"
)

// Options of the driver's compiler (CUjit_option in cuda.h).
const (
	jitErrorLogBuffer     = 5
	jitErrorLogBufferSize = 6
)

// ModuleLoadData compiles the text of a module. What the compiler says of a mistake is in log.
func (l *Library) ModuleLoadData(text string) (m Module, log string, r Result) {
	bytes := append([]byte(text), 0)
	buffer := make([]byte, 8<<10)
	options := [...]int32{jitErrorLogBuffer, jitErrorLogBufferSize}
	values := [...]uintptr{uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer))}
	var pin runtime.Pinner
	pin.Pin(&buffer[0])
	defer pin.Unpin()
	r = l.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(options)),
		uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	buffer[len(buffer)-1] = 0
	return m, strings.TrimSpace(goString(&buffer[0])), r
}

// ModuleUnload ends a module.
func (l *Library) ModuleUnload(m Module) Result { return l.call(cuModuleUnload, uintptr(m)) }

// ModuleGetFunction returns a kernel by its name.
func (l *Library) ModuleGetFunction(m Module, name string) (Function, Result) {
	bytes := append([]byte(name), 0)
	var f Function
	r := l.call(cuModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&bytes[0])))
	return f, r
}

// FunctionAttribute is a property of a kernel (CUfunction_attribute in cuda.h).
type FunctionAttribute int32

// The attributes that are asked for.
const (
	FuncMaxThreadsPerBlock FunctionAttribute = 0
	FuncLocalSizeBytes     FunctionAttribute = 3
	FuncNumRegs            FunctionAttribute = 4
)

// FuncGetAttribute returns a property of a kernel.
func (l *Library) FuncGetAttribute(a FunctionAttribute, f Function) (int, Result) {
	var n int32
	r := l.call(cuFuncGetAttribute, uintptr(unsafe.Pointer(&n)), uintptr(a), uintptr(f))
	return int(n), r
}

// What ends the list of parameters of a launch that has them in one block (cuda.h).
const (
	launchParamEnd           = 0
	launchParamBufferPointer = 1
	launchParamBufferSize    = 2
)

// LaunchKernel starts a kernel in the order of a stream. The parameters are copied.
func (l *Library) LaunchKernel(f Function, grid, block [3]int, shared int, s Stream, params []byte) Result {
	size := uintptr(len(params))
	extra := [...]uintptr{launchParamBufferPointer, uintptr(unsafe.Pointer(unsafe.SliceData(params))),
		launchParamBufferSize, uintptr(unsafe.Pointer(&size)), launchParamEnd}
	var pin runtime.Pinner
	pin.Pin(unsafe.SliceData(params))
	pin.Pin(&size)
	defer pin.Unpin()
	return l.call(cuLaunchKernel, uintptr(f), uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]), uintptr(block[0]),
		uintptr(block[1]), uintptr(block[2]), uintptr(shared), uintptr(s), 0, uintptr(unsafe.Pointer(&extra)))
}
