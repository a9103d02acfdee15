package cpu

import (
	"strings"
	"testing"
)

// optionalSource has arguments that are there under a function constant, but
// reads some in any case, as kernels do that leave it to Metal's compiler to
// drop what they have no use for.
const optionalSource = `
constant bool has_bias [[function_constant(0)]];
constant bool scaled [[function_constant(1)]];
constant float factor = is_function_constant_defined(scaled) && scaled ? 10.0f : 1.0f;
struct Scale { float by; half2 more; char n; long wide; bool flag; };
struct Apply { float by; float bias; Apply(float by, float bias) : by(by), bias(bias) {}
	float operator()(float x) const { return x * by + bias; } };
kernel void test(device float* out [[buffer(0)]], device const float* bias [[buffer(1), function_constant(has_bias)]],
	constant Scale* scale [[buffer(2), function_constant(has_bias)]],
	constant float& value [[buffer(3), function_constant(has_bias)]], uint i [[thread_position_in_grid]]) {
	Apply op(scale->by, bias[i] + value);
	float y = float(scale[i].more.y) + float(scale[i].n) + float(scale->wide) + (scale[i].flag ? 1.0f : 0.0f) +
	(scale->flag ? 1.0f : 0.0f);
	float x = float(i) + 1;
	out[i] = factor * (has_bias ? op(x) : x + y);
	if (i == 77) { STORE }
}`

func TestArgumentsUnderFunctionConstants(t *testing.T) {
	type scale struct {
		By   float32
		More [2]uint16
		N    int8
		_    [7]int8
		Wide int64
		Flag bool
		_    [7]int8
	}
	source := strings.ReplaceAll(optionalSource, "STORE", "")
	for _, on := range []bool{false, true} {
		out := make([]float32, 40)
		args := []any{out, nil, nil, nil, constants{0: on}}
		want := func(x float32) float32 { return x }
		if on {
			bias, scales := make([]float32, 40), make([]scale, 40)
			for i := range bias {
				bias[i] = float32(i) / 4
			}
			scales[0].By = 3
			args = []any{out, bias, scales, float32(2), constants{0: on, 1: true}}
			want = func(x float32) float32 { return 10 * (3*x + (x-1)/4 + 2) }
		}
		compute(t, source, threads(40), args...)
		for i, got := range out {
			if got != want(float32(i)+1) {
				t.Errorf("on: %v, thread %d: %g, want %g", on, i, got, want(float32(i)+1))
			}
		}
	}
}

func TestNothingIsStoredToArgumentsThatAreLeftOut(t *testing.T) {
	source := strings.ReplaceAll(strings.ReplaceAll(optionalSource, "STORE", "((device float*)bias)[i] = 1;"), "i == 77",
		"i == 7")
	err := execute(t, source, threads(40), make([]float32, 40), nil, nil, nil, constants{0: false})
	if err == nil || !strings.Contains(err.Error(), "bias was left out of the call") {
		t.Errorf("%v", err)
	}
}
