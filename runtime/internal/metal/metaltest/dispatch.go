//go:build linux && (amd64 || arm64)

package metaltest

import (
	"cmp"
	"context"
	"fmt"
	"structs"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Dispatch is one kernel call, with the memory that it is to work on. Its bytes
// are those of the Metal buffers, and valid during the call only.
type Dispatch struct {
	Source       string // of the library, after its macros; #line makes up for them
	Kernel       string
	Label        string // of the command buffer
	Buffers      []Buffer
	Constants    []Constant
	Shared       []Shared
	Textures     []driver.TextureArg
	Samplers     []driver.SamplerArg
	Resources    []driver.Resource // that the encoder was told to use
	InMemory     []bind.Sampler    // all samplers that may be in memory, by their IDs from 1 on
	Threadgroups [3]int
	Threads      [3]int // of a threadgroup
	Size         [3]int // in threads; the last threadgroups may have fewer than Threads

	// Log takes a message of the kernel, with its MTLLogLevel. It is nil where Metal would keep none.
	Log func(subsystem, category string, level int, text string)
}

// dispatchRecord is a fakeDispatch of fake.h.
type dispatchRecord struct {
	_             structs.HostLayout
	library       uint64
	kernel, label *byte
	args          *argRecord
	argCount      uint64
	threadgroups  [3]uint64
	threads, size [3]uint64
	log           uintptr
	error         [4096]byte
}

// executeCallback is called by the library for each dispatch.
func executeCallback(r *dispatchRecord) uintptr {
	world.Lock()
	o, library, watch := world.options, world.sources[r.library], world.watch
	world.Unlock()
	if o.Execute == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(watch, cmp.Or(o.Watchdog, patience))
	defer cancel()
	err := safely(func() error { return o.Execute(ctx, r.dispatch(library)) })
	if err == nil {
		return 0
	}
	code, text := mishap(ctx, err)
	copy(r.error[:len(r.error)-1], text)
	return code
}

// safely makes an error of a panic, which must not cross C.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

func (r *dispatchRecord) dispatch(library *source) Dispatch {
	d := Dispatch{
		Kernel:       goString(r.kernel),
		Label:        goString(r.label),
		Threadgroups: ints(r.threadgroups),
		Threads:      ints(r.threads),
		Size:         ints(r.size),
	}
	if r.log != 0 {
		d.Log = func(subsystem, category string, level int, text string) {
			fake.message(r.log, subsystem, category, uint64(level), text)
		}
	}
	if library != nil {
		d.Source = library.text
	}
	args := unsafe.Slice(r.args, r.argCount)
	for i := range args {
		for _, kind := range argKinds {
			if kind.number == args[i].kind && kind.read != nil {
				kind.read(&d, &args[i])
			}
		}
	}
	return d
}

func ints(v [3]uint64) [3]int { return [3]int{int(v[0]), int(v[1]), int(v[2])} }
