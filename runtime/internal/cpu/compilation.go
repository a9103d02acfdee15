package cpu

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// kernel is a compiled kernel.
type kernel struct {
	device  *Device
	text    *string // of its source
	checked *tree.Kernel
	fn      *tree.Func
	program *interp.Code
	err     error
	pools   [2]pool        // of program, and of the careful one
	natives *machine.Codes // of program; nil where the device makes no machine code
	machine newMachine

	mu             sync.Mutex   // of what follows
	carefulProgram *interp.Code // nil until it is needed
	carefulErr     error
	carefulMachine newMachine
	proving        *proving // nil until it is needed
}

// compilation is a kernel while it is compiled, in a goroutine of its own. It stops when
// nobody waits for it any more, or when the device does.
type compilation struct {
	device  *Device
	from    *driver.Kernel
	call    any // for which it was begun
	library *frontend.Library
	waiting int           // of those who may need the kernel; guarded by the device
	done    chan struct{} // closed at the end
	slow    chan struct{} // closed when it has taken its time, or another of the library that it may wait for
	isSlow  bool          // slow is closed; guarded by the device
	result  *kernel       // when it is done; nil where it was stopped
	stop    atomic.Bool
	asked   atomic.Int64 // whether to stop
}

// join returns a kernel that is compiled, or else its compilation, which the caller
// waits for from now on, until leave. Of several callers at once, one begins it, for a call.
func (d *Device) join(from *driver.Kernel, call any) (*kernel, *compilation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[from]; k != nil {
		return k, nil, k.err
	}
	if d.stopped.Load() {
		return nil, nil, &driver.StoppedError{}
	}
	c := d.compilations[from]
	if c == nil {
		lib := d.libraries[from.Library]
		if lib == nil {
			lib = frontend.NewLibrary(d.dialect.source(from.Library))
			d.libraries[from.Library] = lib
		}
		c = &compilation{device: d, from: from, call: call, library: lib}
		c.done, c.slow = make(chan struct{}), make(chan struct{})
		if d.isSlow(lib) {
			c.slowDown()
		}
		d.compilations[from] = c
		d.compiling.Go(c.run)
	}
	c.waiting++
	return nil, c, nil
}

// isSlow reports whether a compilation of a library has taken its time.
func (d *Device) isSlow(lib *frontend.Library) bool {
	for _, c := range d.compilations {
		if c.library == lib && c.isSlow {
			return true
		}
	}
	return false
}

// slowDown closes slow.
func (c *compilation) slowDown() {
	if !c.isSlow {
		c.isSlow = true
		close(c.slow)
	}
}

// tookLong ends the patience with a compilation, and with those of the same library: the program is worked on for one
// of them at a time, and a call must not wait for another's kernel any longer than for its own.
func (c *compilation) tookLong() {
	c.device.mu.Lock()
	defer c.device.mu.Unlock()
	c.slowDown()
	for _, other := range c.device.compilations {
		if other.library == c.library {
			other.slowDown()
		}
	}
}

// leave ends what join began.
func (c *compilation) leave() {
	c.device.mu.Lock()
	defer c.device.mu.Unlock()
	if c.waiting--; c.waiting == 0 {
		c.end()
	}
}

// end makes the compilation stop, so that a call that comes later begins another one.
func (c *compilation) end() {
	c.stop.Store(true)
	if c.device.compilations[c.from] == c {
		delete(c.device.compilations, c.from)
	}
}

// kernel returns the compiled form of a kernel, however long that takes.
func (d *Device) kernel(from *driver.Kernel) (*kernel, error) {
	k, c, err := d.join(from, nil)
	if c == nil {
		return k, err
	}
	defer c.leave()
	<-c.done
	return c.kernel()
}

// kernel returns the result of a compilation that is done.
func (c *compilation) kernel() (*kernel, error) {
	if c.result == nil {
		return nil, &driver.StoppedError{}
	}
	return c.result, c.result.err
}

// run compiles the kernel.
func (c *compilation) run() {
	defer close(c.done)
	k := &kernel{device: c.device, text: c.from.Library.Source}
	c.compile(k)
	c.device.mu.Lock()
	defer c.device.mu.Unlock()
	if errors.Is(k.err, interp.ErrStopped) {
		return
	}
	c.result = k
	c.device.kernels[c.from] = k
	delete(c.device.compilations, c.from)
}

func (c *compilation) compile(k *kernel) {
	defer interp.RecoverInternal(&k.err, c.from.Name)
	k.err = c.device.options.Measure(c.from.Name, c.call, func() (err error) {
		if k.checked, k.fn, err = c.device.dialect.check(c.library, c.from, c.stops); err != nil {
			return err
		}
		k.program, err = compile(k.checked, k.fn, c.device.building(true), c.stops)
		k.natives, k.machine = c.device.machineOf(k.program)
		return err
	})
}

// building returns how the device compiles kernels.
func (d *Device) building(hoist bool) assemble.Options {
	return assemble.Options{
		Hoist: hoist, Sanitize: d.sanitize != 0, NaN: d.sanitize&driver.CheckNaN != 0, Pause: d.schedule != 0,
		Uninit: d.sanitize&driver.CheckUninit != 0, Shape: d.sanitize&(driver.CheckShape|driver.CheckGrid) != 0,
		Plain: d.nativeAfter >= 0,
	}
}

// stops reports whether the compilation is of no use any more. The parser calls it from several goroutines.
func (c *compilation) stops() bool {
	if c.asked.Add(1) == patience {
		c.tookLong()
	}
	return c.stop.Load()
}

// careful returns the program for dispatches in which something is missing that the
// other one loads whether or not it is needed. It ends where the job or the device is
// stopped.
func (k *kernel) careful(stop *atomic.Bool) (_ *interp.Code, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.carefulProgram != nil || k.carefulErr != nil {
		return k.carefulProgram, k.carefulErr
	}
	defer interp.RecoverInternal(&err, k.checked.Name)
	stops := func() bool { return stop.Load() || k.device.stopped.Load() }
	p, err := compile(k.checked, k.fn, k.device.building(false), stops)
	if errors.Is(err, interp.ErrStopped) {
		return nil, &driver.StoppedError{}
	}
	k.carefulProgram, k.carefulErr = p, err
	_, k.carefulMachine = k.device.machineOf(p)
	return p, err
}
