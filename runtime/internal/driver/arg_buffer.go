package driver

// Buffer is the memory that a pointer argument points to.
type Buffer struct {
	Arg    *Arg
	Memory Memory
	Offset int // of the first element, in bytes
	Length int // in bytes
	// Shaped is set where the call states how much the kernel touches, and Shape is that, in bytes: at most Length.
	Shaped bool
	Shape  int
}
