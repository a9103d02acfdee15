// Package bind has what generated code needs: descriptions of kernels, calls that record arguments, and the arithmetic
// of shapes and grids. Engines do not need it; they use package runtime and the generated functions.
//
// Its input is the literals that metalgen writes, a [Kernel] or [Family] for each function, and the arguments of a
// call. Its output is the list of arguments that the [Call] set, which package runtime checks and dispatches. A
// generated function looks like this:
//
//	func Scale(b *runtime.Batch, a ScaleArgs) {
//		n := int(a.N)
//		c := b.Call(&scaleKernel)
//		c.Buffer(0, a.X.View(), n)
//		bind.Value(c, 1, a.N)
//		c.Dispatch(a.Grid)
//	}
//
// A function written by hand works as well, and gets the same checks.
//
// # Arithmetic
//
// Shapes and grids are computed from callers' numbers, so no step may wrap around. If a result does not fit an int, or
// divides by zero, the functions from [Add] to [NextPow2] return [math.MaxInt] or [math.MinInt] instead, which fails
// every check. The two are infinities that stick: a result computed from one of them is one of them again. Otherwise a
// later subtraction or division could bring an overflow back into range, where it would look like a length.
//
// There are two exceptions. Zero times anything is 0, because that is how a shape says "none of it". And min and max,
// which are Go's own, treat an infinity like any number: min(16, k / 0) is 16.
//
// # Structure
//
// The package holds data and decides nothing. Of the module it imports only the forms of textures: package runtime
// imports it, and so do the devices.
package bind
