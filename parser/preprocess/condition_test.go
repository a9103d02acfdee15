package preprocess

import "testing"

func TestConditions(t *testing.T) {
	const macros = "#define ONE 1\n#define EMPTY\n#define ADD(a, b) ((a) + (b))\n#define HAS(x) defined(x)\n" +
		"#define HAS_ONE defined(ONE)\n#define HEADER <metal_math>\n"
	for _, test := range []struct {
		condition string
		holds     bool
	}{
		{"1", true},
		{"0", false},
		{"unknown", false},
		{"true && !false", true},
		{"1 + 2 * 3 == 7", true},
		{"(1 + 2) * 3 == 9", true},
		{"1 - 2 - 3 == -4", true},
		{"8 / 2 / 2 == 2", true},
		{"1 << 2 + 1 == 8", true},
		{"7 & 3 == 3", true},
		{"6 ^ 2 | 1 == 1", true},
		{"1 || 1 / 0", true},
		{"0 && 1 / 0", false},
		{"1 ? 2 : 1 / 0", true},
		{"0 ? 1 / 0 : 0", false},
		{"1 ? 0 : 1 ? 1 : 1", false},
		{"-1 < 0", true},
		{"-1 < 0u", false},
		{"-1 > 0u", true},
		{"(1 ? -1 : 0u) > 0", true},
		{"-1 / 2u == 0x7fffffffffffffff", true},
		{"0xffffffffffffffff > 0", true},
		{"-7 / 2 == -3 && -7 % 2 == -1", true},
		{"(-9223372036854775807 - 1) / -1 < 0", true},
		{"-8 >> 1 == -4", true},
		{"1 << 64 == 0", true},
		{"~0 == -1", true},
		{"not 0 and (1 or 0) and (1 bitor 2) == 3 and 1 not_eq 2", true},
		{"0b101 == 5 && 017 == 15 && 0x1F == 31 && 1'000 == 1000", true},
		{"'a' == 97 && '\\n' == 10 && '\\0' == 0 && '\\x41' == 65 && '\\101' == 65", true},
		{"'\\xff' < 0 && L'\\xff' > 0 && 'ab' == 24930", true},
		{"ONE && ADD(ONE, 2) == 3", true},
		{"EMPTY 1 EMPTY", true},
		{"defined ONE && defined(EMPTY) && !defined(TWO)", true},
		{"HAS(EMPTY2) || HAS_ONE && !HAS(TWO)", true},
		{"defined(__has_include) && defined __has_attribute", true},
		{"__has_include(<metal_stdlib>) && __has_include(<simd/simd.h>) && __has_include(HEADER)", true},
		{"__has_include(\"main.metal\") && !__has_include(\"none.h\") && !__has_include(<none.h>)", true},
		{"__has_attribute(always_inline) || __has_builtin(f) || __has_cpp_attribute(a::b) || __has_feature(x)", false},
		{"__METAL_VERSION__ >= 310 && defined(__METAL__) && __cplusplus >= 201402L", true},
		{"__LINE__ == 7", true},
	} {
		unit, errs := preprocessText(macros + "#if " + test.condition + "\nyes\n#else\nno\n#endif\n")
		if len(errs) > 0 {
			t.Errorf("%s: %v", test.condition, errs)
		}
		if holds := spell(unit.Tokens) == "yes"; holds != test.holds {
			t.Errorf("%s: %v", test.condition, holds)
		}
	}
}
