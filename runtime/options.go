package runtime

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Options choose a device and how it compiles kernels, for [OpenWith]. The zero Options are those of [Open].
type Options struct {
	// Device is the device to open: "metal", "metal:1" and so on, as [Devices] names them, or "cpu"; "cuda" and "cuda:1"
	// in a program that imports runtime/cuda. Where it is empty, METALGEN_DEVICE chooses.
	Device string

	// Macros are defined in every source. Macros that a source was generated with keep their values.
	Macros map[string]string

	// Math says how exact Metal's arithmetic is. The CPU device is always exact.
	Math MathMode

	// Language is the version of MSL that sources are compiled as, such as [MSL](3, 1), or 0 for the newest of the
	// system. A version that the system does not have is an error. The CPU device has all versions.
	Language LanguageVersion

	// Metallibs are libraries that Apple's metal and metallib commands have compiled, by the name of their source:
	// "norm.metal". Metal loads them instead of compiling those sources. The CPU device ignores them.
	Metallibs map[string][]byte

	// Cache is the folder in which Metal keeps pipelines that it has compiled for the GPU, so that the next process
	// need not: if it is empty, metalgen in the user's cache folder, and none for "-". Processes may share it. Broken
	// files are replaced, and files of another device or system are removed after a month. The CPU device ignores it,
	// and so do CUDA devices: NVIDIA's driver keeps what it has compiled by itself.
	Cache string

	// Labels puts every call into a debug group with the name of its kernel, which Xcode shows. It costs two messages
	// to Metal a call. [Device.Capture] always does it.
	Labels bool

	// Times has the device measure each call, for [Result.Dispatches]. On Metal each call then gets a command buffer of
	// its own, so batches take longer.
	Times bool

	// Trace, if it is not nil, is called with what the device does, and when: batches, their calls, waits and
	// compilations. It may be called from several goroutines at once, and must not use the device. It implies Times.
	// METALGEN_TRACE=FILE writes the same to a file that Perfetto and Chrome can open; %p in its name is the process
	// ID.
	Trace func(Event)

	// Reuse is how many bytes of freed buffers a Metal device keeps, for new buffers of the same length: 256 MB if it
	// is 0, and none if it is negative. Buffers of up to 32 KB are then parts of larger allocations. [Device.Trim]
	// releases the kept memory. The CPU device leaves memory to Go.
	Reuse int

	// Wired is how many bytes of buffers and textures a Metal device keeps resident between batches, from macOS 15 on,
	// so that a batch does not wait for the weights to come back: as many as the device recommends if it is 0, and none
	// if it is negative. Older memory comes first; the rest is resident while batches use it. Wrapped memory counts
	// from its first use on. The CPU device ignores it.
	Wired int

	// Linger is how long after the last batch a Metal device keeps asking the system, twice a second, to keep its
	// memory resident. If it is 0 the system lets go of the memory when nothing has run for a while. It keeps the
	// memory from other programs, so it is for programs that expect work soon, such as a server between two requests.
	Linger time.Duration

	// Lines says whether errors, events and findings have the line of the program that recorded their call, a
	// [CallSite]. Keeping it takes half a microsecond a call. A mistake found while recording has it anyway, except
	// with LinesNever. If it is 0, METALGEN_LINES chooses, on or off.
	Lines Lines

	// Sanitize has the CPU device look for mistakes that do not stop a kernel, such as races. The error of the batch
	// then wraps a [*Findings]. Kernels run several times slower. If it is 0, METALGEN_SANITIZE chooses: a list as
	// [ParseChecks] takes it. Only the CPU device has a sanitizer: with one it is the default device, and asking for
	// another is an error.
	Sanitize Checks

	// Schedule has the CPU device run simd-groups and threadgroups in another of the orders that barriers permit, the
	// same each time for the same number. If it changes the results of a kernel, the kernel has a mistake. Only one
	// core works then. If it is 0, METALGEN_SCHEDULE chooses; without either, the order is the usual one. As with
	// Sanitize, only the CPU device does this.
	Schedule uint64

	// Unchecked has a CUDA device leave out bounds checks. A kernel that reaches beyond a buffer then reads or destroys
	// other memory, or ends all work of the process on the GPU and loses its memory. Metal never checks, and the CPU
	// device always does.
	Unchecked bool

	// Log receives the messages that kernels write with os_log; nil means [slog.Default]. Level default becomes info,
	// and fault becomes error. A message has the attributes kernel, subsystem and category, and on the CPU device line,
	// thread and threadgroup.
	//
	// The CPU device sends the messages of a call when it ends, in the same order each time. It keeps the first 4096.
	// Metal, from macOS 15 on, sends them when their batch has ended, possibly after Wait has returned, as many as a
	// buffer of 1 MiB holds. It names the kernel if no other kernel of the batch may log. If all levels are disabled
	// when Metal compiles a source, it is compiled without messages.
	//
	// The sanitizer's notes about things that may be intended go there too, at level info, with the subsystem metalgen.
	Log *slog.Logger
}

// MathMode is how far Metal's compiler may depart from IEEE 754.
// Apple: MTLMathMode in MTLLibrary.h.
type MathMode uint8

// The modes, from Metal's own default to the fastest.
const (
	MathDefault MathMode = iota // MathFast
	MathSafe                    // IEEE 754: nothing is reordered, contracted or assumed
	MathRelaxed                 // operations may be reordered; infinities and NaNs are honoured
	MathFast                    // as MathRelaxed, and infinities and NaNs are not expected
)

// String returns "default", "safe", "relaxed" or "fast".
func (m MathMode) String() string { return driver.MathMode(m).String() }

// LanguageVersion is a version of MSL, made by [MSL].
// Apple: MTLLanguageVersion in MTLLibrary.h.
type LanguageVersion uint32

// MSL returns a version of MSL: MSL(3, 1) is Metal 3.1.
func MSL(major, minor uint16) LanguageVersion { return LanguageVersion(driver.MSL(major, minor)) }

// String returns, say, "3.1".
func (v LanguageVersion) String() string { return driver.LanguageVersion(v).String() }

// driver returns o as drivers know it.
func (o Options) driver() driver.Options {
	return driver.Options{
		Macros:    o.Macros,
		Math:      driver.MathMode(o.Math),
		Language:  driver.LanguageVersion(o.Language),
		Metallibs: o.Metallibs,
		Labels:    o.Labels,
		Reuse:     o.reuse(),
		Wired:     o.Wired,
		Linger:    o.Linger,
		Cache:     o.cache(),
		Times:     o.Times,
		Unchecked: o.Unchecked,
		Sanitize:  driver.Checks(o.Sanitize),
		Schedule:  o.Schedule,
		Log:       o.Log,
	}
}

// reuse returns how many bytes of freed buffers are kept.
func (o Options) reuse() int {
	if o.Reuse == 0 {
		return 256 << 20
	}
	return max(o.Reuse, 0)
}

// cache returns the folder of the cache, or "" for none.
func (o Options) cache() string {
	switch o.Cache {
	case "-":
		return ""
	case "":
		folder, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(folder, "metalgen")
	default:
		return o.Cache
	}
}
