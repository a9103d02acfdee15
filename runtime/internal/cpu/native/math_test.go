package native

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/amd64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// testRegister is a register of a test: of floats, or of words or longs, which begin where the floats do.
type testRegister struct {
	lanes [width]float32
	_     [width]float32
	base  float32
	step  float32
	long  uint64 // the base of one of 64 bits, and its step
	by    uint64
	_     [40]byte
}

// testFrame is a simd-group of four registers. The last is the result, or a mask.
type testFrame struct {
	memory    *[4]testRegister
	mask      uint32
	pc        int32
	objects   unsafe.Pointer
	done      bool
	registers [4]testRegister
}

var testLayout = abi.Layout{
	Word: abi.Register{
		Base:  int32(unsafe.Offsetof(testRegister{}.base)),
		Step:  int32(unsafe.Offsetof(testRegister{}.step)),
		Lanes: int32(unsafe.Offsetof(testRegister{}.lanes)),
	},
	Long: abi.Register{
		Base: int32(unsafe.Offsetof(testRegister{}.long)), Step: int32(unsafe.Offsetof(testRegister{}.by)),
		Lanes: int32(unsafe.Offsetof(testRegister{}.lanes)),
	},
	Frame: abi.Frame{
		Memory: int32(unsafe.Offsetof(testFrame{}.memory)), Mask: int32(unsafe.Offsetof(testFrame{}.mask)),
		PC: int32(unsafe.Offsetof(testFrame{}.pc)), Objects: int32(unsafe.Offsetof(testFrame{}.objects)),
		Done: int32(unsafe.Offsetof(testFrame{}.done)), Size: int32(unsafe.Sizeof(testFrame{})),
	},
}

// testMachine returns the machine that is tested.
func testMachine() vcode.Machine {
	if runtime.GOARCH == "arm64" {
		return arm64.New()
	}
	if os.Getenv("METALGEN_NATIVE") == "avx2" {
		return amd64.NewAVX2()
	}
	return amd64.NewAVX512()
}

// operationCode is the code of one operation on three registers.
type operationCode struct {
	frame *testFrame
	code  *exec.Code
	run1  abi.Run
}

// compileOperation returns the code of an operation, on registers that are the same in all lanes or not.
func compileOperation(t testing.TB, op wide.Op, uniform bool) *operationCode {
	t.Helper()
	const size = int32(unsafe.Sizeof(testRegister{}))
	return compileProgram(t, op, func(p *wide.Program) {
		if uniform {
			p.Uniform = []int32{0, size, 2 * size}
		}
	})
}

