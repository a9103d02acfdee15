package driver

// Buffer is the memory that a pointer argument points to.
type Buffer struct {
	Arg    *Arg
	Memory Memory
	Offset int // of the first element, in bytes
	Length int // in bytes
}
