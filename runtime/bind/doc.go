// Package bind is what generated bindings are made of: the descriptions of kernels, the calls
// that record arguments, and the arithmetic of shapes and grids. Engines have no need of it;
// they use package runtime and the generated functions.
//
// In come the literals that metalgen writes, a [Kernel] or [Family] for each function, and the
// arguments of a call. Out goes a [Call] with what was set for each argument, which package
// runtime checks and dispatches. A generated function is no more than this:
//
//	func Scale(b *runtime.Batch, a ScaleArgs) {
//		n := int(a.N)
//		c := b.Call(&scaleKernel)
//		c.Buffer(0, a.X.View(), n)
//		bind.Value(c, 1, a.N)
//		c.Dispatch(a.Grid)
//	}
//
// It can be written by hand as well, and everything is checked the same way.
//
// The package holds data and decides nothing: what an argument must be, package runtime knows.
package bind