// compileProgram returns the code of an operation in a program that more is said of.
func compileProgram(t testing.TB, op wide.Op, more func(p *wide.Program)) *operationCode {
	t.Helper()
	if err := exec.Available(); err != nil {
		t.Skip(err)
	}
	const size = int32(unsafe.Sizeof(testRegister{}))
	p := &wide.Program{
		Code:  []wide.Instruction{{Op: op, D: 3 * size, A: 0, B: size, C: 2 * size}, {Op: wide.Foreign}, {Op: wide.Stop}},
		Size:  4 * size,
		Alive: 4*size - 8,
	}
	more(p)
	c, err := Compile(p, &testLayout, testMachine(), &wide.Budget{Bytes: 1 << 26})
	if err != nil {
		t.Fatal(err)
	}
	code, err := exec.Load(c.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	f := new(testFrame)
	f.memory = &f.registers
	return &operationCode{frame: f, code: code}
}

// run executes the operation in the active lanes. It reports false where that is left to the interpreter.
func (o *operationCode) run(t testing.TB, mask uint32) bool {
	t.Helper()
	f := o.frame
	f.mask, f.pc = mask, 0
	at := uintptr(unsafe.Pointer(f))
	end := at + unsafe.Sizeof(*f)
	o.run1 = abi.Run{Frame: at, End: end, Fresh: end, Budget: 1 << 20}
	if got := abi.Result(o.code.Call(0, unsafe.Pointer(&o.run1))); got != abi.Interpret {
		t.Fatalf("returned %d", got)
	}
	return f.pc == 1
}

// floatEdges are numbers where functions do something else.
var floatEdges = func() (edges []float32) {
	for _, v := range []float64{
		0, 0x1p-149, 0x1.fffffcp-127, 0x1p-126, 0x1p-24, 0x1p-14, 0x1p-13, 0x1.fffffep-14, 0.25,
		0.5, 0x1.fffffep-2, 0x1.fffffep-1,
		1, 0x1.000002p0, 1.5, 2, 2.5, 3, 10, 47, 88.72283, 88.72284, 104, 105, 106, 127, 128, 149, 150, 151, 152, 153,
		0x1p20, 0x1.000002p20, 0x1p23, 0x1.000002p23, 0x1p24, 0x1p31, 0x1p32, 0x1p63, 0x1p64, math.MaxFloat32, math.Inf(1),
		math.Pi / 2, math.Pi, 3 * math.Pi / 2, math.Pi / 4,
	} {
		edges = append(edges, float32(v), -float32(v))
	}
	for _, b := range []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x7fd55555} {
		edges = append(edges, math.Float32frombits(b))
	}
	return edges
}()

// anyFloat returns an edge, a number of common size, or any bits.
func anyFloat(r *rand.Rand) float32 {
	switch r.IntN(4) {
	case 0:
		return floatEdges[r.IntN(len(floatEdges))]
	case 1:
		return float32(r.NormFloat64() * math.Pow(2, r.Float64()*16-8))
	case 2:
		return r.Float32() * float32(1-2*r.IntN(2))
	}
	return math.Float32frombits(r.Uint32())
}

// functions are the operations on floats, with what computes one lane.
var functions = []struct {
	op   wide.Op
	name string
	of   func(a, b, c float32) float32
	rare func(a, b float32) bool // it may be left to the interpreter
}{
	{wide.Exp, "exp", on1(fmath.Exp), nil},
	{wide.Exp2, "exp2", on1(fmath.Exp2), nil},
	{wide.Exp10, "exp10", on1(fmath.Exp10), nil},
	{wide.Log, "log", on1(fmath.Log), nil},
	{wide.Log2, "log2", on1(fmath.Log2), nil},
	{wide.Log10, "log10", on1(fmath.Log10), nil},
	{wide.Sin, "sin", on1(fmath.Sin), beyond20},
	{wide.Cos, "cos", on1(fmath.Cos), beyond20},
	{wide.Tan, "tan", on1(fmath.Tan), beyond20},
	{wide.Tanh, "tanh", on1(fmath.Tanh), nil},
	{wide.Pow, "pow", on2(fmath.Pow), irregular},
	{wide.Powr, "powr", on2(fmath.Powr), irregular},
	{wide.Floor, "floor", on1(fmath.Floor), nil},
	{wide.Ceil, "ceil", on1(fmath.Ceil), nil},
	{wide.Trunc, "trunc", on1(fmath.Trunc), nil},
	{wide.Rint, "rint", on1(fmath.Rint), nil},
	{wide.Round, "round", on1(fmath.Round), nil},
	{wide.Fract, "fract", on1(fmath.Fract), nil},
	{wide.Saturate, "saturate", on1(fmath.Saturate), nil},
	{wide.Sign, "sign", on1(fmath.Sign), nil},
	{wide.ClampFloat, "clamp", fmath.Clamp, nil},
	{wide.Step, "step", on2(fmath.Step), nil},
	{wide.Fdim, "fdim", on2(fmath.Fdim), nil},
	{wide.Copysign, "copysign", on2(fmath.Copysign), nil},
	{wide.MinFloat, "fmin", on2(fmath.Fmin), nil},
	{wide.MaxFloat, "fmax", on2(fmath.Fmax), nil},
	{wide.Sqrt, "sqrt", on1(fmath.Sqrt), nil},
	{wide.Rsqrt, "rsqrt", on1(fmath.Rsqrt), nil},
	{wide.Fma, "fma", fmath.Fma, nil},
	{wide.RoundHalf, "half", on1(fmath.RoundHalf), nil},
	{wide.RoundBFloat, "bfloat", on1(fmath.RoundBFloat), nil},
	{wide.AddFloat, "+", on2(func(a, b float32) float32 { return a + b }), nil},
	{wide.DivFloat, "/", on2(func(a, b float32) float32 { return a / b }), nil},
	{wide.MulAdd, "a*b+c", func(a, b, c float32) float32 { return float32(a*b) + c }, nil},
	{wide.MulSub, "a*b-c", func(a, b, c float32) float32 { return float32(a*b) - c }, nil},
	{wide.SubMul, "c-a*b", func(a, b, c float32) float32 { return c - float32(a*b) }, nil},
}

