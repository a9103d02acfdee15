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
// The package holds data and decides nothing. It imports nothing of the module: package runtime imports it, and so do
// the devices.
package bind
