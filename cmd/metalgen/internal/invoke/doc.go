// Package invoke calls one kernel whose source was only read at run time, as the
// code that metalgen generates would call it.
//
// It takes the model of the kernel and settings as people type them, NAME=VALUE, and writes .npy files and images.
// [Prepare] does all that takes no device and reports every mistake, [Plan.Run] dispatches, and [Plan.Save] writes the
// files.
//
// Read prepare.go first, which has the steps. Each asks all arguments of the call the
// same question; arg.go has the questions, and a row for each kind of argument, which
// answers them in a file of its own, arg_*.go. What is below them: layouts of Go types
// (layout.go), numbers as text and in files (scalar.go), values made of those (value.go),
// the content of buffers (buffer.go) and textures (texture.go, texels.go, image.go,
// textureform.go), formulas (eval.go) and the grid (grid.go).
package invoke
