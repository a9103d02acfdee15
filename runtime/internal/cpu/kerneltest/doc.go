// Package kerneltest writes random whole kernels, for tests that execute each in two ways.
//
// It makes a [Kernel] from a seed: MSL, its grid, and the values of its function constants. Every kernel takes the same
// arguments, so that it can be called without looking at it; [Kernel.Arguments] makes them. [Kernel.Has] says which
// [Construct] are in it.
//
// What a kernel leaves in its buffers depends on nothing but its arguments:
//
//   - a thread writes words of its own only, and shares threadgroup memory between barriers that all come to;
//   - device atomics are of operations that commute, and nobody looks at what they return;
//   - matrices and shuffles stand where all lanes of all simd-groups are active;
//   - floats are stored with one NaN for all.
//
// A few kernels go wrong: an index or a divisor that nothing bounds. Their error depends on nothing but the arguments
// either. Unlike those of package randomtest the programs are not C++, so no other compiler says what they compute.
package kerneltest
