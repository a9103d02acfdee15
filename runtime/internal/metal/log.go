package metal

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What kernels write with os_log comes from log states, each with a buffer of the GPU's, which
// command buffers carry. A log state does not say which kernel a message is from. So each kernel
// has one, for batches in which no other may log, and all other batches share one.

// The messages about logging. Apple: MTLLogState.h, MTLLibrary.h, MTLCommandBuffer.h; macOS 15, iOS 18.
var (
	selSetEnableLogging  = objc.SelectorSince(15, "setEnableLogging:", "vB")
	selNewLogState       = objc.SelectorSince(15, "newLogStateWithDescriptor:error:", "@@^@")
	selSetLogLevel       = objc.SelectorSince(15, "setLevel:", "vq")
	selSetLogBuffer      = objc.SelectorSince(15, "setBufferSize:", "vq")
	selAddLogHandler     = objc.SelectorSince(15, "addLogHandler:", "v@?")
	selSetLogState       = objc.SelectorSince(15, "setLogState:", "v@")
	selSetRetained       = objc.Selector("setRetainedReferences:", "vB")
	selCommandBufferWith = objc.Selector("commandBufferWithDescriptor:", "@@")
)

// logBuffer is how many bytes of messages a log state keeps until the end of a command buffer.
const logBuffer = 1 << 20

// firstLogging is the version of the language with os_log.
var firstLogging = driver.MSL(3, 2)

// logs are the log states of a device.
type logs struct {
	mu     sync.Mutex
	states map[*driver.Kernel]objc.ID // the one of nil is shared
	warned bool
}

// logLevels are the levels by their MTLLogLevel: undefined, debug, info, notice, error, fault.
var logLevels = [...]slog.Level{
	slog.LevelInfo, slog.LevelDebug, slog.LevelInfo, slog.LevelInfo, slog.LevelError, slog.LevelError,
}

// logLevel returns the MTLLogLevel of the least serious messages that a logger takes, or 0 for none.
func logLevel(to *slog.Logger) uintptr {
	for level := 1; level < len(logLevels); level++ {
		if to.Enabled(context.Background(), logLevels[level]) {
			return uintptr(level)
		}
	}
	return 0
}

// logsOf reports whether kernels of a library write messages, and the logger takes them. Where the system
// has no logging, a warning says so. Callers are within a pool.
func (d *Device) logsOf(from *driver.Library) bool {
	if from == &copyLibrary || !strings.Contains(*from.Source, "os_log") || logLevel(d.options.Logger()) == 0 {
		return false
	}
	if d.newest < firstLogging {
		d.warnOfLogs(from.File + " has os_log, whose messages need macOS 15 or iOS 18")
	}
	if d.options.Language < firstLogging {
		return false
	}
	_, err := d.logState(nil)
	if err != nil {
		d.warnOfLogs(from.File + " has os_log, whose messages are lost: " + err.Error())
	}
	return err == nil
}

// warnOfLogs warns of lost messages once.
func (d *Device) warnOfLogs(text string) {
	d.logs.mu.Lock()
	warned := d.logs.warned
	d.logs.warned = true
	d.logs.mu.Unlock()
	if !warned {
		(&driver.Message{Level: slog.LevelWarn, Text: text}).Send(d.options.Logger())
	}
}

// logState returns the log state of a kernel, or the shared one for nil.
func (d *Device) logState(kernel *driver.Kernel) (objc.ID, error) {
	d.logs.mu.Lock()
	defer d.logs.mu.Unlock()
	if state := d.logs.states[kernel]; state != 0 {
		return state, nil
	}
	state, err := d.newLogState(kernel)
	if err != nil {
		return 0, err
	}
	if d.logs.states == nil {
		d.logs.states = map[*driver.Kernel]objc.ID{}
	}
	d.logs.states[kernel] = state
	return state, nil
}

func (d *Device) newLogState(kernel *driver.Kernel) (objc.ID, error) {
	name := ""
	if kernel != nil {
		name = kernel.Name
	}
	descriptor, err := objc.New("MTLLogStateDescriptor")
	if err != nil {
		return 0, err
	}
	defer descriptor.Release()
	descriptor.Send(selSetLogLevel, logLevel(d.options.Logger()))
	descriptor.Send(selSetLogBuffer, logBuffer)
	state, err := d.id.SendError(selNewLogState, uintptr(descriptor))
	if err != nil {
		return 0, err
	}
	to := d.options.Logger
	handler, err := objc.NewBlock(func(subsystem, category objc.ID, level uintptr, text objc.ID) {
		(&driver.Message{
			Level: logLevels[min(level, uintptr(len(logLevels)-1))], Text: objc.String(text), Kernel: name,
			Subsystem: textOrNone(subsystem), Category: textOrNone(category),
		}).Send(to())
	})
	if err != nil {
		objc.ID(state).Release()
		return 0, err
	}
	objc.ID(state).Send(selAddLogHandler, handler)
	return objc.ID(state), nil
}

// textOrNone returns the text of an NSString, or "" for nil, which os_log_default has.
func textOrNone(id objc.ID) string {
	if id == 0 {
		return ""
	}
	return objc.String(id)
}

// release releases the log states.
func (l *logs) release() {
	for _, state := range l.states {
		state.Release()
	}
}

// logging is which kernels of a batch may log.
type logging struct {
	kernel  *driver.Kernel
	several bool
}

func (l *logging) add(k *driver.Kernel) {
	l.several = l.several || l.kernel != nil && l.kernel != k
	l.kernel = k
}

// commandBuffer returns the command buffer of a batch, which carries a log state where a kernel may log.
func (d *Device) commandBuffer(l logging) (objc.ID, error) {
	if l.kernel == nil {
		return objc.ID(d.queue.Send(selCommandBuffer)), nil
	}
	if l.several {
		l.kernel = nil
	}
	state, err := d.logState(l.kernel)
	if err != nil {
		return 0, err
	}
	descriptor, err := objc.New("MTLCommandBufferDescriptor")
	if err != nil {
		return 0, err
	}
	defer descriptor.Release()
	descriptor.Send(selSetRetained, 0)
	descriptor.Send(selSetLogState, uintptr(state))
	return objc.ID(d.queue.Send(selCommandBufferWith, uintptr(descriptor))), nil
}
