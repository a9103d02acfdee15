// Package runtime is what engines call the code that metalgen generates with: devices, buffers
// and batches of kernel calls.
//
// In come Go values: typed buffers in memory that host and device share, scalars
// and params structs, a grid. Out goes one checked dispatch per call to the
// device behind [Device], which runs them all when the batch is submitted.
//
//	dev, err := runtime.Open()
//	defer dev.Close()
//
//	x, err := runtime.Upload(dev, input) // a Buffer[float32]
//	b := dev.NewBatch()
//	gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{Input: x, ...}) // records
//	err = b.Run(ctx)                                               // runs what was recorded
//	y.Data()                                                       // the results, not copied
//
// # Errors
//
// Recording never returns an error. The [Batch] keeps the first one, calls after
// it do nothing, and [Batch.Run] or [Batch.Submit] returns it, in which case
// nothing of the batch has run. Mistakes in a call are an [*ArgError], a
// [*GridError] or a [*CallError]; each says what was needed, what was given and
// which line of the Metal source asks for it.
//
// # Memory
//
// A [Buffer] is a small value, like a slice header, and copying, slicing and
// casting it costs nothing. Its memory lives until [Buffer.Free] or
// [Device.Close]; the garbage collector has no part in it. Batches keep alive
// what they use until their work is done.
//
// [NewPrivateBuffer] makes memory that only the device touches, and [WrapBuffer] has
// it use memory of the caller, such as a mapped file, as it is. [Copy] moves elements
// between buffers, in its turn among the calls of a batch.
//
// A call checks each buffer against the shape that the Metal source states, such
// as "[rows * dim]". A buffer of which the call touches nothing, because its shape
// comes to 0 elements, need not exist: leave the field of the arguments unset.
// That is how a kernel with "[min(1, write_sum) * rows * dim]" is called when
// write_sum is 0.
//
// # Generated code
//
// What generated functions are made of, the descriptions of kernels and the calls that record
// their arguments, is in package bind below this one.
package runtime
