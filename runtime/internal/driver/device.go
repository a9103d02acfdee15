package driver

import (
	"context"
	"time"

	"github.com/metalgen/metalgen/runtime/bind"
)

// Device is something that runs kernels. Its methods may be called from any
// number of goroutines at once.
type Device interface {
	// String names the device for people, as in "Apple M3 Max (metal, MSL 4.0)".
	String() string

	// Limits is the same at every call.
	Limits() Limits

	// Memory returns how much memory the device has, and how much of it is in use.
	Memory() MemoryUse

	// NewMemory returns size zeroed bytes, unless they are overwritten. size is at least 1 and at most
	// Limits.BufferLength.
	NewMemory(size int, storage Storage) (Memory, error)

	// Trim releases what the device keeps of freed memory.
	Trim()

	// WrapMemory makes memory of bytes that the caller keeps, such as a mapped file, without copying them. They begin
	// at a page, and the device may use their last page to its end. Where the memory is read only, no dispatch writes
	// it. Bytes may be wrapped more than once, but not those of a Memory of the device's own.
	WrapMemory(bytes []byte, readOnly bool) (Memory, error)

	// NewTexture returns a texture whose texels are zero. The spec has been checked against the table of package pixel.
	NewTexture(spec TextureSpec) (Texture, error)

	// NewTextureOver returns a texture of one level whose texels are in memory, rows of rowBytes from an offset on. It
	// is freed before the memory.
	NewTextureOver(m Memory, offset, rowBytes int, spec TextureSpec) (Texture, error)

	// SamplerID returns what stands for a sampler in memory that kernels read. It is good until Close. Where
	// Limits.Addresses is not set, the error wraps errors.ErrUnsupported.
	SamplerID(s bind.Sampler) (uint64, error)

	// NewEvent returns an event of value 0.
	NewEvent() (Event, error)

	// Clock returns the time on the clock of Job.Times.
	Clock() time.Duration

	// Prepare compiles a kernel for a set of function constants, so that the first Record of it need not. The bytes of
	// the constants are valid during the call only.
	Prepare(k *Kernel, constants []Value) error

	// Capture writes what the device does from now until stop to a file that a debugger reads. A device that cannot
	// returns an error that wraps errors.ErrUnsupported.
	Capture(path string) (stop func() error, err error)

	// Metal returns what a device of Metal has besides, or nil.
	Metal() Metal

	// NewRecorder returns an empty recorder. The runtime keeps recorders and uses them over and over; they need not be
	// cheap to make.
	NewRecorder() (Recorder, error)

	// Stop makes calls of Record and Prepare that compile a kernel end soon, with a StoppedError, and later ones fail.
	// A device that cannot ignores it. Close follows when they have returned. Stop may be called again, after Close
	// too.
	Stop()

	// Close waits for all submitted jobs, or stops them, so that Job.Wait of each returns done. Then it releases the
	// device and its recorders. It is called once. Memory stays valid: the runtime frees it after Close.
	Close() error
}

// Limits are the bounds of a device that the runtime enforces.
type Limits struct {
	ThreadsPerThreadgroup int    // in all
	Threads               [3]int // per threadgroup and dimension
	ThreadgroupMemory     int    // bytes per threadgroup, dynamic lengths only
	BufferLength          int    // bytes of one Memory
	ConstantAlign         int    // byte alignment of offsets bound to constant arguments
	PageSize              int    // of memory that WrapMemory takes

	// ReadWrite says which textures kernels may both read and write.
	ReadWrite ReadWriteTextures

	// Addresses is set where kernels follow pointers that memory holds, and find textures and samplers by IDs there.
	Addresses bool
}

// MemoryUse is how much memory a device has. It is zero where the device does not say.
type MemoryUse struct {
	Recommended int // bytes that all buffers and textures may have together before the device gets slow
	Allocated   int // bytes that those of this process have
	Reusable    int // of these, bytes that nothing uses and Device.Trim releases
}

// Storage says who may touch a Memory, and how it is made. It is a set of bits.
type Storage uint8

const (
	StorageShared      Storage = 0      // host and device
	StoragePrivate     Storage = 1 << 0 // the device only
	StorageOverwritten Storage = 1 << 1 // all of it is written before it is read: it need not begin as zeros
	StorageApart       Storage = 1 << 2 // it holds pointers, and is to be part of nothing larger
)

