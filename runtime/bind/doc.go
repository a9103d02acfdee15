// Package bind is what generated bindings are made of: the descriptions of kernels, the calls that record arguments,
// and the arithmetic of shapes and grids. Engines do not need it; they use package runtime and the generated functions.
//
// In come the literals that metalgen writes, a [Kernel] or [Family] for each function, and the arguments of a call. Out
// goes what the [Call] set, argument by argument, which package runtime checks and dispatches. A generated function
// looks like this:
//
//	func Scale(b *runtime.Batch, a ScaleArgs) {
//		n := int(a.N)
//		c := b.Call(&scaleKernel)
//		c.Buffer(0, a.X.View(), n)
//		bind.Value(c, 1, a.N)
//		c.Dispatch(a.Grid)
//	}
//
// One that is written by hand works as well, and is checked in the same way.
//
// # Arithmetic
//
// Shapes and grids are computed from what callers pass, so no step of them may wrap around. Where a result does not fit
// an int, or divides by zero, the functions from [Add] to [NextPow2] return [math.MaxInt] or [math.MinInt] instead,
// which every check refuses. The two are infinities that stick: whatever is computed with one of them is one of them
// again. Else a later subtraction or division would bring an overflow back into range, where it looks like a length.
//
// There are two ways out. Zero times anything is 0, because that is how a shape says "nothing of it". And min and max,
// which are Go's own, do with an infinity what they do with any number: min(16, k / 0) is 16.
//
// # Structure
//
// The package holds data and decides nothing. It imports nothing of the module: package runtime imports it, and so do
// the devices.
package bind
