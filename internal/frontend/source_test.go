package frontend

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

func TestALongSourceIsNotParsedToItsEndWhenNobodyWaits(t *testing.T) {
	var source strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&source, "struct S%d { int x; };\n", i)
	}
	source.WriteString("kernel void test(device uint* x, constant uint& n) { x[0] = n; }\n")
	text := source.String()
	var asked atomic.Int64
	stop := func() bool { return asked.Add(1) > 2 }
	_, err := (&Source{File: "test.metal", Text: text}).Parse(stop)
	if !err.HasErrors() || !strings.Contains(err.Error(), "stopped") || asked.Load() > 20 {
		t.Errorf("asked %d times, got %v", asked.Load(), err)
	}
}

func TestMacrosAreNotExpandedToTheirEndWhenNobodyWaits(t *testing.T) {
	var source strings.Builder
	source.WriteString("#define M0 x\n")
	for i := range 30 {
		fmt.Fprintf(&source, "#define M%d M%d M%[2]d\n", i+1, i)
	}
	source.WriteString("kernel void test(device uint* x, constant uint& n) { M30; }\n")
	text := source.String()
	asked := 0
	stop := func() bool { asked++; return asked > 2 }
	_, err := (&Source{File: "test.metal", Text: text}).Parse(stop)
	if !err.HasErrors() || !strings.Contains(err.Error(), "stopped") || asked > 20 {
		t.Errorf("asked %d times, got %v", asked, err)
	}
}
