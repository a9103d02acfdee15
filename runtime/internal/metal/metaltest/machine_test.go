//go:build linux && (amd64 || arm64)

package metaltest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// What a program can ask a device, on the oldest and the newest system.
func TestMachinesAnswer(t *testing.T) {
	for _, c := range []struct {
		m    Machine
		s    System
		want string
	}{
		{AnyMachine, AnySystem,
			"Fake GPU: Apple10 Mac2 Common3 Metal3 Metal4 unified msaa32 tier 2 align 16 samples 1 2 4 8"},
		{M1, MacOS12, "Fake M1: Apple7 Mac2 Common3 unified msaa32 tier 2 align 16 samples 1 2 4"},
		{M1, MacOS13, "Fake M1: Apple7 Mac2 Common3 Metal3 unified msaa32 tier 2 align 16 samples 1 2 4"},
		{M1, MacOS26, "Fake M1: Apple7 Mac2 Common3 Metal3 Metal4 unified msaa32 tier 2 align 16 samples 1 2 4"},
		{M3, MacOS27, "Fake M3: Apple9 Mac2 Common3 Metal3 Metal4 unified msaa32 tier 2 align 16 samples 1 2 4"},
		{Intel, MacOS12, "Fake integrated GPU: Mac2 Common3 unified msaa32 tier 2 align 256 samples 1 2 4 8"},
		{Intel, MacOS26, "Fake integrated GPU: Mac2 Common3 Metal3 unified msaa32 tier 2 align 256 samples 1 2 4 8"},
		{VirtualARM, MacOS15, "Fake paravirtual device: Apple5 Common3 unified tier 1 align 16 samples 1 2 4"},
		{VirtualIntel, MacOS15, "Fake paravirtual device without families: tier 1 align 256 samples 1 4"},
	} {
		t.Run(fmt.Sprint(c.m, " ", c.s), func(t *testing.T) {
			s := begin(t, Options{Machine: c.m, System: c.s})
			have := s.text(s.send(s.device, "name")) + ":"
			for _, f := range []struct {
				name        string
				first, last int
			}{{"Apple", 1001, 1011}, {"Mac", 2001, 2003}, {"Common", 3001, 3004}, {"Metal3", 5001, 5001}, {"Metal4",
				5002, 5002}} {
				highest := 0
				for n := f.first; n <= f.last; n++ {
					if s.sendBool(s.device, "supportsFamily:", n) {
						if highest != n-1 && n > f.first {
							t.Errorf("family %d without the one before it", n)
						}
						highest = n
					}
				}
				if highest > 0 {
					have += " " + f.name
					if f.first != f.last {
						have += fmt.Sprint(highest % 1000)
					}
				}
			}
			for _, q := range []struct{ name, selector string }{{"unified", "hasUnifiedMemory"}, {"msaa32",
				"supports32BitMSAA"}} {
				if s.sendBool(s.device, q.selector) {
					have += " " + q.name
				}
			}
			have += fmt.Sprint(" tier ", s.send(s.device, "readWriteTextureSupport"), " align ",
				s.send(s.device, "minimumLinearTextureAlignmentForPixelFormat:", 55), " samples")
			for n := range 17 {
				if s.sendBool(s.device, "supportsTextureSampleCount:", n) {
					have += fmt.Sprint(" ", n)
				}
			}
			if have != c.want {
				t.Errorf("%s\nwant %s", have, c.want)
			}
		})
	}
}

