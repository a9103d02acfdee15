package fakemetal

import "github.com/metalgen/metalgen/runtime/internal/metal/metaltest"

// Machine is a Mac that the fake plays: the families of its GPU, its textures, samples and samplers, whether memory can
// be wrapped, and more. Nobody has compared the fake with these machines: it has what Apple documents and what others
// report.
type Machine = metaltest.Machine

// The machines. On all but AnyMachine a mistake in a descriptor ends the process, as on a Mac.
const (
	AnyMachine   Machine = metaltest.AnyMachine   // one that lacks nothing
	M1           Machine = metaltest.M1           // Apple silicon of 2020
	M3           Machine = metaltest.M3           // Apple silicon of 2023
	Intel        Machine = metaltest.Intel        // a GPU of Intel's: simd-groups of 16 threads
	VirtualARM   Machine = metaltest.VirtualARM   // a virtual Mac on Apple silicon, as in GitHub's CI: no simd-groups
	VirtualIntel Machine = metaltest.VirtualIntel // a virtual Mac of Intel's, whose GPU is of no family
)

// System is a version of macOS that the fake plays: the language that it compiles, its selectors and its classes.
type System = metaltest.System

// The systems.
const (
	AnySystem System = metaltest.AnySystem // the newest
	MacOS12   System = metaltest.MacOS12
	MacOS13   System = metaltest.MacOS13
	MacOS14   System = metaltest.MacOS14
	MacOS15   System = metaltest.MacOS15
	MacOS26   System = metaltest.MacOS26
	MacOS27   System = metaltest.MacOS27
)

// Mac is a machine under a system.
type Mac = metaltest.Mac

// Macs returns every machine under every system. The first five are all machines, and the first six have all systems.
func Macs() []Mac { return metaltest.Macs() }

// ParseMac returns the machine and the system of a text such as "M1 macOS 14". "any machine any system" lacks nothing.
func ParseMac(text string) (Mac, error) { return metaltest.ParseMac(text) }
