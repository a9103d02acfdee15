// Package cuda is the device that runs kernels on NVIDIA's GPUs, through the driver API.
//
// It takes the dispatches of package driver. Package ptx writes each kernel for the calls that it gets, and libcuda has
// the driver compile and run it. Start reading at device.go; compile.go and variant.go are how a source becomes
// functions of the GPU, recorder.go, start.go and job.go how a batch is recorded and run.
//
// All jobs of a device go through one stream, so that each sees what those before it have written; the calls of one
// that is kept may run at once (branch.go). What kernels find wrong lies in records of device memory, one for each
// dispatch, which are read when a job has ended (fault.go).
package cuda