// What an object is to a system: there, or not.
func TestSystemsHaveTheirClassesAndSelectors(t *testing.T) {
	const all = "MTLIOCommandQueueDescriptor MTLArchitecture bindings gpuAddress architecture MTLLogStateDescriptor " +
		"setMathMode: MTLResidencySetDescriptor MTL4LibraryDescriptor"
	want := map[System]int{MacOS12: 0, MacOS13: 4, MacOS14: 5, MacOS15: 8, MacOS26: 9, MacOS27: 9, AnySystem: 9}
	for system, n := range want {
		t.Run(system.String(), func(t *testing.T) {
			s := begin(t, Options{System: system})
			x := s.buffer(16)
			options := s.send(s.class("MTLCompileOptions"), "new")
			defer s.release(x, options)
			for i, name := range strings.Fields(all) {
				var have bool
				switch {
				case strings.HasPrefix(name, "MTL"):
					have = s.class(name) != 0
				case name == "gpuAddress":
					have = s.sendBool(x, "respondsToSelector:", s.selector(name))
				case name == "setMathMode:":
					have = s.sendBool(options, "respondsToSelector:", s.selector(name))
				case name == "architecture":
					have = s.sendBool(s.device, "respondsToSelector:", s.selector(name))
				default: // of a reflection, whose selectors are hidden from all
					have = !isHiddenFrom(system, name)
				}
				if have != (i < n) {
					t.Errorf("%s: %v", name, have)
				}
			}
		})
	}
}

func isHiddenFrom(s System, name string) bool {
	for _, n := range s.lacks() {
		if n == name {
			return true
		}
	}
	return false
}

// TestRowsSayWhereTheyAreFrom holds the table to its word.
func TestRowsSayWhereTheyAreFrom(t *testing.T) {
	for i, f := range facts {
		if len(f.from) < 20 {
			t.Errorf("fact %d is from %q", i, f.from)
		}
		if on := f.on[AnyMachine]; on == 0 && fact(i) != residencySets {
			t.Errorf("fact %d: a machine that lacks nothing lacks it", i)
		}
	}
}

// abortVariable has this test binary make a descriptor that ends it.
const abortVariable = "METALTEST_ABORT"

// On a Mac, what asks for a texture of 8 samples on an M1 is no failure of a test but its end.
func TestAMistakeInADescriptorEndsTheProcessOfAMachine(t *testing.T) {
	type words = map[string]int
	mistakes := map[string]struct {
		m    Machine
		make func(s *session)
		want string
	}{
		"samples": {M1, func(s *session) {
			s.texture(words{"setTextureType:": 4, "setSampleCount:": 8, "setResourceOptions:": 32})
		}, "sampleCount (8) is not supported by device"},
		"format": {Intel, func(s *session) { s.texture(words{"setPixelFormat:": 40, "setResourceOptions:": 32}) },
			"pixel format 40 is one of Apple's GPUs"},
		"floats": {VirtualARM, func(s *session) {
			s.texture(words{"setTextureType:": 4, "setSampleCount:": 4, "setPixelFormat:": 55, "setResourceOptions:": 32})
		}, "4 samples of pixel format 55 on a device without supports32BitMSAA"},
		"atomics": {VirtualARM, func(s *session) { s.texture(words{"setUsage:": 33, "setPixelFormat:": 53}) },
			"MTLTextureUsageShaderAtomic, which this GPU does not support"},
		"border": {VirtualARM, func(s *session) { s.sampler(words{"setSAddressMode:": 5}) }, "border colors"},
		"mirror": {VirtualIntel, func(s *session) { s.sampler(words{"setRAddressMode:": 1}) }, "mirroring once"},
		"buffer": {M3, func(s *session) { s.buffer(0) }, "a buffer of length 0"},
	}
	if name := os.Getenv(abortVariable); name != "" {
		runtime.LockOSThread()
		mistakes[name].make(begin(t, Options{Machine: mistakes[name].m}))
		return
	}
	if _, err := Load(); errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			// METALGEN_EMULATOR is what runs tests of another architecture, where the system does not by itself.
			words := append(strings.Fields(os.Getenv("METALGEN_EMULATOR")), self,
				"-test.run=^TestAMistakeInADescriptorEndsTheProcessOfAMachine$")
			c := exec.CommandContext(t.Context(), words[0], words[1:]...)
			c.Env = append(os.Environ(), abortVariable+"="+name, "GOTRACEBACK=none")
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), m.want) || strings.Contains(string(out), "--- FAIL") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// On the machine that lacks nothing it is a failure of the test.
func TestASystemMayBeTooOldForADescriptor(t *testing.T) {
	s := begin(t, Options{System: MacOS13})
	s.texture(map[string]int{"setUsage:": 33, "setPixelFormat:": 53})
	s.end()
	expectFailures(t, "MTLTextureUsageShaderAtomic, which came with macOS 14")
}
