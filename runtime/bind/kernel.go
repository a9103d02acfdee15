package bind

import "sync/atomic"

// Kernel describes one kernel function: its name in the source, its arguments, and the lines of the source that state
// them. Generated code has one variable for each kernel. A Kernel must not be copied or changed after its first call.
type Kernel struct {
	Name    string   // as in the source: "fused_norm_add_f32"
	Library *Library // the source
	Pos     string   // where the kernel is: "norm.metal:24"
	Grid    string   // the grid as the source states it, "" where nothing does
	GridPos string   // where it states it: "norm.metal:19"

	// Positions is set for kernels that read the positions of threads in the grid. Those are 32-bit numbers, which
	// limits the threads of a dimension.
	Positions bool

	// Simd is set for kernels that rely on simd-groups of 32 threads, which not every GPU has.
	Simd bool

	Requires []Requirement // of calls, see [Call.Require]
	Args     []Arg         // in the order in which calls set them, which makes finding them quick

	form atomic.Value
}

// Library is a Metal source, with its local includes in place. Each device compiles it once, on first use.
type Library struct {
	File   string  // for messages: "norm.metal"
	Source *string // MSL text; a pointer, so that libraries are static data
	Needs  Language
}

// Language is the oldest version of MSL that a source can be compiled as, and the first use of something that older
// versions lack. The zero Language is supported by every system.
type Language struct {
	Major, Minor int
	For          string // "bfloat"
	Pos          string // of it: "norm.metal:24"
}

// Form returns what package runtime builds from the description to dispatch k; only package runtime calls it. The first
// call builds it, and later calls return the same value, at the cost of a load. If build fails, Form returns its error,
// and the next call tries again.
func (k *Kernel) Form(build func(*Kernel) (any, error)) (any, error) {
	if form := k.form.Load(); form != nil {
		return form, nil
	}
	form, err := build(k)
	if err != nil {
		return nil, err
	}
	k.form.CompareAndSwap(nil, form) // of several first calls one must win
	return k.form.Load(), nil
}
