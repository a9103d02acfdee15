package runtimetest

import (
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Sampler is what a sampler argument, or an element of an array of them, was set to.
type Sampler struct {
	Index   int // of the argument, or of the element
	Name    string
	Sampler runtime.Sampler
}

func cloneSampler(s *driver.SamplerArg) Sampler {
	return Sampler{Index: s.Arg.Index + s.Element, Name: s.Arg.Name, Sampler: s.Sampler}
}
