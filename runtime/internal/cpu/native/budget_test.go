package native

import (
	"errors"
	"runtime"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/amd64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// straight is a program of n instructions in a row.
func straight(op wide.Op, n int) *wide.Program {
	const size = 256
	p := &wide.Program{Size: 4 * size, Alive: 4*size - 8, Code: make([]wide.Instruction, n+1)}
	for i := range n {
		p.Code[i] = wide.Instruction{Op: op, A: 0, B: size, D: 2 * size}
	}
	p.Code[n] = wide.Instruction{Op: wide.Stop}
	return p
}

// TestCodeIsCountedBeforeItIsMade holds that making code takes no more memory than three times its budget, with what
// the collector takes back, whatever the instructions come to and however few lanes a vector has.
func TestCodeIsCountedBeforeItIsMade(t *testing.T) {
	for _, tt := range []struct {
		op wide.Op
		n  int
		ok bool
	}{
		{wide.Pow, 200_000, false}, {wide.Pow, 10, true},
		{wide.AddWord, 1_000_000, false}, {wide.DivInt, 100_000, false}, {wide.AddWord, 1_000, true},
	} {
		p := straight(tt.op, tt.n)
		for _, machine := range []func() vcode.Machine{amd64.NewAVX512, amd64.NewAVX2, arm64.New} {
			b, m := &wide.Budget{Bytes: 1 << 22}, machine()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Compile(p, &testLayout, m, b)
			runtime.ReadMemStats(&after)
			if tt.ok != (err == nil) || !tt.ok && err != wide.ErrTooLarge {
				t.Errorf("%s: %d of operation %d: %v", m.Traits().Name, tt.n, tt.op, err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 3<<22 {
				t.Errorf("%s: %d of operation %d take %d bytes, with a budget of %d", m.Traits().Name, tt.n, tt.op, taken,
					1<<22)
			}
		}
	}
}

func TestMakingCodeStopsSoon(t *testing.T) {
	asked := 0
	b := &wide.Budget{Bytes: 1 << 30, Stop: func() bool { asked++; return asked == 3 }}
	_, err := Compile(straight(wide.Pow, 100_000), &testLayout, testMachine(), b)
	if !errors.Is(err, wide.ErrStopped) || asked != 3 {
		t.Errorf("ends with %v, having asked %d times", err, asked)
	}
	asked = 0
	b = &wide.Budget{Bytes: 1 << 30, Stop: func() bool { asked++; return false }}
	if _, err := Compile(straight(wide.AddWord, 100_000), &testLayout, testMachine(), b); err != nil || asked < 10 {
		t.Errorf("ends with %v, having asked %d times", err, asked)
	}
}

// TestStraightCodePauses holds that code without loops gives others their chance, too.
func TestStraightCodePauses(t *testing.T) {
	for _, op := range []wide.Op{wide.AddWord, wide.Pow} {
		c, err := Compile(straight(op, 5000), &testLayout, testMachine(), &wide.Budget{Bytes: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		at, most := int32(0), int32(2*wide.Stretch)/operations[op].Weight()
		for pc := range int32(5000) {
			if _, ok := c.Entries[pc]; ok {
				at = pc
			}
			if pc-at > most {
				t.Fatalf("operation %d: from %d to %d without a pause", op, at, pc)
			}
		}
	}
}

// TestWhatIsKeptOfGivingBackIsBounded asks for more places than lists are kept for.
func TestWhatIsKeptOfGivingBackIsBounded(t *testing.T) {
	const size, registers, places = 256, 100, 2 * maxKept / 100
	p := &wide.Program{Size: (registers + 2) * size, Alive: (registers+2)*size - 8}
	for range places {
		p.Code = append(p.Code, wide.Instruction{Op: wide.DivInt, A: 0, B: size, D: 2 * size})
	}
	for i := range int32(registers) {
		p.Code = append(p.Code, wide.Instruction{Op: wide.AddWord, A: i * size, B: 0, D: 0})
	}
	p.Code = append(p.Code, wide.Instruction{Op: wide.Stop})
	c, err := Compile(p, &testLayout, testMachine(), &wide.Budget{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for pc := range int32(places) {
		c.At(pc)
	}
	if kept := c.kept.Load(); kept > maxKept || kept < maxKept-registers {
		t.Errorf("%d registers are kept", kept)
	}
	if _, steps := c.At(0); steps != 0 {
		t.Errorf("what is kept takes %d steps", steps)
	}
	if _, steps := c.At(places - 1); steps == 0 {
		t.Error("what is not kept takes no steps")
	}
}
