//go:build amd64 && (linux || darwin) && !purego

package amd64

import (
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode/vcodetest"
)

func TestEveryInstructionComputesWhatGoDoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func() vcode.Machine
		is   func() bool
	}{{"avx512", NewAVX512, HasAVX512}, {"avx2", NewAVX2, HasAVX2}} {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.is() {
				t.Skip("the processor does not have it")
			}
			vcodetest.Run(t, tt.make, func(code []byte) func(unsafe.Pointer) uint64 {
				c, err := exec.Load(code)
				if err != nil {
					t.Fatal(err)
				}
				return func(argument unsafe.Pointer) uint64 { return c.Call(0, argument) }
			})
		})
	}
}
