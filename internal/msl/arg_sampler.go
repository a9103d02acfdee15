package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// samplerArg is a sampler, or an array of them.
var samplerArg = argKind{
	kind:    tree.SamplerParam,
	types:   tree.Sampler,
	indexes: 16,
	check:   checkHandle,
	slots:   arraySlots,
	byValue: true,
}
