//go:build linux && (amd64 || arm64)

package metaltest

import "structs"

// FaultKind is a sort of mishap. The constants say which fields of [Fault] matter
// beside Skip and Times.
type FaultKind int

// The mishaps, in the order of fake.h.
const (
	NoDevice        FaultKind = iota // MTLCreateSystemDefaultDevice returns nil
	NoDevices                        // MTLCopyAllDevices returns an empty array
	CompileError                     // Text, Code: newLibrary... fails
	CompileWarning                   // Text: newLibrary... succeeds, and yet gives an error
	FunctionError                    // Name, Text, Code: newFunctionWithName... fails
	PipelineError                    // Name (of the kernel), Text, Code
	CommandError                     // Name (of the command buffer), Code, Text: it ends with the error
	OutOfMemory                      // newBuffer... returns nil
	Hang                             // Name (of the command buffer): it does not end before Resume
	RenamedBinding                   // Name, Text: reflection has another name for an argument
	MovedMember                      // Name, Code: reflection has a field of a struct so many bytes further on
	GPUTimes                         // Name (of the command buffer), Start, End
	SharedEncoding                   // a call on an encoder or command buffer waits for another one, 10 s at most
	NoCommandQueue                   // newCommandQueue returns nil
	NoCommandBuffer                  // commandBuffer... returns nil
	NoEncoder                        // computeCommandEncoder... and blitCommandEncoder return nil
	ArchiveError                     // Text, Code: newBinaryArchive... fails
	NoCapture                        // the program may not capture to a file
	NoWrap                           // newBufferWithBytesNoCopy... returns a buffer of length 0
	LogError                         // Text, Code: newLogState... fails
)

// Codes of MTLCommandBufferError.
const (
	ErrorInternal        = 1
	ErrorTimeout         = 2
	ErrorPageFault       = 3
	ErrorAccessRevoked   = 4
	ErrorNotPermitted    = 7
	ErrorOutOfMemory     = 8
	ErrorInvalidResource = 9
	ErrorMemoryless      = 10
	ErrorDeviceRemoved   = 11
	ErrorStackOverflow   = 12
)

// Fault is a mishap that is to happen.
type Fault struct {
	Name       string // of what it happens to; "" is anything
	Text       string
	Code       int
	Start, End float64 // seconds
	Skip       int     // let so many pass first
	Times      int     // 0 means once, -1 always
}

type faultRecord struct {
	_          structs.HostLayout
	kind, skip uint64
	times      int64
	code       int64
	start, end float64
	name       [128]byte
	text       [1024]byte
}

// Fail makes a mishap happen in this test.
func Fail(kind FaultKind, f Fault) {
	r := &faultRecord{
		kind: uint64(kind), skip: uint64(f.Skip), times: int64(f.Times), code: int64(f.Code),
		start: f.Start, end: f.End,
	}
	if f.Times == 0 {
		r.times = 1
	}
	copy(r.name[:len(r.name)-1], f.Name)
	copy(r.text[:len(r.text)-1], f.Text)
	fake.fault(r)
}

// Resume lets a command buffer go on that hangs, or the next one that would.
func Resume() { fake.resume() }
