package cpu

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/driver/drivertest"
	"github.com/metalgen/metalgen/runtime/internal/logtext"
)

// messagesOf executes a body with a thread number i, and returns what it logs.
func messagesOf(t *testing.T, o driver.Options, level slog.Level, body string, grid driver.Grid) ([]string, error) {
	t.Helper()
	to := &drivertest.Log{Level: level}
	o.Log = slog.New(to)
	source := logSource + "kernel void test(device int* out,\n" +
		"  uint i [[thread_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {\n" + body + "\n}"
	dev := openWith(t, o)
	err := executeKept(t.Context(), t, dev, source, grid, make([]int32, 4))
	dev.Close()
	return to.Lines, err
}

const logSource = `#include <metal_logging>
constant os_log named("com.example", "kernels");
constant os_log braces{"com.example", "a" "b"};
constant os_log equals = metal::os_log("com.example", "c");
void byReference(constant os_log& l, int x) { l.log("by reference %d", x); }
void byValue(os_log l, int x) { l.log("by value %d", x); }
void again(os_log l, int x) { if (x > 0) { l.log("again %d", x); again(l, x - 1); } }
template <typename... A> void any(constant os_log& l, A... a) { l.log("%d of %f", a...); }
enum class Colour : uchar { red = 3 };
`

