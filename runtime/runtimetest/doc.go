// Package runtimetest has a device for tests that runs nothing and records everything. A test can check what engines
// and generated functions dispatch, call by call and byte by byte. All checks of package runtime apply.
//
//	dev, rec := runtimetest.New()
//	defer dev.Close()
//	... record and run batches on dev ...
//	for _, d := range rec.Dispatches() {
//		d.Kernel, d.Buffers, d.Grid, ...
//	}
//
// Options make calls or batches fail, keep batches running until the test ends them, and turn recording off for
// benchmarks.
//
// [Schedules] tests kernels instead: it runs a test on the CPU device in many of the orders that barriers permit.
package runtimetest
