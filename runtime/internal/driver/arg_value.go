package driver

// Value is what a call sets a value argument or a function constant to.
type Value struct {
	Arg   *Arg
	Bytes []byte // aligned to nothing
}
