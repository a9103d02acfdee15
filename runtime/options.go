package runtime

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Options choose a device and how it compiles kernels, for [OpenWith]. The zero
// Options are those of [Open].
type Options struct {
	// Device is "metal", "metal:1" and so on for a device as [Devices] names it,
	// "cpu", or nothing for what METALGEN_DEVICE says.
	Device string

	// Macros are defined in every source, beside those that it was generated with,
	// which keep their values.
	Macros map[string]string

	// Math is how exact Metal's arithmetic is. The CPU device is exact in any case.
	Math MathMode

	// Language is the version of MSL that Metal compiles as, [MSL](3, 1) say, or 0 for the
	// newest that the system has. The CPU device does not tell versions apart.
	Language LanguageVersion

	// Metallibs are libraries that were compiled beforehand, by Apple's metal and
	// metallib commands, for sources by the name of their file: "norm.metal". Metal
	// does not compile those sources. The CPU device has no use for them.
	Metallibs map[string][]byte

	// Labels puts every dispatch into a debug group with the name of its kernel,
	// which Xcode shows. It costs two messages a dispatch;
	// within [Device.Capture] it is done in any case.
	Labels bool
}

// MathMode is how far Metal's compiler may depart from IEEE 754.
// Apple: MTLMathMode in MTLLibrary.h.
type MathMode uint8

const (
	MathDefault MathMode = iota // MathFast
	MathSafe                    // nothing is reordered, contracted or assumed
	MathRelaxed                 // reordering, but infinities and NaNs are honoured
	MathFast                    // no infinities or NaNs are expected
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
	}
}