func on1(f func(float32) float32) func(a, b, c float32) float32 {
	return func(a, _, _ float32) float32 { return f(a) }
}

func on2(f func(a, b float32) float32) func(a, b, c float32) float32 {
	return func(a, b, _ float32) float32 { return f(a, b) }
}

func beyond20(a, _ float32) bool { return !(math.Abs(float64(a)) <= 1<<20) }

func irregular(a, b float32) bool {
	finite := func(v float32) bool { return v-v == 0 }
	return !(a > 0 && finite(a) && finite(b)) && !(math.Float32bits(a) == 0 && b > 0)
}

// equalFloats reports whether two results are the same: bits, or no numbers.
func equalFloats(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func TestFunctionsOfFloatsAreThoseOfPackageFmath(t *testing.T) {
	rounds := 300
	r := rand.New(rand.NewPCG(5, 6))
	for _, fn := range functions {
		for _, uniform := range []bool{false, true} {
			o := compileOperation(t, fn.op, uniform)
			regs := &o.frame.registers
			bails := 0
			for n := range rounds {
				mask := ^uint32(0)
				if n%3 == 0 {
					mask = r.Uint32() | 1
				}
				rare := false
				for l := range width {
					for i := range 3 {
						regs[i].lanes[l] = anyFloat(r)
					}
					if fn.rare != nil && fn.rare(regs[0].lanes[l], regs[1].lanes[l]) {
						if n%2 == 0 && n < rounds-2 { // most bring an instruction to its end
							regs[0].lanes[l], regs[1].lanes[l] = r.Float32(), 10*r.Float32()-5
						} else if mask>>l&1 != 0 && (!uniform || l == 0) {
							rare = true
						}
					}
				}
				for i := range 3 {
					regs[i].base = regs[i].lanes[0]
				}
				if !o.run(t, mask) {
					if bails++; !rare {
						t.Fatalf("%s of %v and %v is left to the interpreter", fn.name, regs[0].lanes, regs[1].lanes)
					}
					continue
				}
				for l := range width {
					a, b, c := regs[0].lanes[l], regs[1].lanes[l], regs[2].lanes[l]
					got := regs[3].lanes[l]
					switch {
					case uniform && l > 0:
						continue
					case uniform:
						got = regs[3].base
					case mask>>l&1 == 0:
						continue
					}
					if want := fn.of(a, b, c); !equalFloats(got, want) {
						t.Errorf("%s(%v %x, %v %x, %v) uniform %t: %v %x, want %v %x", fn.name, a, math.Float32bits(a), b,
							math.Float32bits(b), c, uniform, got, math.Float32bits(got), want, math.Float32bits(want))
					}
				}
			}
			if bails == rounds || bails > 0 && fn.rare == nil {
				t.Errorf("%s is left to the interpreter %d times", fn.name, bails)
			}
		}
	}
}
