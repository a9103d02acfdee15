package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

var nanPairs = []pair{
	{
		name: "nothing divided by nothing", kind: driver.CheckNaN,
		body: `
float sum = in[i];
float mean = sum / in[i]; // here
y[i] = mean > 0 ? mean : sum * mean;`,
		mend:    [2]string{"/ in[i]", "/ (in[i] + 1)"},
		message: "thread (0, 0, 0) makes a NaN of 0 and 0",
	}, {
		name: "the root of what rounding has made negative", kind: driver.CheckNaN,
		body: `
float variance = in[i] - 1e-7f;
float2 v = float2(variance, 1);
v = sqrt(v); // here
y[i] = v.x + v.y;`,
		mend:    [2]string{"sqrt(v)", "sqrt(max(v, 0.0f))"},
		message: "makes a NaN of -1e-07",
	}, {
		name: "infinities that cancel in a softmax", kind: driver.CheckNaN,
		body: `
float score = in[i] == 0 ? -INFINITY : 1;
float shifted = score - simd_max(score); // here
y[i] = exp(shifted) * 2 + 1;`,
		mend: [2]string{"simd_max(score)", "max(simd_max(score), 0.0f)"},
	}, {
		name: "an infinity times nothing, in half", kind: driver.CheckNaN,
		body: `
half big = half(60000.0f) * 2.0h;
half none = in[i];
y[i] = 1 + big * none; // here`,
		mend: [2]string{"big * none", "min(big, HALF_MAX) * none"},
	}, {
		name: "an infinity times nothing in a sum", kind: driver.CheckNaN,
		body: `
float big = INFINITY;
float sum = 1.0f + big * float(in[i]); // here
y[i] = sum;`,
		mend: [2]string{"INFINITY", "1"},
	}, {
		name: "a vector of no length", kind: driver.CheckNaN,
		body: `
float3 v = float3(in[i], 0, 0);
float3 u = v / length(v); // here
y[i] = u.x + 1;`,
		mend: [2]string{"length(v)", "max(length(v), 1e-6f)"},
	}, {
		name: "the logarithm of what is below zero", kind: driver.CheckNaN,
		body: `
float p = float(in[i]) - 0.5f;
y[i] = log(p) + 1; // here`,
		mend: [2]string{"log(p)", "log(abs(p))"},
	}, {
		name: "the power of a negative number", kind: driver.CheckNaN,
		body: `
float v = -2.0f - in[i];
y[i] = pow(v, 0.5f); // here`,
		mend: [2]string{"pow(v", "pow(-v"},
	}, {
		name: "an angle of more than a cosine", kind: driver.CheckNaN,
		body: `
half c = 1.0h + half(t) / 64;
half angle = acos(c); // here
y[i] = angle;`,
		mend: [2]string{"acos(c)", "acos(min(c, 1.0h))"},
	}, {
		name: "the remainder of a division by nothing", kind: driver.CheckNaN,
		body: `
float period = in[i];
y[i] = fmod(2.0f, period); // here`,
		mend: [2]string{"period);", "period + 1);"},
	},
}
