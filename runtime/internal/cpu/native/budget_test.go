package native

import (
	"errors"
	"runtime"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/amd64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// straight is a program of n instructions in a row.
func straight(op Op, n int) *Program {
	const size = 256
	p := &Program{Size: 4 * size, Alive: 4*size - 8, Code: make([]Instruction, n+1)}
	for i := range n {
		p.Code[i] = Instruction{Op: op, A: 0, B: size, D: 2 * size}
	}
	p.Code[n] = Instruction{Op: Stop}
	return p
}

// TestCodeIsCountedBeforeItIsMade holds that making code takes no more memory than three times its budget, with what
// the collector takes back, whatever the instructions come to and however few lanes a vector has.
func TestCodeIsCountedBeforeItIsMade(t *testing.T) {
	for _, tt := range []struct {
		op Op
		n  int
		ok bool
	}{
		{Pow, 200_000, false}, {Pow, 10, true},
		{AddWord, 1_000_000, false}, {DivInt, 100_000, false}, {AddWord, 1_000, true},
	} {
		p := straight(tt.op, tt.n)
		for _, machine := range []func() vcode.Machine{amd64.NewAVX512, amd64.NewAVX2, arm64.New} {
			b, m := &Budget{Bytes: 1 << 22}, machine()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Compile(p, &testLayout, m, b)
			runtime.ReadMemStats(&after)
			if tt.ok != (err == nil) || !tt.ok && err != ErrTooLarge {
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
	b := &Budget{Bytes: 1 << 30, Stop: func() bool { asked++; return asked == 3 }}
	_, err := Compile(straight(Pow, 100_000), &testLayout, testMachine(), b)
	if !errors.Is(err, ErrStopped) || asked != 3 {
		t.Errorf("ends with %v, having asked %d times", err, asked)
	}
	asked = 0
	b = &Budget{Bytes: 1 << 30, Stop: func() bool { asked++; return false }}
	if _, err := Compile(straight(AddWord, 100_000), &testLayout, testMachine(), b); err != nil || asked < 10 {
		t.Errorf("ends with %v, having asked %d times", err, asked)
	}
}

// TestStraightCodePauses holds that code without loops gives others their chance, too.
func TestStraightCodePauses(t *testing.T) {
	for _, op := range []Op{AddWord, Pow} {
		c, err := Compile(straight(op, 5000), &testLayout, testMachine(), &Budget{Bytes: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		at, most := int32(0), int32(2*stretch)/operations[op].weight()
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
	p := &Program{Size: (registers + 2) * size, Alive: (registers+2)*size - 8}
	for range places {
		p.Code = append(p.Code, Instruction{Op: DivInt, A: 0, B: size, D: 2 * size})
	}
	for i := range int32(registers) {
		p.Code = append(p.Code, Instruction{Op: AddWord, A: i * size, B: 0, D: 0})
	}
	p.Code = append(p.Code, Instruction{Op: Stop})
	c, err := Compile(p, &testLayout, testMachine(), &Budget{Bytes: 1 << 30})
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
