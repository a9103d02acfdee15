package libcuda

// function is a function of the API that is used.
type function int

// functionNames are the names that the library exports. A suffix is the version of a function that cuda.h has meant by
// the name without one since CUDA 11.4 at the latest.
var functionNames = [functionCount]string{
	cuInit: "cuInit", cuDriverGetVersion: "cuDriverGetVersion", cuGetErrorName: "cuGetErrorName",
	cuGetErrorString: "cuGetErrorString", cuDeviceGetCount: "cuDeviceGetCount", cuDeviceGet: "cuDeviceGet",
	cuDeviceGetName: "cuDeviceGetName", cuDeviceGetAttribute: "cuDeviceGetAttribute",
	cuDevicePrimaryCtxRetain: "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
	cuCtxSetCurrent: "cuCtxSetCurrent", cuMemGetInfo: "cuMemGetInfo_v2", cuMemAlloc: "cuMemAlloc_v2",
	cuMemFree: "cuMemFree_v2", cuMemHostAlloc: "cuMemHostAlloc", cuMemFreeHost: "cuMemFreeHost",
	cuMemHostGetDevicePointer: "cuMemHostGetDevicePointer_v2", cuMemHostRegister: "cuMemHostRegister_v2",
	cuMemHostUnregister: "cuMemHostUnregister", cuMemcpyAsync: "cuMemcpyAsync", cuMemsetD8Async: "cuMemsetD8Async",
	cuModuleLoadDataEx: "cuModuleLoadDataEx", cuModuleUnload: "cuModuleUnload",
	cuModuleGetFunction: "cuModuleGetFunction", cuFuncGetAttribute: "cuFuncGetAttribute",
	cuLaunchKernel: "cuLaunchKernel", cuStreamCreate: "cuStreamCreate", cuStreamDestroy: "cuStreamDestroy_v2",
	cuStreamSynchronize: "cuStreamSynchronize", cuEventCreate: "cuEventCreate", cuEventDestroy: "cuEventDestroy_v2",
	cuEventRecord: "cuEventRecord", cuEventSynchronize: "cuEventSynchronize", cuEventElapsedTime: "cuEventElapsedTime",
	cuStreamBeginCapture: "cuStreamBeginCapture_v2", cuStreamEndCapture: "cuStreamEndCapture",
	cuGraphInstantiate: "cuGraphInstantiateWithFlags", cuGraphLaunch: "cuGraphLaunch",
	cuGraphExecDestroy: "cuGraphExecDestroy", cuGraphDestroy: "cuGraphDestroy",
	cuStreamWaitEvent: "cuStreamWaitEvent",
}

const (
	cuInit function = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGetCount
	cuDeviceGet
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuMemGetInfo
	cuMemAlloc
	cuMemFree
	cuMemHostAlloc
	cuMemFreeHost
	cuMemHostGetDevicePointer
	cuMemHostRegister
	cuMemHostUnregister
	cuMemcpyAsync
	cuMemsetD8Async
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuFuncGetAttribute
	cuLaunchKernel
	cuStreamCreate
	cuStreamDestroy
	cuStreamSynchronize
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	cuStreamBeginCapture
	cuStreamEndCapture
	cuGraphInstantiate
	cuGraphLaunch
	cuGraphExecDestroy
	cuGraphDestroy
	cuStreamWaitEvent
	functionCount
)
