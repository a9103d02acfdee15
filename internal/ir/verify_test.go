package ir

import (
	"strings"
	"testing"
)

// TestVerifySaysWhatIsWrong holds that what machines rely on is checked, and that no mistake makes Verify panic.
func TestVerifySaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"return", ""},
		{"%1 = add.i32 1:i32, 2:i32\nreturn", ""},
		{"%1 = add.i32 1:i32, 2:f32\nreturn", "one of the operands is f32, not i32"},
		{"%1 = add.i32 1:i32\nreturn", "too few operands"},
		{"%1 = add.i32 1:i32, 2:i32, 3:i32\nreturn", "too many operands"},
		{"%1 = and.f32 1:f32, 2:f32\nreturn", "and does not take f32"},
		{"%1 = add.i32 1:i32, 2:i32", "a region ends with a terminator"},
		{"return\nreturn", "which stands nowhere else"},
		{"leave #1\n", "not within a construct with the label 1"},
		{"block #1 {\nagain #1\n}\nreturn", "label 1 is not a loop's"},
		{"block #1 {\nleave #1 1:i32\n}\nreturn", "1 operands, not 0"},
		{"%1 i32 = block #1 {\nleave #1 true\n}\nreturn", "one of the operands is bool, not i32"},
		{"block #1 {\nleave #1\n}\nblock #1 {\nleave #1\n}\nreturn", "two constructs have the label 1"},
		{"block #1 {\n%1 = add.i32 1:i32, 2:i32\nleave #1\n}\n%2 = neg.i32 %1\nreturn", "used where it has no value"},
		{"loop #1 1:i32 () {\nagain #1\n}\nreturn", "0 parameters, not 1"},
		{"switch.i32 #1 1:i32 {\ncase 1:i32 ():\nleave #1\n}\nreturn", "it has no default"},
		{"switch.i32 #1 1:i32 {\ncase default ():\nfall #1\n}\nreturn", "there is no next case"},
		{"switch.i32 #1 {\ncase default ():\nleave #1\n}\nreturn", "too few operands"},
		{"return 1:i32", "1 operands, not 0"},
		{"%1 = input.i32 #3\nreturn", "there is no input 3"},
		{"%1 = get.i32 #0\nreturn", "there is no local 0"},
		{"%1 = address.ptr #9\nreturn", "there is no object 9"},
		{"%1 i32 = call #0\nreturn", "there is no routine 0"},
		{"%1 = load.i32 null\nreturn", "it has no access"},
		{"%1 = load.i32 null [device float x1]\nreturn", "it reaches float as i32"},
		{"%1 = load.i32 null [device word x2]\nreturn", "1 values, not 2"},
		{"%1 = load.i32 null, 1:i32 [device word x1 s64*4]\nreturn", "is i32, not i64"},
		{"store.i32 null, 1:i32, 2:i32 [device word x1 s32*0]\nreturn", "an index of s32 times 0 bytes"},
		{"fault\nreturn", "its Aux is a <nil>"},
		{"%1 = rotate.s32 #0 1:i32, 2:i32\nreturn", "#0 is not what it takes"},
		{"%1 = wrap.s32 #64 5:i32\nreturn", "#64 is not what it takes"},
		{"%1 = mulhi.s32 #-1 5:i32, 6:i32\nreturn", "#-1 is not what it takes"},
		{"%1 = sum.f32 #7 1:f32\nreturn", "#7 is not what it takes"},
		{"%1 = diff.ptr #0 null, null\nreturn", "#0 is not what it takes"},
	} {
		k, err := Parse("test", "kernel \"k\" @\"f\":1:1 {\nbody {\n"+test.body+"\n}\n}\n")
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		switch err := Verify(k); {
		case err == nil && test.want != "":
			t.Errorf("%s\nis accepted, which has a mistake: %s", test.body, test.want)
		case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s\n%v, not %s", test.body, err, test.want)
		}
	}
}
