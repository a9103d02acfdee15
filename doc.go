// Package metalgen is the root of metalgen, a code generator for programs that call Metal compute kernels from Go. It
// reads .metal sources and writes a Go package: one typed function for each kernel, Go structs that mirror the kernels'
// parameter structs byte for byte, and the dispatch geometry that the sources state. The calls run on Metal without
// cgo. Where there is no Metal they run on a CPU device in pure Go, from the same source, so tests run on any machine.
//
// This package holds no code. The command is [github.com/metalgen/metalgen/cmd/metalgen], what programs import is
// [github.com/metalgen/metalgen/runtime], and [github.com/metalgen/metalgen/gen] is what the command makes of shaders/.
//
// # Two commands
//
// In a clone of the repository, these bring gen up to date and test everything:
//
//	go run ./cmd/metalgen -in shaders -out gen
//	go test ./...
//
// In a module of your own, "go tool metalgen init" writes a kernel, a go:generate line and a test to start from, after
// "go get -tool github.com/metalgen/metalgen/cmd/metalgen".
//
// # From a kernel to a call
//
// Comments in the source say how long the buffers are. The guard in this kernel says how many threads run:
//
//	/// Adds two vectors: out = a + b. out may be a or b.
//	kernel void residual_add(
//	    device const float* a [[buffer(0)]], // [dim] first summand
//	    device const float* b [[buffer(1)]], // [dim] second summand
//	    device float* out [[buffer(2)]],     // [dim] sum
//	    constant uint& dim [[buffer(3)]],    // elements
//	    uint tid [[thread_position_in_grid]]) {
//	    if (tid >= dim) return;
//
//	    out[tid] = a[tid] + b[tid];
//	}
//
// The generated package has a struct with its arguments, a function that computes its grid, and one that calls it:
//
//	type ResidualAddArgs struct {
//		A   runtime.Buffer[float32] // read, [dim]: first summand
//		B   runtime.Buffer[float32] // read, [dim]: second summand
//		Out runtime.Buffer[float32] // written, [dim]: sum
//		Dim uint32                  // elements
//
//		Grid runtime.Grid // zero means ResidualAddGrid
//	}
//
//	func ResidualAddGrid(dim uint32) runtime.Grid
//
//	func ResidualAdd(b *runtime.Batch, a ResidualAddArgs)
//
// A program records calls in a batch and runs it. Every buffer is checked against its shape before anything runs, and a
// mistake is an error that names the kernel, the argument and the line of the source:
//
//	batch := dev.NewBatch()
//	gen.ResidualAdd(batch, gen.ResidualAddArgs{A: a, B: b, Out: sum, Dim: 4})
//	if err := batch.Run(context.Background()); err != nil {
//		log.Fatal(err)
//	}
//
// The guide is docs/ of the repository, beginning with docs/getting-started.md.
package metalgen

//go:generate go run ./cmd/metalgen -in shaders -out gen
