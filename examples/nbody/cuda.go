//go:build cuda

package main

// With go run -tags cuda the program also runs on NVIDIA's GPUs, where METALGEN_DEVICE=cuda asks for one.
import _ "github.com/metalgen/metalgen/runtime/cuda"
