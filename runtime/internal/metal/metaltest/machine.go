package metaltest

import "fmt"

// Machine is a Mac that the fake plays.
type Machine int

// The machines.
const (
	AnyMachine   Machine = iota // one that lacks nothing
	M1                          // Apple's GPU of 2020
	M3                          // Apple's GPU of 2023
	Intel                       // a Mac with a GPU of Intel's
	VirtualARM                  // a virtual Mac on Apple silicon, as GitHub's runners are
	VirtualIntel                // a virtual Mac on a processor of Intel's, as GitHub's macos-15-intel is
	machineCount
)

// System is a version of macOS that the fake plays.
type System int

// The systems.
const (
	AnySystem System = iota // the newest
	MacOS12
	MacOS13
	MacOS14
	MacOS15
	MacOS26
	MacOS27
	systemCount
)

// Mac is a machine under a system.
type Mac struct {
	Machine Machine
	System  System
}

// String returns "M1 macOS 14".
func (m Mac) String() string { return m.Machine.String() + " " + m.System.String() }

// Macs returns every machine under every system. The first five are all machines, and the first six have all systems.
func Macs() (list []Mac) {
	machines, systems := int(machineCount-M1), int(systemCount-MacOS12)
	for i := range machines * systems {
		list = append(list, Mac{M1 + Machine(i%machines), MacOS12 + System((i+1)%systems)})
	}
	return list
}

// String returns "M1", or "any machine".
func (m Machine) String() string { return machineNames[m].short }

// String returns "macOS 14", or "any system".
func (s System) String() string { return systems[s].name }

// machineNames are the names of the machines, and what their devices call themselves.
var machineNames = [machineCount]struct{ short, device string }{
	AnyMachine:   {"any machine", "Fake GPU"},
	M1:           {"M1", "Fake M1"},
	M3:           {"M3", "Fake M3"},
	Intel:        {"Intel", "Fake integrated GPU"},
	VirtualARM:   {"VirtualARM", "Fake paravirtual device"},
	VirtualIntel: {"VirtualIntel", "Fake paravirtual device without families"},
}

// fact is what machines differ in. Their order is that of fake.h.
type fact int

const (
	appleFamily fact = iota
	macFamily
	commonFamily
	metalFamily
	unified
	sampleCounts
	samples32
	appleFormats
	linearAlign
	formatViews
	borders
	readWriteTier
	textureAtomics
	simdFunctions
	simdWidth
	noCopy
	archivesMade
	residencySets
	factCount
)

// What a row has where the fact is not a number.
const (
	no  = 0
	yes = 1

	residencyError   = 1 // nil, and an error
	residencySilence = 2 // nil, and none
)

// The places that rows come from. Nothing of it was checked on a machine.
const (
	tables   = "Metal feature set tables"
	reported = "reported of GitHub's runners: "
	guess    = "a guess: "
)

// facts is the table: a row for each fact, with what it is on each machine and where that is from.
var facts = [factCount]struct {
	on   [machineCount]uint64
	from string
}{
	// the highest Apple family; a device has all below, too
	appleFamily: {column(10, 7, 9, 0, 5, 0),
		tables + ", GPUs in each family: M1 is Apple7, M3 Apple9; " + reported + "Apple5 is the highest of the arm64 " +
			"one (JuliaGPU/Metal.jl#309); the Intel one says no to all"},
	// Mac1 and Mac2
	macFamily: {column(yes, yes, yes, yes, no, no),
		tables + ": Apple silicon in Macs, and Intel UHD; " + guess + "virtual ones are not"},
	// the highest Common family
	commonFamily: {column(3, 3, 3, 3, 3, 0),
		tables + ": 3 of all since Apple3, and Mac2; " + reported + "the Intel one says no to all"},
	// 3 is Metal3, from macOS 13 on, and 4 is Metal4 as well, from macOS 26 on
	metalFamily: {column(4, 4, 4, 3, 0, 0),
		"MTLDevice.h, MTLGPUFamily; " + tables + ", Metal 3 and Metal 4 GPUs; " + reported +
			"no Metal3 (JuliaGPU/Metal.jl#309)"},
	unified: {column(yes, yes, yes, yes, yes, no),
		"MTLDevice.h, hasUnifiedMemory; " + reported + "the Intel one has none"},
	// a bit for each
	sampleCounts: {column(2|4|8, 2|4, 2|4, 2|4|8, 2|4, 4),
		"sampleCount (8) is not supported by device, reported of M1 and M2 Max; MTLDevice.h: 4 is on all; " + guess +
			"M3, Intel and virtual ones"},
	// of components of 32 bits
	samples32: {column(yes, yes, yes, yes, no, no),
		"MTLDevice.h, supports32BitMSAA; " + tables + ": since Apple7, and Mac2; " + guess + "not on virtual ones"},
	appleFormats: {column(yes, yes, yes, no, yes, no),
		tables + ", capabilities by pixel format: packed 16-bit formats, XR, and R8 and RG8 with sRGB are not of Mac2; " +
			"MTLPixelFormat.h: they came to Macs in 2020"},
	// bytes
	linearAlign: {column(16, 16, 16, 256, 16, 256),
		tables + ", minimum alignment of linear textures: 16 bytes of Apple families, 256 of Mac2"},
	// sRGB views of textures that were not made for views
	formatViews: {column(yes, yes, yes, no, yes, no),
		"MTLTexture.h, MTLTextureUsagePixelFormatView; Apple's documentation of texture views; reported: Apple families " +
			"take such views, Mac2 refuses them"},
	// border colors and MirrorClampToEdge
	borders: {column(yes, yes, yes, yes, no, no),
		tables + ", features by family: since Apple7, and Mac2"},
	readWriteTier: {column(2, 2, 2, 2, 1, 1),
		tables + ", read-write texture tier: 1 of Apple3 to Apple5, 2 since Apple6; " + guess + "2 of Intel's GPU, 1 " +
			"of the virtual one"},
	// from macOS 14 on
	textureAtomics: {column(yes, yes, yes, yes, no, no),
		tables + ", texture atomics: since Apple6, and Mac2; MTLTexture.h: MTLTextureUsageShaderAtomic"},
	simdFunctions: {column(yes, yes, yes, yes, no, no),
		tables + ", SIMD-scoped reductions: since Apple7, and Mac2; \"Encountered unlowered function call to " +
			"air.simd_sum.f32\" is reported of an A12 (ggml-org/whisper.cpp#1387)"},
	// threads
	simdWidth: {column(32, 32, 32, 16, 32, 32),
		"32 is reported of all of Apple's GPUs, 8 to 32 of Intel's, as the compiler chooses; " + guess + "virtual ones"},
	// newBufferWithBytesNoCopy: wraps memory
	noCopy: {column(yes, yes, yes, yes, no, no),
		reported + "buffers have length 0 (actions/runner-images#10663); " + guess + "so they have on the Intel one"},
	archivesMade: {column(yes, yes, yes, yes, no, no),
		guess + "virtual GPUs refuse them, as is reported of another hypervisor"},
	// nil from macOS 15 on, or 0
	residencySets: {column(0, 0, 0, residencyError, residencySilence, residencyError),
		"MTLResidencySet.h, Apple's text: nil and an error where there are none; " + tables + ": since Apple6; " + guess +
			"the arm64 one says nothing, the Intel one an error"},
}

