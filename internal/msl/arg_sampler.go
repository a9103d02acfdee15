package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// samplerArg is a sampler, or an array of them. metalgen recognises it and leaves
// out the kernel.
var samplerArg = argKind{
	kind:    tree.SamplerParam,
	indexes: 16,
	implied: func(a *argument) bool { return a.Type.Kind == tree.Sampler },
	check:   checkOpaque(tree.Sampler),
	slots:   arraySlots,
}
