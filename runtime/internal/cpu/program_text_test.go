package cpu

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestProgramsAsText holds that a program prints each of its operations by its name, and where lanes go.
func TestProgramsAsText(t *testing.T) {
	t.Parallel()
	source := `#include <metal_stdlib>
using namespace metal;
kernel void test(device float* x, constant uint& n, uint i [[thread_position_in_grid]]) {
	float sum = 0;
	for (uint k = 0; k < n; k++) sum += x[k] * 2;
	if (i < n) x[i] = exp(sum);
}`
	dev := Open(driver.Options{})
	defer dev.Close()
	k := testKernel(t, dev, source)
	text := k.program.String()
	last := -1
	for _, want := range []string{
		"= thread_position_in_grid\n", "first  load.word ", "enter entry m", "lt.u32 ", "test m", "load.float ", "muladd ",
		"add.i32 ", "loop -> ", "end entry m", "if m", "exp.f32 ", "store.float ", "stop  ; ",
	} {
		at := strings.Index(text, want)
		if at <= last {
			t.Fatalf("%q is missing, or not in its place, in\n%s", want, text)
		}
		last = at
	}
}