// The expectations are what a compiler of C makes of printf with the same arguments.
func TestMessagesAreFormattedAsPrintfDoes(t *testing.T) {
	rows := []struct{ format, value, want string }{
		{"%d", "-42", "-42"},
		{"%i", "7", "7"},
		{"%5d", "42", "   42"},
		{"%-5d", "42", "42   "},
		{"%05d", "-42", "-0042"},
		{"%+d", "42", "+42"},
		{"% d", "42", " 42"},
		{"%+ d", "42", "+42"},
		{"%.4d", "42", "0042"},
		{"%8.4d", "-42", "   -0042"},
		{"%-8.4d", "42", "0042    "},
		{"%08.4d", "42", "    0042"},
		{"%.0d", "0", ""},
		{"%5.0d", "0", "     "},
		{"%+.0d", "0", "+"},
		{"%hhd", "300", "44"},
		{"%hd", "70000", "4464"},
		{"%hhu", "-1", "255"},
		{"%hu", "-1", "65535"},
		{"%u", "-1", "4294967295"},
		{"%c", "65", "A"},
		{"%5c", "66", "    B"},
		{"%-3c", "67", "C  "},
		{"%x", "48879", "beef"},
		{"%X", "48879", "BEEF"},
		{"%#x", "48879", "0xbeef"},
		{"%#X", "48879", "0XBEEF"},
		{"%#x", "0", "0"},
		{"%#.0x", "0", ""},
		{"%#08x", "42", "0x00002a"},
		{"%#-10x", "42", "0x2a      "},
		{"%#10.4x", "42", "    0x002a"},
		{"%o", "8", "10"},
		{"%#o", "8", "010"},
		{"%#o", "0", "0"},
		{"%#.4o", "8", "0010"},
		{"%#.2o", "8", "010"},
		{"%#.0o", "0", "0"},
		{"%+u", "5", "5"},
		{"%ld", "-9223372036854775807L", "-9223372036854775807"},
		{"%lu", "18446744073709551615UL", "18446744073709551615"},
		{"%lld", "-5L", "-5"},
		{"%llx", "3735928559L", "deadbeef"},
		{"%jd", "-5L", "-5"},
		{"%zu", "5UL", "5"},
		{"%td", "-5L", "-5"},
		{"%#lo", "511L", "0777"},
		{"%f", "1.5f", "1.500000"},
		{"%f", "-0.0f", "-0.000000"},
		{"%f", "0.0f", "0.000000"},
		{"%.0f", "0.5f", "0"},
		{"%.0f", "1.5f", "2"},
		{"%#.0f", "1.5f", "2."},
		{"%.3f", "2.0005f", "2.000"},
		{"%10.2f", "3.14159f", "      3.14"},
		{"%-10.2f", "3.14159f", "3.14      "},
		{"%010.2f", "-3.14159f", "-000003.14"},
		{"%+.1f", "3.14159f", "+3.1"},
		{"% f", "2.0f", " 2.000000"},
		{"%F", "1.25f", "1.250000"},
		{"%lf", "1.25f", "1.250000"},
		{"%e", "12345.678f", "1.234568e+04"},
		{"%.0e", "12345.678f", "1e+04"},
		{"%#.0e", "12345.678f", "1.e+04"},
		{"%E", "0.00012345f", "1.234500E-04"},
		{"%12.3e", "-12345.678f", "  -1.235e+04"},
		{"%e", "0.0f", "0.000000e+00"},
		{"%e", "1e-38f", "9.999999e-39"},
		{"%g", "100000.0f", "100000"},
		{"%g", "1000000.0f", "1e+06"},
		{"%g", "0.0001f", "0.0001"},
		{"%g", "0.00001f", "1e-05"},
		{"%g", "123456789.0f", "1.23457e+08"},
		{"%g", "0.5f", "0.5"},
		{"%g", "0.0f", "0"},
		{"%#g", "0.5f", "0.500000"},
		{"%#g", "1000000.0f", "1.00000e+06"},
		{"%.3g", "1234.5f", "1.23e+03"},
		{"%.0g", "1234.5f", "1e+03"},
		{"%#.3g", "1.0f", "1.00"},
		{"%G", "1e-10f", "1E-10"},
		{"%10g", "1.5f", "       1.5"},
		{"%-10g", "1.5f", "1.5       "},
		{"%010g", "-1.5f", "-0000001.5"},
		{"%+g", "1.5f", "+1.5"},
		{"%g", "16777216.0f", "1.67772e+07"},
		{"%.10g", "0.1f", "0.1000000015"},
		{"%.20f", "0.1f", "0.10000000149011611938"},
		{"%a", "1.0f", "0x1p+0"},
		{"%a", "0.0f", "0x0p+0"},
		{"%a", "-3.5f", "-0x1.cp+1"},
		{"%a", "0.1f", "0x1.99999ap-4"},
		{"%#.0a", "1.0f", "0x1.p+0"},
		{"%A", "255.0f", "0X1.FEP+7"},
		{"%20a", "1.0f", "              0x1p+0"},
		{"%-20a", "1.0f", "0x1p+0              "},
		{"%020a", "1.0f", "0x000000000000001p+0"},
		{"%+a", "1.0f", "+0x1p+0"},
		{"%f", "INFINITY", "inf"},
		{"%F", "-INFINITY", "-INF"},
		{"%08f", "INFINITY", "     inf"},
		{"%+e", "INFINITY", "+inf"},
		{"%G", "INFINITY", "INF"},
		{"%a", "-INFINITY", "-inf"},
		{"%f", "3.4028234663852886e38f", "340282346638528859811704183484516925440.000000"},
		{"%g", "1.401298464324817e-45f", "1.4013e-45"},

		// Apple's printf has no sign for what is no number.
		{"%+f", "NAN", "nan"}, {"%F", "-NAN", "NAN"}, {"%08f", "NAN", "     nan"},
		// A width or precision may be an argument.
		{"%*d|", "5, 42", "   42|"}, {"%*d|", "-5, 42", "42   |"}, {"%.*f|", "1, 2.25f", "2.2|"},
		{"%.*f|", "-1, 2.25f", "2.250000|"}, {"%*.*f|", "7, 2, 2.5f", "   2.50|"},
		// As in C, small integers become ints and fractions doubles, also those that C does not have.
		{"%d %d %d", "true, char(-3), ushort(65535)", "1 -3 65535"}, {"%u %d", "Colour::red, Colour::red", "3 3"},
		{"%f %g", "1.5h, bfloat(-3)", "1.500000 -3"},
		// The elements of vectors have commas between them, and the flags, width and precision of each.
		{"%v4hlf", "float4(1, -2, 3.5, 4)", "1.000000,-2.000000,3.500000,4.000000"},
		{"%2.2v4hlf", "float4(1, 2, 3, 4)", "1.00,2.00,3.00,4.00"},
		{"%#v4hhx", "uchar4(0xfa, 0xfb, 0xfc, 0xfd)", "0xfa,0xfb,0xfc,0xfd"},
		{"%v3hd", "short3(-1, 2, -3)", "-1,2,-3"}, {"%v2hu", "ushort2(65535, 1)", "65535,1"},
		{"%v2hhd", "char2(-128, 127)", "-128,127"}, {"%v2hlu", "uint2(4294967295u, 1)", "4294967295,1"},
		{"%v2ld", "long2(-5, 6)", "-5,6"}, {"%v2lx", "ulong2(0xffffffffffffffffUL, 6)", "ffffffffffffffff,6"},
		{"%v2hf", "half2(0.5h, 2.0h)", "0.500000,2.000000"}, {"%v3f", "float3(1, 2, 3)", "1.000000,2.000000,3.000000"},
		{"%v4hhd", "float4(1, 2, 3, 4) < 2.5f", "1,1,0,0"}, {"%v3hle", "packed_float3(1, 2, 3)",
			"1.000000e+00,2.000000e+00,3.000000e+00"},
		// What is printed as it is.
		{"100%%|%d|%%d", "1", "100%|1|%d"}, {`a\tb\x41\101\\ \"c\" %d`, "1", "a\tbAA\\ \"c\" 1"}, {"%d" + `\0 %d`, "1", "1"},
		{`\u00e9 \377 %d`, "1", "\u00e9 \uFFFD 1"}, {"%d\" \"-%d", "1, 2", "1-2"}, {`%d\n`, "1", "1"},
	}
	var body strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&body, "if (i == 0) os_log_default.log(\"%s\", %s);\n", r.format, r.value)
	}
	got, err := messagesOf(t, driver.Options{}, slog.LevelInfo, body.String(), threads(1))
	if err != nil || len(got) != len(rows) {
		t.Fatalf("got %d messages of %d and error %v", len(got), len(rows), err)
	}
	for i, r := range rows {
		text, _, _ := strings.Cut(strings.TrimPrefix(got[i], "INFO "), " kernel=test")
		if text != r.want {
			t.Errorf("%s of %s: got %q, want %q", r.format, r.value, text, r.want)
		}
	}
}

