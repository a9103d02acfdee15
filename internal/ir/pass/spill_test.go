package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

// TestManyLocalsOfManyCasesStayInMemory holds that what passes make of a kernel is not quadratic in its size.
func TestManyLocalsOfManyCasesStayInMemory(t *testing.T) {
	const n = 2000
	var text strings.Builder
	text.WriteString("kernel \"k\" @\"k.metal\":1:1 {\n\tinput 0 thread_position_in_grid 0\n")
	for i := range n {
		fmt.Fprintf(&text, "\tlocal %d \"v%[1]d\" i32\n", i)
	}
	text.WriteString("\tbody {\n\t\t%1 = input.i32 #0\n")
	for i := range n {
		fmt.Fprintf(&text, "\t\tset.i32 #%d 0:i32\n", i)
	}
	text.WriteString("\t\tswitch.i32 #1 %1 {\n")
	for i := range n {
		fmt.Fprintf(&text, "\t\tcase %d:i32 ():\n\t\t\tset.i32 #%[1]d 1:i32\n\t\t\tleave #1\n", i)
	}
	text.WriteString("\t\tcase default ():\n\t\t\tleave #1\n\t\t}\n\t\treturn\n\t}\n}\n")
	k, err := ir.Parse("many", text.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(k, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := k.Values(); n > 1<<17 {
		t.Errorf("%d values", n)
	}
}
