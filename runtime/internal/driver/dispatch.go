package driver

// Dispatch is one checked kernel call. Arguments left out by the caller do not
// appear in it: optional ones, and buffers of which, by their stated shape, the
// kernel touches nothing in this call. A kernel that does access a missing buffer
// contradicts its own source; a driver that can tell reports it. Metal's
// validation asserts that every argument is bound, so its driver puts a
// placeholder where one is left out, and never what an earlier dispatch bound. A
// buffer of Length 0 is as good as left out, wherever it begins.
type Dispatch struct {
	Kernel    *Kernel
	Buffers   []Buffer
	Values    []Value
	Shared    []Shared
	Constants []Value
	Grid      Grid
}

// Reset empties the lists of d and keeps their storage.
func (d *Dispatch) Reset() {
	d.Buffers, d.Values, d.Shared, d.Constants = d.Buffers[:0], d.Values[:0], d.Shared[:0], d.Constants[:0]
}

// Buffer binds Length bytes of Memory, from byte Offset on, to a pointer argument.
type Buffer struct {
	Arg    *Arg
	Memory Memory
	Offset int
	Length int
}

// Value holds the bytes of a scalar, an array, a params struct or a function
// constant. The bytes are not aligned to anything.
type Value struct {
	Arg   *Arg
	Bytes []byte
}

// Shared gives a threadgroup pointer argument its memory: Length bytes, a
// multiple of 16.
type Shared struct {
	Arg    *Arg
	Length int
}

// Grid is the extent of a dispatch; every number of Threadgroups and Threads is
// at least 1. The zero Size means that all threadgroups are full.
//
// Where Indirect has Memory, the numbers of threadgroups are the three uint32
// there when the dispatch begins, at an offset that is a multiple of 4; any of
// them may be 0, and then nothing runs. Threadgroups and Size are zero.
type Grid struct {
	Threadgroups [3]int
	Threads      [3]int
	Size         [3]int
	Indirect     Buffer
}
