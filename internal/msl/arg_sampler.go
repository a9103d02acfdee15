package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// samplerArg is a sampler, or an array of them. metalgen recognises it and leaves
// out the kernel.
var samplerArg = argKind{
	kind:    tree.SamplerParam,
	types:   tree.Sampler,
	indexes: 16,
	slots:   arraySlots,
}