// Memory is one allocation of a device.
type Memory interface {
	// Bytes returns the whole allocation, aligned to at least 16 bytes, or nil where it is private. Its address does
	// not change until Free.
	Bytes() []byte

	// Address returns where kernels find the memory, which is what pointers to it are, or 0 where Limits.Addresses is
	// not set. It does not change until Free.
	Address() uint64

	// Free releases the memory. It is called once, from any goroutine, when no job uses the memory any more.
	Free()
}

// Parts is what memory has besides of a device that gives parts of it addresses of their own, so that a pointer to a
// part does not lead beyond it.
type Parts interface {
	// PartAddress returns the address of some bytes, 0 where they have none of their own.
	PartAddress(offset, size int) uint64
}

// Recorder collects the dispatches of one batch. It is not for concurrent use.
type Recorder interface {
	// Record adds a dispatch. d and all it points to, except its Kernel and the Memory of its buffers, are valid during
	// the call only. Record checks what only the compiled kernel shows: the threads that its pipeline allows, and its
	// own threadgroup memory beside that of the arguments. Where compiling takes long, it may leave that to the job,
	// which runs nothing if that fails.
	Record(d *Dispatch) error

	// Copy adds a copy of from.Length bytes, at least 1, to as many of to. The two do not overlap, and their Arg is
	// nil.
	Copy(to, from Buffer) error

	// Upload adds a copy of bytes of the host's, at least 1, which are valid during the call only, to as many of to,
	// whose Arg is nil.
	Upload(to Buffer, bytes []byte) error

	// UploadTexels adds a copy of texels of the host's, which are valid during the call only, to all slices of levels
	// of a texture, from the first level on. Those of a level lie as Texture.Write takes them. The texture is not
	// multisampled and not over memory.
	UploadTexels(to Texture, levels [][]byte) error

	// WaitForEvent has everything that is added later wait until an event has a value or a greater one.
	WaitForEvent(e Event, value uint64)

	// SignalEvent gives an event a value when everything that was added before is done, or when the job ends before
	// that, because it failed or was stopped.
	SignalEvent(e Event, value uint64)

	// Metal returns what a recorder of a device of Metal has besides, or nil.
	Metal() MetalRecorder

	// Start has the device begin with what was recorded while more is recorded, until Submit. Its job, which is that of
	// Submit, has its place among those of the device from now on: later ones wait for all of it. Start may be called
	// again, and then the device begins with what was recorded since. It is not called for what is kept.
	Start() error

	// Progress has the job of the next Submit call f, which may be nil, when dispatches and copies are done: with how
	// many are, and how many there are in all. Calls come one after the other, with rising numbers. The last one of a
	// job that succeeds has all, and returns before its Wait. Reset forgets f.
	Progress(f func(done, total int))

	// Keep has what was recorded stay when the job of the next Submit is done. Then Submit may be called again, and
	// runs it again, with what was recorded since. Reset ends that. It is called before each such Submit.
	Keep()

	// Submit starts all recorded dispatches and copies, in order where one reads what another wrote. Jobs of a device
	// take effect in the order of their Submit where they touch the same memory. The job belongs to the recorder and is
	// valid until Reset or the next Submit, after Device.Close too.
	Submit() (Job, error)

	// Reset forgets what was recorded and keeps the storage. It is not called while a job runs, nor after Device.Close.
	Reset()
}

// Job is a submitted batch.
type Job interface {
	// Wait waits until the job is done and returns its error. When ctx ends first, a device that can stop the job does
	// so, and Wait returns done and an error that wraps that of ctx. On other devices the job goes on, Wait returns
	// done false and the error of ctx, and it may be called again.
	Wait(ctx context.Context) (done bool, err error)

	// Done returns a channel that is closed when the job is done. It may be called again, until the recorder is reset
	// or submitted again.
	Done() <-chan struct{}

	// Times returns when the device worked on the job. It is called when the job is done, and its result is valid until
	// the recorder is reset.
	Times() Times
}

// Times are those of a job, on a clock that all jobs of a device share.
type Times struct {
	Start, End time.Duration // 0 where nothing ran

	// Dispatches are those of dispatches and copies, in their order. It is empty without Options.Times, where the
	// device cannot measure them, and where nothing ran.
	Dispatches []DispatchTimes
}

// DispatchTimes are those of a dispatch or a copy.
type DispatchTimes struct {
	Kernel     string // its name, or "Copy"
	Start, End time.Duration
	Call       int // which Record, Copy or Encode it was, from 1
}

// Lister is a device that can show what it executes for a kernel, as text for people.
type Lister interface {
	Listing(k *Kernel) (string, error)
}
