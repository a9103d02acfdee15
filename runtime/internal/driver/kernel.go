package driver

import "github.com/metalgen/metalgen/runtime/bind"

// Kernel describes one kernel function. There is one *Kernel for each kernel of the program, and
// it never changes: drivers may cache by its address.
type Kernel struct {
	Name    string
	Library *Library
	Pos     string // "norm.metal:24"

	// The arguments, a list for each kind.
	Buffers   []*Arg
	Values    []*Arg
	Shared    []*Arg
	Constants []*Arg
}

// Library is a Metal source. Drivers may cache by its address.
type Library struct {
	File   string
	Source *string
	Needs  bind.Language
}
