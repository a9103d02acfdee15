package pixel

// Use is a set of things that kernels may do with the textures of a format. All formats can be read and sampled.
type Use uint8

const (
	Filter    Use = 1 << iota // sample with a linear filter
	Write                     // access::write
	ReadWrite                 // access::read_write, where Metal's readWriteTextureSupport is tier 2, as since the M1
	Atomic                    // atomic functions

	// The same for texture_buffer, which reads and writes fewer formats than other textures. Where it writes, it has
	// ReadWrite and Atomic too, if the format has them.
	BufferRead
	BufferWrite

	// Apple is set where no GPU but Apple's own has textures of the format at all.
	Apple
)

// The columns of the feature set tables, "Texture capabilities by pixel format" and "Texture buffer pixel formats", as
// far as they concern compute. 32-bit floats have Filter on Macs only; on iPads it depends on the GPU.
const (
	sampled  = Filter
	stored   = Write
	all      = Filter | Write
	buffered = BufferRead | BufferWrite
)
