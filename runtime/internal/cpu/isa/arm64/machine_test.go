//go:build arm64 && (linux || darwin) && !purego

package arm64

import (
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode/vcodetest"
)

func TestEveryInstructionComputesWhatGoDoes(t *testing.T) {
	vcodetest.Run(t, New, func(code []byte) func(unsafe.Pointer) uint64 {
		c, err := exec.Load(code)
		if err != nil {
			t.Fatal(err)
		}
		return func(argument unsafe.Pointer) uint64 { return c.Call(0, argument) }
	})
}
