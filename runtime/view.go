package runtime

// View is a [Buffer] without its element type, as [Call.Buffer] takes it. Get one
// from [Buffer.View].
type View struct {
	mem    *allocation
	offset int // in bytes
	length int // in elements
	size   int // bytes of one element
}

// Len is the number of elements.
func (v View) Len() int { return v.length }
