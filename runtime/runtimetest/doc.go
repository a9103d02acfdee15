// Package runtimetest has a device for tests that runs nothing and records
// everything: what generated code and engines dispatch can be read back and
// compared, call by call and byte by byte, with all checks of package runtime in
// front.
//
//	dev, rec := runtimetest.New()
//	defer dev.Close()
//	... record and run batches on dev ...
//	for _, d := range rec.Dispatches() {
//		d.Kernel, d.Buffers, d.Grid, ...
//	}
//
// Options let submitting fail, hold jobs back until they are finished or the
// caller loses patience, and turn recording off for benchmarks.
package runtimetest
