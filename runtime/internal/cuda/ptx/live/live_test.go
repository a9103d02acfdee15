package live_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/live"
)

// across returns the registers that have to survive call 0.
func across(t *testing.T, text string) string {
	t.Helper()
	list := live.AcrossCalls(strings.Split(text, "\n"))["0"]
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestWhatHasToSurviveACall(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"what is read later", `call (), 0, ();
add.s32 %r1, %r2, %r3;
ret 0, (%r1);`, "%r2 %r3"},
		{"not what is set first", `call (), 0, ();
mov.u32 %r2, 1;
add.s32 %r1, %r2, %r3;
ret 0, (%r1);`, "%r3"},
		{"but what is set under a condition", `call (), 0, ();
@%p1 mov.u32 %r2, 1;
ret 0, (%r2);`, "%p1 %r2"},
		{"not the results", `call (%r1, %f1), 0, (%r5);
ret 0, (%r1, %r2);`, "%r2"},
		{"what one of two ways reads", `call (), 0, ();
@!%p1 bra L1;
ret 0, (%r1);
L1:
ret 0, (%r2);`, "%p1 %r1 %r2"},
		{"what the next turn of a loop reads before the call", `L1:
add.s32 %r1, %r2, 1;
call (), 0, ();
bra L1;`, "%r2"},
		{"addresses, and what is stored", `call (), 0, ();
st.local.v2.u64 [%l1+8], {%l2, %l3};
ret 0, ();`, "%l1 %l2 %l3"},
		{"not what a load sets", `call (), 0, ();
ld.global.v2.f32 {%f1, %f2}, [%l1];
ret 0, (%f1, %f2);`, "%l1"},
		{"what code at the end reads", `call (), 0, ();
@%p1 bra FAULT1;
ret 0, ();
FAULT1:
mov.u64 %at, %l7;
bra RECORD;`, "%l7 %p1"},
		{"what another call takes", `call (%r1), 0, ();
call (%r2), 1, (%r1, %r3);
ret 0, (%r2);`, "%r3"},
		{"what another call keeps, and sets for itself", `call (%r1), 0, ();
keep 1;
mov.u32 %r9, 1;
call (%r2), 1, (%r1, %r9);
ret 0, (%r2, %r9);`, "%r9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := across(t, c.text); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestWhatLinesSet(t *testing.T) {
	got := live.Sets(strings.Split(`mov.u32 %r1, %tid.x;
mov.b64 {%r2, %r3}, %l1;
st.local.u32 [%l2], %r4;
@%p1 bra L1;
setp.eq.u32 %p2, %r5, 0;`, "\n"))
	want := []string{"%p2", "%r1", "%r2", "%r3"}
	if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, want) {
		t.Errorf("%v, want %v", list, want)
	}
}

func TestWhatNothingReadsIsLeftOut(t *testing.T) {
	const text = `	ld.param.u64 %l1, [args+8];
	mov.u32 %r1, 1;
L1:
	add.s32 %r2, %r1, 1;
	mul.lo.s32 %r3, %r2, 7;
	@%p1 cvt.u64.u32 %l2, %r3;
	setp.lt.s32 %p1, %r1, 4;
	atom.global.add.u32 %r4, [%l1], %r1;
	mov.b64 {%r5, %r6}, %l1;
	@%p1 bra L1;
	bra L2;
L3:
	bra L2;
L2:
	ret;
`
	want := strings.ReplaceAll(text, "	bra L2;\n", "")
	want = strings.Replace(want, "	add.s32 %r2, %r1, 1;\n	mul.lo.s32 %r3, %r2, 7;\n	@%p1 cvt.u64.u32 %l2, %r3;\n", "", 1)
	if got := live.Used(text); got != want {
		t.Errorf("got %s", got)
	}
}
