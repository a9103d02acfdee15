package suite

import "slices"

// Table is the suite. A slice for each file of kernels is in table_FILE.go.
var Table = slices.Concat(stream, reduce, sort, sparse, wavefront, stencil, dense, layers, arithmetic, quantised,
	integer, image)