// column has the machines in their order.
func column(any, m1, m3, intel, virtualARM, virtualIntel uint64) [machineCount]uint64 {
	return [machineCount]uint64{any, m1, m3, intel, virtualARM, virtualIntel}
}

// systems are the systems: the release of their kernels, and the newest MTLLanguageVersion. Sources: release notes of
// Darwin, as public projects keep them (sindresorhus/macos-release); MTLLibrary.h of macOS 26. What macOS 27 compiles
// besides is not known here.
var systems = [systemCount]struct {
	name, kernel, build string
	language            uint64
}{
	AnySystem: {"any system", "27.0.0", "", 4 << 16},
	MacOS12:   {"macOS 12", "21.6.0", "21G72", 2<<16 | 4},
	MacOS13:   {"macOS 13", "22.6.0", "22G74", 3 << 16},
	MacOS14:   {"macOS 14", "23.6.0", "23G80", 3<<16 | 1},
	MacOS15:   {"macOS 15", "24.6.0", "24G84", 3<<16 | 2},
	MacOS26:   {"macOS 26", "25.0.0", "25A354", 4 << 16},
	MacOS27:   {"macOS 27", "27.0.0", "27A1", 4 << 16},
}

// newcomers are the classes and selectors of the fake that came after macOS 12, by API_AVAILABLE of the header that is
// named. A class may be there earlier, for Apple's own use: then the year of its header is not when it is found.
var newcomers = []struct {
	name   string
	since  System // when a program finds it
	header string
}{
	{"MTLIOCommandQueueDescriptor", MacOS13, "MTLIOCommandQueue.h"},
	{"MTLArchitecture", MacOS13, "MTLDevice.h: macOS 14; found in dumps of the system of the year before"},
	{"MTLLogStateDescriptor", MacOS15, "MTLLogState.h"},
	{"MTLResidencySetDescriptor", MacOS15, "MTLResidencySet.h"},
	{"MTL4LibraryDescriptor", MacOS26, "MTL4LibraryDescriptor.h"},

	{"bindings", MacOS13, "MTLComputePipeline.h"},
	{"isUsed", MacOS13, "MTLArgument.h"},
	{"gpuAddress", MacOS13, "MTLBuffer.h"},
	{"gpuResourceID", MacOS13, "MTLTexture.h, MTLSampler.h"},
	{"setOptimizationLevel:", MacOS13, "MTLLibrary.h"},
	{"architecture", MacOS14, "MTLDevice.h"},
	{"setMathMode:", MacOS15, "MTLLibrary.h"},
	{"setMathFloatingPointFunctions:", MacOS15, "MTLLibrary.h"},
	{"setEnableLogging:", MacOS15, "MTLLibrary.h"},
	{"newLogStateWithDescriptor:error:", MacOS15, "MTLDevice.h"},
	{"setLogState:", MacOS15, "MTLCommandBuffer.h"},
	{"newResidencySetWithDescriptor:error:", MacOS15, "MTLDevice.h"},
	{"addResidencySet:", MacOS15, "MTLCommandQueue.h"},
	{"removeResidencySet:", MacOS15, "MTLCommandQueue.h"},
}

// lacks returns what a system does not have.
func (s System) lacks() (names []string) {
	for _, n := range newcomers {
		if s != AnySystem && s < n.since {
			names = append(names, n.name)
		}
	}
	return names
}

// ParseMac returns the machine and the system of a text such as "M1 macOS 14". "any machine any system" lacks nothing.
func ParseMac(text string) (Mac, error) {
	for _, m := range append(Macs(), Mac{}) {
		if text == m.String() {
			return m, nil
		}
	}
	return Mac{}, fmt.Errorf("%q: want a machine and a system, such as %q", text, Mac{M1, MacOS14})
}
