package invoke

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
)

// params is struct P { uchar n; int ne[2]; float3 v; In in[2]; bfloat b; Mode m; }
// with struct In { half x; }, laid out as Metal does.
func params(t *testing.T) *layout {
	t.Helper()
	in := &binding.Struct{Name: "In", Go: "In", Size: 2, Align: 2, Fields: []*binding.Field{
		{Name: "x", GoType: binding.Float16},
	}}
	mode := &binding.Enum{Name: "Mode", Go: "Mode", GoType: binding.Int16, Values: []binding.EnumValue{
		{Name: "off", Value: "-1"}, {Name: "on", Value: "1"},
	}}
	l, err := layoutOf(&binding.Struct{Name: "P", Go: "P", Size: 48, Align: 16, Fields: []*binding.Field{
		{Name: "n", GoType: binding.Uint8},
		{Name: "ne", GoType: binding.Array{Len: 2, Elem: binding.Int32}, Offset: 4},
		{Name: "v", GoType: binding.Vec3{Elem: binding.Float32}, Offset: 16},
		{Name: "in", GoType: binding.Array{Len: 2, Elem: in}, Offset: 32},
		{Name: "b", GoType: binding.BFloat16, Offset: 36},
		{Name: "m", GoType: mode, Offset: 38},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAssign(t *testing.T) {
	v := newValue(params(t))
	want := []string{".n", ".ne", ".v", ".in", ".b", ".m"}
	if got := v.missing(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("missing %q, want %q", got, want)
	}
	for _, s := range []Setting{
		{".n", "0xff"}, {".ne[1]", "-2"}, {".v", "1, 2,-0.5"}, {".in[1].x", "1.5"}, {".b", "-1"}, {".m", "off"},
	} {
		if err := v.assign(s.Name, s.Value); err != nil {
			t.Errorf("%s=%s: %v", s.Name, s.Value, err)
		}
	}
	want = []string{".ne[0]", ".in[0]"}
	if got := v.missing(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("missing %q, want %q", got, want)
	}
	bytes := "ff 00 00 00 00 00 00 00 fe ff ff ff 00 00 00 00 " +
		"00 00 80 3f 00 00 00 40 00 00 00 bf 00 00 00 00 " +
		"00 00 00 3e 80 bf ff ff 00 00 00 00 00 00 00 00"
	if got := fmt.Sprintf("% x", v.bytes); got != bytes {
		t.Errorf("got  %s\nwant %s", got, bytes)
	}
	const text = "{n=255 ne=0,-2 v=1,2,-0.5 in={x=0},{x=1.5} b=-1 m=-1}"
	if got := v.text(v.bytes); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	if err := v.assign("", zeros); err != nil || len(v.missing()) > 0 {
		t.Errorf("%v, missing %q", err, v.missing())
	}
}

func TestAssignRefuses(t *testing.T) {
	for _, test := range []struct{ path, text, want string }{
		{".n", "256", `need a whole number from 0 to 255, have "256"`},
		{".n", "", `need a whole number from 0 to 255, have ""`},
		{".n", "0x", `need a whole number from 0 to 255, have "0x"`},
		{".n", "0x-1", `need a whole number from 0 to 255, have "0x-1"`},
		{".n", "1,2", "need 1 uchar, have 2"},
		{".ne", "1", "need 2 elements of int, have 1"},
		{".ne[2]", "1", "ne has 2 elements, there is no [2]"},
		{".ne[99999999999999999999]", "1", "ne has 2 elements, there is no [99999999999999999999]"},
		{".n[0]", "1", "n is no array"},
		{".n.x", "1", "n is no struct"},
		{"[0]", "1", "it is no array"},
		{".v", "1,2", "need 3 elements of float, have 2"},
		{".v", "1,2,1e40", `need a number that a float can hold, have "1e40"`},
		{".in", "1,2", "it is an array of structs: set the fields of its elements"},
		{".in[0]", "1", `it is a struct In: set its fields, x, or all to zero by "zeros"`},
		{".in[0].y", "1", "struct In has no field y; there is x"},
		{".in[0].x", "65520", `need a number that a half can hold, have "65520"`},
		{".b", "3.4e38", `need a number that a bfloat can hold, have "3.4e38"`},
		{".m", "onn", `need a value of enum Mode, have "onn"; there is on`},
		{".m", "40000", `need a value of enum Mode, have "40000"; there are off, on`},
		{"", "1", `it is a struct P: set its fields, n, ne, v, in, b, m, or all to zero by "zeros"`},
	} {
		err := newValue(params(t)).assign(test.path, test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s=%s: got %v, want %s", test.path, test.text, err, test.want)
		}
	}
}

func TestNear(t *testing.T) {
	many := strings.Fields("alpha beta gamma delta epsilon zeta eta theta")
	for name, want := range map[string]string{
		"alhpa": "; there is alpha",
		"bet":   "; there is beta",
		"eta":   "; there are beta, zeta, eta, theta",
		"ALPHA": "; there is alpha",
		"x":     "",
	} {
		if got := near(name, many); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := near("x", []string{"beta", "gamma"}); got != "; there are beta, gamma" {
		t.Errorf("of few: got %q", got)
	}
	if got := near("x", nil); got != "" {
		t.Errorf("of none: got %q", got)
	}
}

func TestFactors(t *testing.T) {
	n := func(n int64) binding.Expr { return binding.Lit(n) }
	product := func(x, y binding.Expr) binding.Expr { return &binding.Binary{Op: '*', X: x, Y: y} }
	for _, test := range []struct {
		text  string
		shape binding.Expr
		want  string
	}{
		{"a", n(1), "[1]"},
		{"a * b", product(n(1), n(2)), "[1 * 2]"},
		{"a, b", product(n(1), n(2)), "[1 2]"},
		{"a, b * c", product(n(1), product(n(2), n(3))), "[1 2 * 3]"},
		{"a * b, c", product(product(n(1), n(2)), n(3)), "[1 * 2 3]"},
		{"max(a, b), c", product(n(1), n(3)), "[1 3]"},
		{"a, b, c", product(product(n(1), n(2)), n(3)), "[1 2 3]"},
		{"a, b", n(3), "[3]"}, // no product after all
	} {
		var got []string
		for _, e := range factors(&binding.Arg{Shape: test.shape, Stated: test.text}) {
			got = append(got, binding.Text(e))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: got %v, want %s", test.text, got, test.want)
		}
	}
}