func TestMessagesSayWhereTheyAreFrom(t *testing.T) {
	got, err := messagesOf(t, driver.Options{}, slog.LevelDebug, `if (i != 33) return;
os_log_default.log_debug("debug");
named.log_info("info");
braces.log("default");
equals.log_error("error");
named.log_fault("fault");
byReference(named, 1);
byReference(os_log_default, 2);
byValue(lane > 0 ? braces : named, 3);
again(equals, 2);
braces.log("%p", nullptr);
any(named, 7, 2.5f);
named.log_with_type(log_type_error, "typed %d", 1);
named.log_with_type(metal::log_type_debug, "typed %d", 2);`,
		driver.Grid{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{32, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(`DEBUG debug line=13
INFO info line=14 kernels
INFO default line=15 ab
ERROR error line=16 c
ERROR fault line=17 kernels
INFO by reference 1 line=5 kernels
INFO by reference 2 line=5
INFO by value 3 line=6 ab
INFO again 2 line=7 c
INFO again 1 line=7 c
INFO 0x0 line=22 ab
INFO 7 of 2.500000 line=8 kernels
ERROR typed 1 line=24 kernels
DEBUG typed 2 line=25 kernels`, "\n")
	for i, w := range want {
		text, place, _ := strings.Cut(w, " line=")
		line, category, _ := strings.Cut(place, " ")
		want[i] = text + " kernel=test line=test.metal:" + line + " thread=[33 0 0] threadgroup=[1 0 0]"
		if category != "" {
			want[i] += " subsystem=com.example category=" + category
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMessagesComeInTheOrderOfBarriers(t *testing.T) {
	grid := driver.Grid{Threadgroups: [3]int{5, 2, 1}, Threads: [3]int{64, 1, 1}}
	body := `if (lane % 32 == 3) os_log_default.log("first %u", i);
threadgroup_barrier(mem_flags::mem_none);
if (lane % 32 == 5) os_log_default.log("second %u", i);
if (lane % 32 == 5) os_log_default.log("third %u", i);`
	var want []string
	for range 2 { // both rows of the grid
		for x := range 5 {
			for _, phase := range [][]string{{"first"}, {"second", "third"}} {
				for simdgroup := range 2 {
					for _, word := range phase {
						lane := map[string]int{"first": 3, "second": 5, "third": 5}[word]
						want = append(want, fmt.Sprintf("INFO %s %d", word, x*64+simdgroup*32+lane))
					}
				}
			}
		}
	}
	for range 3 {
		got, err := messagesOf(t, driver.Options{}, slog.LevelInfo, body, grid)
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], " kernel=")
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("error %v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	schedule := func(seed uint64) []string {
		got, err := messagesOf(t, driver.Options{Schedule: seed}, slog.LevelInfo, body, grid)
		if err != nil || len(got) != len(want) {
			t.Fatalf("schedule %d: %d messages and error %v", seed, len(got), err)
		}
		return got
	}
	if !slices.Equal(schedule(1), schedule(1)) {
		t.Error("one schedule logs in two orders")
	}
	if slices.Equal(schedule(1), schedule(2)) {
		t.Error("two schedules log in one order")
	}
}

func TestMessagesAreLimited(t *testing.T) {
	got, err := messagesOf(t, driver.Options{}, slog.LevelInfo, `os_log_default.log("%u", i);`,
		driver.Grid{Threadgroups: [3]int{100, 1, 1}, Threads: [3]int{100, 1, 1}})
	if err != nil || len(got) != logtext.MaxMessages+1 {
		t.Fatalf("got %d messages and error %v", len(got), err)
	}
	for i, line := range got[:logtext.MaxMessages] {
		if want := fmt.Sprintf("INFO %d kernel=test", i); !strings.HasPrefix(line, want) {
			t.Fatalf("message %d is %q, want %q", i, line, want)
		}
	}
	want := "WARN 5904 more messages of this call were dropped: 4096 are kept kernel=test"
	if last := got[logtext.MaxMessages]; last != want {
		t.Errorf("the last message is %q, want %q", last, want)
	}
	for _, body := range []string{
		`os_log_default.log("%*d", 2000000000, 1);`, `os_log_default.log("%.*f", 2000000000, 1.5f);`,
		`os_log_default.log("%99999999999999999999d%1000d", 1, 2);`,
		`os_log_default.log("` + strings.Repeat("x", 5000) + `");`,
	} {
		got, err := messagesOf(t, driver.Options{}, slog.LevelInfo, body, threads(1))
		text, _, _ := strings.Cut(strings.Join(got, ""), " kernel=")
		if n := len(text) - len("INFO "); err != nil || n != logtext.MaxMessage {
			t.Errorf("%.40s: got %d bytes and error %v", body, n, err)
		}
	}
}

func TestMessagesOfAKernelThatFailsAreSent(t *testing.T) {
	got, err := messagesOf(t, driver.Options{}, slog.LevelInfo,
		`if (i == 2) os_log_default.log("before"); out[1000] = 1; os_log_default.log("behind");`, threads(4))
	if err == nil || len(got) != 1 || !strings.HasPrefix(got[0], "INFO before") {
		t.Errorf("got %q and error %v", got, err)
	}
}

// What nobody reads is neither formatted nor kept.
func TestMessagesBelowTheLevelOfTheLoggerAreNotKept(t *testing.T) {
	got, err := messagesOf(t, driver.Options{}, slog.LevelError,
		`for (int n = 0; n < 1000; n++) os_log_default.log_debug("%d", n); os_log_default.log_error("%u", i);`, threads(64))
	if err != nil || len(got) != 64 || !strings.HasPrefix(got[63], "ERROR 63 ") {
		t.Errorf("got %d messages and error %v", len(got), err)
	}
}

func TestMessagesGoToTheDefaultLoggerWithoutOne(t *testing.T) {
	to := &drivertest.Log{}
	outer := slog.Default()
	slog.SetDefault(slog.New(to))
	defer slog.SetDefault(outer)
	if err := execute(t, `kernel void test() { os_log_default.log("here"); }`, threads(1)); err != nil {
		t.Fatal(err)
	}
	want := []string{"INFO here kernel=test line=test.metal:1 thread=[0 0 0] threadgroup=[0 0 0]"}
	if !reflect.DeepEqual(to.Lines, want) {
		t.Errorf("got %q", to.Lines)
	}
}

func TestStringsAreConstantMemory(t *testing.T) {
	out := make([]int32, 5)
	err := execute(t, `constant char* constant words[] = {"ab", "c"};
int length(constant char* s) { int n = 0; while (s[n]) n++; return n; }
kernel void test(device int* out, uint i [[thread_position_in_grid]]) {
	constant char* s = i % 2 ? "even" "more" : "x";
	out[i] = i < 2 ? length(words[i]) : i < 4 ? length(s) : "\xff"[0];
}`, threads(5), out)
	if want := []int32{2, 1, 1, 8, -1}; err != nil || !slices.Equal(out, want) {
		t.Errorf("got %v and error %v, want %v", out, err, want)
	}
	err = execute(t, `kernel void test(device int* out) { constant char* s = "abc"; out[0] = s[4]; }`, threads(1), out)
	if want := "a string[4]: out of bounds of 4 elements of char"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}
