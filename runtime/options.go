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

	// Macros are defined in every source. Those that it was generated with keep their values.
	Macros map[string]string

	// Math is how exact Metal's arithmetic is. The CPU device is always exact.
	Math MathMode

	// Language is the version of MSL that sources are compiled as, such as [MSL](3, 1), or 0 for the newest that the
	// system has. One that the system does not have is an error. The CPU device has all.
	Language LanguageVersion

	// Metallibs are libraries that Apple's metal and metallib commands have compiled, by the name of their source:
	// "norm.metal". Metal loads them instead of compiling those sources. The CPU device has no use for them.
	Metallibs map[string][]byte

	// Cache is the folder in which Metal keeps pipelines that it has compiled for the GPU, so that the next process
	// need not: metalgen in the user's folder of caches where it is empty, and none for "-". Processes may share it.
	// What is broken in it is made anew, and what is of another device or system and older than a month is removed. The
	// CPU device has no use for it.
	Cache string

	// Labels puts every call into a debug group with the name of its kernel, which Xcode shows. It costs two messages
	// to Metal a call. [Device.Capture] does it always.
	Labels bool

	// Times has the device measure each call, for [Result.Dispatches]. On Metal each call gets a command buffer of its
	// own then, so that batches take longer.
	Times bool

	// Trace, where it is not nil, receives what the device does, with times: batches, their calls, waits and
	// compilations. It may be called from several goroutines at once, and must not use the device. It implies Times.
	// METALGEN_TRACE=FILE writes the same to a file that Perfetto and Chrome open; %p in its name is the number of the
	// process.
	Trace func(Event)

	// Reuse is how many bytes of freed buffers a Metal device keeps, so that a new buffer of the same length need not
	// be asked of the system: 256 MB where it is 0, and none where it is negative. Buffers of up to 32 KB are parts of
	// larger allocations then. [Device.Trim] releases what is kept. The CPU device leaves it to Go.
	Reuse int

	// Wired is how many bytes of buffers and textures a Metal device keeps resident between batches, from macOS 15 on,
	// so that a batch does not wait for the weights to come back: as many as the device recommends where it is 0, and
	// none where it is negative. What is made first comes first, and what there is no room for is resident while
	// batches use it. Memory that was wrapped counts from its first use on. The CPU device has no use for it.
	Wired int

	// Linger is how long after the last batch a Metal device goes on asking the system to keep its memory resident,
	// twice a second, and not at all where it is 0. The system lets go of it otherwise when nothing has run for a
	// while. It keeps memory from other programs, and is for programs that expect work soon: a server between two
	// requests.
	Linger time.Duration

	// Lines says whether errors, events and findings have the line of the program that recorded their call, a
	// [CallSite]. To keep it takes half a microsecond a call. A mistake that recording finds has it without that,
	// except with LinesNever. Where it is 0, METALGEN_LINES chooses, on or off.
	Lines Lines

	// Sanitize has the CPU device look for mistakes that let a kernel run through, such as races. What it finds is an
	// error of the batch, which wraps a [*Findings]. Kernels run several times slower then. Where it is 0,
	// METALGEN_SANITIZE chooses: a list as [ParseChecks] takes it. Metal has no sanitizer: with one the default device
	// is the CPU device, and to ask for another is an error.
	Sanitize Checks

	// Schedule has the CPU device run simd-groups and threadgroups in another order: of all that barriers permit, one
	// for each number, and the same one each time. A kernel whose results it changes has a mistake. Only one core works
	// then. Where it is 0, METALGEN_SCHEDULE chooses; without either, the order is the usual one. As with Sanitize,
	// only the CPU device does it.
	Schedule uint64

	// Unchecked has a CUDA device leave out the checks of bounds. A kernel that reaches beyond a buffer then reads or
	// destroys what happens to be there, and where nothing is, all work and all memory of the process on the GPU are
	// lost. Metal never checks, and the CPU device always does.
	Unchecked bool

	// Log is where messages go that kernels write with os_log, or nil for [slog.Default]. Their level default is info,
	// and fault is error. A message has the attributes kernel, subsystem and category, and on the CPU device line,
	// thread and threadgroup.
	//
	// The CPU device sends the messages of a call when it ends, in the same order each time. It keeps the first 4096.
	// Metal, from macOS 15 on, sends those that a buffer of 1 MiB holds when their batch has ended, possibly after Wait
	// has returned, and names the kernel where no other of the batch may log. Where all levels are disabled when Metal
	// compiles a source, it is compiled without messages.
	//
	// What the sanitizer notes though it may be meant goes there too, at level info, with the subsystem metalgen.
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
