// Package runtime runs Metal kernels through the functions that metalgen generates: it has the devices, the buffers
// and the batches of calls that an engine works with. Go has a package of this name, so engines import this one as mtl:
//
//	import mtl "github.com/metalgen/metalgen/runtime"
//
//	dev, err := mtl.Open() // Metal where there is a device, else the CPU device
//	defer dev.Close()
//
//	x, err := mtl.NewBuffer[float32](dev, rows*dim) // or mtl.Upload(dev, slice)
//	copy(x.Data(), input)                           // Data is the device's own memory, not a copy
//
//	b := dev.NewBatch() // calls only record
//	gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
//		Residual: r, Input: x, Weight: w, Output: y,
//		Dim: dim, Rows: rows, Eps: 1e-6,
//	})
//	err = b.Run(ctx) // the device runs what was recorded; the results are in y.Data()
//
// # Errors
//
// A message begins with what has failed, a kernel or a function of this package. Recording never returns an error.
// The [Batch] keeps the first one and ignores the calls after it. [Batch.Run] or [Batch.Submit] returns it, and
// then nothing of the batch has run. Mistakes in a call are an [*ArgError], a [*GridError], a [*RequireError] or a
// [*CallError]. Each says what was needed, what the call has, and which line of the Metal source asks for it.
//
// What goes wrong while a device compiles and runs kernels is a [*CompileError], a [*DriftError], a
// [*SimdWidthError], a [*Fault], a [*GPUError] or a [*StoppedError]. Use [errors.As] to find them: the errors of this
// package wrap one another.
//
// # Memory
//
// A [Buffer] is a small value, like a slice header. Copying, slicing and casting it costs nothing. Its memory lives
// until [Buffer.Free] or [Device.Close]; the garbage collector has no part in it. A batch keeps the memory that it
// uses alive until its work is done.
//
// [NewPrivateBuffer] makes memory that only the device touches. [WrapBuffer] makes a buffer of memory that exists
// already, such as a mapped file. [Copy] copies elements from buffer to buffer, in order with the calls of a batch.
//
// A [Texture] holds an image, or several, in one of the pixel formats of Metal. [UploadImage] makes one of an
// [image.Image], and [Texture.Image] makes an image of it. A [Sampler] is a value that says how a kernel samples them.
//
// A call checks each buffer against the shape that the Metal source states, such as "[rows * dim]". A buffer may be
// left unset where its shape comes to 0 elements for a call that runs over something, because then the kernel does not
// touch it, as with "[min(1, write_sum) * rows * dim]" when write_sum is 0.
//
// Only generated code needs package bind, which describes kernels.
package runtime
