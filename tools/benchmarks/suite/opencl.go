package suite

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// pocl is the functions of OpenCL that the suite calls, with a queue on pocl.
type pocl struct {
	context, device, queue uintptr

	createProgram func(context uintptr, n uint32, text **byte, lengths *uintptr, err *int32) uintptr
	build         func(program uintptr, n uint32, devices *uintptr, options *byte, notify, data uintptr) int32
	buildInfo     func(program, device uintptr, what uint32, size uintptr, out *byte, used *uintptr) int32
	createKernel  func(program uintptr, name string, err *int32) uintptr
	createBuffer  func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, err *int32) uintptr
	release       func(buffer uintptr) int32
	setArg        func(kernel uintptr, index uint32, size uintptr, value unsafe.Pointer) int32
	enqueue       func(q, kernel uintptr, dim uint32, at, global, local *uintptr, n uint32, wait, ev uintptr) int32
	read          func(q, buffer uintptr, block uint32, at, size uintptr, to *byte, n uint32, wait, ev uintptr) int32
	finish        func(queue uintptr) int32
}

// openPocl returns an error where there is no OpenCL, or none of pocl. Programs are compiled anew: nothing is kept.
func openPocl() (*pocl, error) {
	cache, err := os.MkdirTemp("", "pocl")
	if err != nil {
		return nil, err
	}
	os.Setenv("POCL_CACHE_DIR", cache)
	os.Setenv("POCL_SIGFPE_HANDLER", "0") // Go has its own
	os.Setenv("POCL_SIGUSR2_HANDLER", "0")
	library, err := purego.Dlopen("libOpenCL.so.1", purego.RTLD_NOW)
	if err != nil {
		return nil, err
	}
	p := &pocl{}
	var platforms func(n uint32, out *uintptr, found *uint32) int32
	var platformInfo func(platform uintptr, what uint32, size uintptr, out *byte, used *uintptr) int32
	var devices func(platform uintptr, kind uint64, n uint32, out *uintptr, found *uint32) int32
	var createContext func(properties *uintptr, n uint32, devices *uintptr, notify, data uintptr, err *int32) uintptr
	var createQueue func(context, device uintptr, properties uint64, err *int32) uintptr
	for name, function := range map[string]any{
		"clGetPlatformIDs": &platforms, "clGetPlatformInfo": &platformInfo, "clGetDeviceIDs": &devices,
		"clCreateContext": &createContext, "clCreateCommandQueue": &createQueue,
		"clCreateProgramWithSource": &p.createProgram, "clBuildProgram": &p.build, "clCreateKernel": &p.createKernel,
		"clGetProgramBuildInfo": &p.buildInfo, "clCreateBuffer": &p.createBuffer, "clReleaseMemObject": &p.release,
		"clSetKernelArg": &p.setArg, "clEnqueueNDRangeKernel": &p.enqueue, "clEnqueueReadBuffer": &p.read,
		"clFinish": &p.finish,
	} {
		purego.RegisterLibFunc(function, library, name)
	}
	var list [8]uintptr
	var n uint32
	if status := platforms(uint32(len(list)), &list[0], &n); status != 0 {
		return nil, fmt.Errorf("clGetPlatformIDs: %d", status)
	}
	const platformName, anyDevice = 0x902, 0xffffffff
	for _, platform := range list[:min(int(n), len(list))] {
		var name [256]byte
		var used uintptr
		if platformInfo(platform, platformName, uintptr(len(name)), &name[0], &used) != 0 ||
			!strings.HasPrefix(string(name[:]), "Portable Computing Language") {
			continue
		}
		var status int32
		if status = devices(platform, anyDevice, 1, &p.device, &n); status != 0 {
			return nil, fmt.Errorf("clGetDeviceIDs: %d", status)
		}
		if p.context = createContext(nil, 1, &p.device, 0, 0, &status); status != 0 {
			return nil, fmt.Errorf("clCreateContext: %d", status)
		}
		if p.queue = createQueue(p.context, p.device, 0, &status); status != 0 {
			return nil, fmt.Errorf("clCreateCommandQueue: %d", status)
		}
		return p, nil
	}
	return nil, errors.New("no platform of OpenCL is pocl")
}

// load makes a kernel ready to run.
func (p *pocl) load(k *Kernel, args []Arg) (loaded, error) {
	text, err := k.text()
	if err != nil {
		return loaded{}, err
	}
	var buffers []uintptr
	for _, a := range args {
		if a.value {
			buffers = append(buffers, 0)
			continue
		}
		const readWrite, copyHost = 1, 1 << 5
		var status int32
		bytes := a.bytes()
		b := p.createBuffer(p.context, readWrite|copyHost, uintptr(len(bytes)), unsafe.Pointer(&bytes[0]), &status)
		if status != 0 {
			return loaded{}, fmt.Errorf("clCreateBuffer: %d", status)
		}
		buffers = append(buffers, b)
	}
	var global, local [3]uintptr
	for i := range global {
		global[i], local[i] = uintptr(dimensions(k.Grid)[i]), uintptr(dimensions(k.Group)[i])
	}
	var kernel uintptr
	run := func() error {
		if status := p.enqueue(p.queue, kernel, 3, nil, &global[0], &local[0], 0, 0, 0); status != 0 {
			return fmt.Errorf("clEnqueueNDRangeKernel: %d", status)
		}
		if status := p.finish(p.queue); status != 0 {
			return fmt.Errorf("clFinish: %d", status)
		}
		return nil
	}
	start := time.Now()
	if kernel, err = p.compile(text, k.Name); err != nil {
		return loaded{}, err
	}
	for i, a := range args {
		bytes, size := a.bytes(), unsafe.Sizeof(buffers[i])
		from := unsafe.Pointer(&buffers[i])
		if a.value {
			from, size = unsafe.Pointer(&bytes[0]), uintptr(len(bytes))
		}
		if status := p.setArg(kernel, uint32(i), size, from); status != 0 {
			return loaded{}, fmt.Errorf("clSetKernelArg %d: %d", i, status)
		}
	}
	if err := run(); err != nil {
		return loaded{}, err
	}
	return loaded{
		first: time.Since(start), run: run,
		result: func(i int) ([]byte, error) {
			out := make([]byte, len(args[i].bytes()))
			if status := p.read(p.queue, buffers[i], 1, 0, uintptr(len(out)), &out[0], 0, 0, 0); status != 0 {
				return nil, fmt.Errorf("clEnqueueReadBuffer: %d", status)
			}
			return out, nil
		},
		free: func() {
			for _, b := range buffers {
				if b != 0 {
					p.release(b)
				}
			}
		},
	}, nil
}

func (p *pocl) compile(text, name string) (kernel uintptr, err error) {
	bytes := []byte(text)
	start, length := &bytes[0], uintptr(len(bytes))
	var status int32
	program := p.createProgram(p.context, 1, &start, &length, &status)
	if status != 0 {
		return 0, fmt.Errorf("clCreateProgramWithSource: %d", status)
	}
	options := []byte("-w\x00") // no warnings
	if status := p.build(program, 1, &p.device, &options[0], 0, 0); status != 0 {
		const buildLog = 0x1183
		log := make([]byte, 1<<16)
		var used uintptr
		p.buildInfo(program, p.device, buildLog, uintptr(len(log)), &log[0], &used)
		return 0, fmt.Errorf("clBuildProgram: %d\n%s", status, log[:min(int(used), len(log))])
	}
	kernel = p.createKernel(program, name, &status)
	if status != 0 {
		return 0, fmt.Errorf("clCreateKernel: %d", status)
	}
	return kernel, nil
}
