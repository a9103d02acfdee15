package driver

import "github.com/metalgen/metalgen/runtime/bind"

// SamplerArg is the sampler of an argument, or of one element of an array.
type SamplerArg struct {
	Arg     *Arg
	Element int
	Sampler bind.Sampler
}
