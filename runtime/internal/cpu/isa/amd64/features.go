package amd64

import "sync"

// HasAVX2 reports whether this processor executes the code of NewAVX2. With the build tag purego none does.
func HasAVX2() bool { return processor()[0] }

// HasAVX512 reports whether this processor executes the code of NewAVX512.
func HasAVX512() bool { return processor()[1] }

// processor reports which of AVX2, AVX-512 and VBMI this processor has, in this order.
var processor = sync.OnceValue(features)
