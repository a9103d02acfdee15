package msl

import (
	"strconv"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

func TestConstantExpressions(t *testing.T) {
	declarations := `
		enum Mode { Off, On, Last = 9, After, Copy = Last + Off, Neg = -2, Zero = Neg + 2 };
		enum class Color : uchar { Red = 250, Green, Blue = Red + 10 };
		enum { Anonymous = 7, Next };
		constant int four = 4;
		constexpr constant uint braces{5};
		constant int none = {};
		constant auto deduced = 3ul;
		constant uint chain = four * 2 + braces;
		constant short narrow = 70000;
		constant bool yes = four;
		constant float half_of = 0.5;
		namespace n { constant int inner = 6; namespace m { constant int deep = inner + 1; } }
		struct P { float3 v; int n; static constant int Width = 12; };
		#define TWO 2
		#define SUM 1 + TWO
		#define OPEN SUM * 10
	`
	tests := []struct{ expr, want string }{
		{"1 + 2 * 3", "7"}, {"(1 + 2) * 3", "9"}, {"7 / 2", "3"}, {"-7 / 2", "-3"}, {"7 % 3", "1"}, {"-7 % 3", "-1"},
		{"7 - 10", "-3"}, {"7u - 10", "4294967293"}, {"7ul - 10", "18446744073709551613"}, {"-1 + 0u", "4294967295"},
		{"2147483647 + 1", "-2147483648"}, {"4294967295u + 1", "0"}, {"0xFFFFFFFF", "4294967295"}, {"0xFFFFFFFF + 1", "0"},
		{"2147483648", "2147483648"}, {"2147483648 * 2", "4294967296"}, {"-2147483648", "-2147483648"}, {"~0", "-1"},
		{"~0u", "4294967295"},
		{"-9223372036854775807 - 1", "-9223372036854775808"}, {"(-9223372036854775807 - 1) / -1", "-9223372036854775808"},
		{"(-2147483647 - 1) % -1", "0"},
		{"1 << 4", "16"}, {"1 << 31", "-2147483648"}, {"1u << 31", "2147483648"}, {"1 << 33", "2"},
		{"1ul << 33", "8589934592"}, {"-8 >> 1", "-4"}, {"0x80000000 >> 31", "1"},
		{"6 & 3", "2"}, {"6 | 3", "7"}, {"6 ^ 3", "5"}, {"~6 & 7", "1"},
		{"1 < 2", "true"}, {"-1 < 0u", "false"}, {"2 <= 2", "true"}, {"3 > 2", "true"}, {"3 >= 4", "false"},
		{"0.0 / 0.0 > 1", "false"}, {"1 >= 0.0 / 0.0", "false"}, {"1 <= 0.0 / 0.0", "false"}, {"1 < 0.0 / 0.0", "false"},
		{"0.0 / 0.0 == 0.0 / 0.0", "false"}, {"1 != 0.0 / 0.0", "true"}, {"2.5 > 1", "true"}, {"2.5 >= 2.5", "true"},
		{"3 == 3", "true"}, {"3 != 3", "false"},
		{"!3", "false"}, {"!0", "true"}, {"+true", "1"}, {"-true", "-1"}, {"true + true", "2"}, {"'a' + 1", "98"},
		{"'\\n'", "10"}, {"'\\0'", "0"}, {"'\\033'", "27"}, {"'\\x7'", "7"}, {"'\\xff'", "-1"}, {"'\\?'", "63"},
		{"'\\''", "39"}, {"'\"'", "34"}, {"'ab'", "24930"}, {"sizeof('a')", "1"}, {"sizeof('\\0a')", "4"},
		{"1 && 0", "false"}, {"0 || 2", "true"}, {"0 && 1 / 0", "false"}, {"1 || 1 / 0", "true"},
		{"true ? 4 : 1 / 0", "4"}, {"false ? 1 / 0 : 5", "5"}, {"(true ? -1 : 1u) > 0", "true"}, {"1 ? 2 : 3 ? 4 : 5", "2"},
		{"(uchar)300", "44"}, {"(char)200", "-56"}, {"uint(-1)", "4294967295"}, {"(ushort)-1", "65535"}, {"(bool)7", "true"},
		{"static_cast<long>(-1)", "-1"}, {"(int)3.9f", "3"}, {"(int)-3.9", "-3"}, {"(uint)2.5h", "2"},
		{"(uchar)250 + (uchar)10", "260"}, {"(short)-1 >> 1", "-1"}, {"(ulong)-1 > 0", "true"},
		{"1 / 2.0", "0.5"}, {"7 / 2.0f > 3", "true"}, {"(uint)16777217.0f", "16777216"}, {"(int)(0.1f * 10)", "1"},
		{"1e3", "1000"}, {"0x1p4", "16"}, {"2049.0h", "2048"}, {"257.0bf", "256"},
		{"1'000'000", "1000000"}, {"0b101", "5"}, {"010", "8"}, {"0xFFul", "255"},
		{"sizeof(float4)", "16"}, {"sizeof(float)", "4"}, {"alignof(float3)", "16"}, {"sizeof(P)", "32"},
		{"alignof(P)", "16"}, {"sizeof(int[3])", "12"}, {"sizeof(n::inner)", "4"}, {"sizeof(four)", "4"},
		{"sizeof(Mode)", "4"}, {"sizeof(device float*)", "8"}, {"sizeof(uint) * 3 - 13", "18446744073709551615"},
		{"Off", "0"}, {"On", "1"}, {"Last", "9"}, {"After", "10"}, {"Copy", "9"}, {"Neg", "-2"}, {"Zero", "0"},
		{"Mode::On", "1"}, {"Color::Red", "250"}, {"(int)Color::Green", "251"}, {"Color::Blue", "4"},
		{"Anonymous + Next", "15"},
		{"four", "4"}, {"braces", "5"}, {"none", "0"}, {"deduced - 4", "18446744073709551615"}, {"chain", "13"},
		{"narrow", "4464"}, {"yes", "true"}, {"half_of", "0.5"}, {"n::inner", "6"}, {"n::m::deep", "7"}, {"P::Width", "12"},
		{"min(3, 4)", "3"}, {"max(3, 4)", "4"}, {"metal::max(2u, 7u)", "7"}, {"min(2, 2)", "2"},
		{"TWO", "2"}, {"SUM * 2", "5"}, {"OPEN", "21"},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			p := mustAnalyze(t, declarations+"\nconstant auto result = "+tt.expr+";")
			v, err := p.resolver.At(nil).NameValue(nameOf("result"))
			if err != nil {
				t.Fatal(err)
			}
			if got := v.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNoConstantExpressions(t *testing.T) {
	for expr, want := range map[string]string{
		"1 / 0":       "a.metal:2:24: division by zero",
		"1 % 0u":      "a.metal:2:24: division by zero",
		"1 + missing": "a.metal:2:26: unknown name missing",
		"n::missing":  "a.metal:2:22: unknown name n::missing",
		"result":      "a.metal:2:22: the value of result depends on itself",
		"given":       "a.metal:2:22: given has no value that is known here",
		"table":       "a.metal:2:22: table has no value that is known here",
		"f(3)":        "a.metal:2:22: unknown function f",
		"1.5 % 2":     "a.metal:2:26: operator % does not take float and int",
		"1.5 << 2":    "a.metal:2:26: operator << does not take float and int",
		"~1.5":        "a.metal:2:22: operator ~ does not take float",
		"four++":      "a.metal:2:26: cannot assign to this: it is a value, not a variable",
		"four = 3":    "a.metal:2:27: cannot assign to this: it is a value, not a variable",
		"&four":       "a.metal:2:22: this is no constant expression",
		"(1, 2)":      "a.metal:2:24: this is no constant expression",
		`"text"`:      "a.metal:2:22: this is no constant expression",
		"table[4]":    "a.metal:2:27: this is no constant expression",
		"(float2)1":   "a.metal:2:22: float2 is no scalar type",
		"(int)1e30":   "a.metal:2:22: 1e+30 does not fit int",
		"max(-1, 1u)": "a.metal:2:22: the call of max is ambiguous: several of its overloads take (int, uint) " +
			"equally well",
		"sizeof(1 + f)":   "a.metal:2:33: unknown name f",
		"sizeof(Missing)": "a.metal:2:29: unknown name Missing",
		"sizeof(void)":    "a.metal:2:22: void has no size",
		`'\q'`:            `a.metal:2:22: '\q' has an escape that does not exist`,
		"''":              "a.metal:2:22: '' is empty",
		"'\u00e9'":        "a.metal:2:22: '\u00e9' is no char",
	} {
		t.Run(expr, func(t *testing.T) {
			p := mustAnalyze(t,
				"constant int four = 4; constant int given [[function_constant(0)]]; constant int table[2] = {1, 2};\n"+
					"constant int result ="+expr+";")
			v, err := p.resolver.At(nil).NameValue(nameOf("result"))
			if err == nil {
				t.Fatalf("got %s", v)
			}
			got := err.Error()
			if got != want && !strings.HasPrefix(got, "a.metal:1:") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestConstantCycles(t *testing.T) {
	testErrors(t, []errorTest{
		{"two constants", "constant int a = b;\nconstant int b = a;\nkernel void k(device int* x [[buffer(a)]]) {}",
			"a.metal:3:27: the value of a depends on itself"},
		{"enum", "enum E { A = B, B = A };\nkernel void k(device int* x [[buffer(A)]]) {}",
			"a.metal:1:14: the value of B depends on itself"},
		{"sizeof", "struct P { int x[sizeof(P)]; };\nkernel void k(device P* x) {}", "a.metal:1:1: struct P contains itself"},
	})
}

func TestConstantAt(t *testing.T) {
	source := `
#define FIRST 1
#define BOTH FIRST + 10
#define LATER 1
kernel void a() {}
#undef FIRST
#define FIRST 2
kernel void b() {
#undef LATER
}
#undef FIRST
#define LOOP LOOP
#define CALL(x) x
#define TEXT "text"
#define FRACTION 1.5
#define NEGATIVE -3
#define TWICE NEGATIVE * 2
#define FLAG true
#define EMPTY
#define SHADOW 8
constant int N = 6;
constant int shadowed = 1;
constant float F = 2;
namespace n { constant int N = 7;
kernel void c() {} }
`
	p := mustAnalyze(t, source)
	decls := map[string]*tree.Kernel{}
	for _, k := range p.Kernels {
		decls[k.Name] = k
	}
	tests := []struct {
		kernel, name string
		want         int64
		err          string
	}{
		{"a", "FIRST", 1, ""}, {"b", "FIRST", 2, ""}, {"n::c", "FIRST", 0, "unknown name FIRST"},
		{"a", "BOTH", 11, ""}, {"b", "BOTH", 12, ""}, {"n::c", "BOTH", 0, "unknown name FIRST"},
		{"a", "LATER", 1, ""}, {"b", "LATER", 0, "unknown name LATER"},
		{"a", "NEGATIVE", 0, "unknown name NEGATIVE"}, {"n::c", "NEGATIVE", -3, ""}, {"n::c", "TWICE", -6, ""},
		{"n::c", "FLAG", 1, ""},
		{"n::c", "LOOP", 0, "unknown name LOOP"}, {"n::c", "CALL", 0, "unknown name CALL"},
		{"n::c", "TEXT", 0, "this is no constant expression"}, {"n::c", "FRACTION", 0, "FRACTION is no integer"},
		{"n::c", "EMPTY", 0, "expected an expression"},
		{"a", "N", 6, ""}, {"n::c", "N", 7, ""}, {"a", "n::N", 7, ""}, {"a", "F", 0, "F is no integer"},
		{"a", "missing", 0, "unknown name missing"},
	}
	for _, tt := range tests {
		t.Run(tt.kernel+" "+tt.name, func(t *testing.T) {
			got, err := p.ConstantAt(tt.name, decls[tt.kernel].Decl)
			switch {
			case tt.err == "" && err != nil:
				t.Error(err)
			case tt.err != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.err)):
				t.Errorf("got %d and error %v, want error %s", got, err, tt.err)
			case got != tt.want:
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// A macro that doubles at each level must not take the time to expand.
func TestConstantAtBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("#define A0\n")
	for i := 1; i <= 60; i++ {
		b.WriteString(strings.NewReplacer("N", strconv.Itoa(i), "M", strconv.Itoa(i-1)).Replace("#define AN AM AM\n"))
	}
	p := mustAnalyze(t, b.String()+"kernel void k() {}")
	if _, err := p.ConstantAt("A60", p.Kernels[0].Decl); err == nil || err.Error() != "macro A60 expands to too much" {
		t.Errorf("got %v", err)
	}
}
