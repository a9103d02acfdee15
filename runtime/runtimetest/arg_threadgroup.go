package runtimetest

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Length is the threadgroup memory of a threadgroup argument.
type Length struct {
	Index int
	Name  string
	Bytes int // a multiple of 16
}

func cloneShared(s *driver.Shared) Length {
	return Length{Index: s.Arg.Index, Name: s.Arg.Name, Bytes: s.Length}
}
