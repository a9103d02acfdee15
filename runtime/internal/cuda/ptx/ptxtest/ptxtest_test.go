package ptxtest

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"
)

// module returns the text of a module with some code.
func module(code string) string {
	return `.version 7.7
.target sm_70
.address_size 64

.shared .align 16 .b8 object1[64];

.visible .entry kernel_test(
	.param .align 16 .b8 args[8]
)
.maxntid 256, 1, 1
{
	.reg .pred %p<4>;
	.reg .b16 %h<2>;
	.reg .b32 %r<8>;
	.reg .b64 %l<4>;
	.reg .f32 %f<4>;
` + code + `
	ret;
}
`
}

func TestMistakesAreRejected(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"add.s32 %r1, %r2, %r9;", "%r9: no such register"},
		{"add.s32 %r1, %f2, %r3;", "%f2: a register of type f32, not b32"},
		{"add.f32 %f1, %f2, %f3;", "there is no such instruction"}, // without a rounding it may be fused
		{"add.rn.f32 %f1, %f2, 1;", "not a constant of type f32"},
		{"add.s32 1, %r2, %r3;", "1: not a register"},
		{"add.s32 %r1, %r2;", "2 operands, not 3"},
		{"add.s32 %r1, %r2, %r3", "it does not end with a semicolon"},
		{"setp.lt.f32 %r1, %f1, %f2;", "%r1: a register of type b32, not pred"},
		{"setp.ne.f32 %p1, %f1, %f2;", "there is no such instruction"}, // of what is no number it does not hold
		{"@%r1 bra L1;\nL1:", "%r1 is not a predicate"},
		{"bra L1;", "L1: there is no such label"},
		{"L1:\nL1:", "the label is there already"},
		{"selp.b32 %r1, 1, 0, %r2;", "%r2: a register of type b32, not pred"},
		{"ld.global.f32 %f1, [%r1];", "an address of type b32"},
		{"ld.global.v2.f32 %f1, [%l1];", "1 registers, not 2"},
		{"ld.global.f32 %r1, [%l1];", "a register of type b32 for f32"},
		{"ld.shared.f32 %f1, [object2];", "there is no object2"},
		{"shl.b32 %r1, %r2, %l1;", "%l1: a register of type b64, not b32"},
		{"cvt.f32.s32 %f1, %r1;", "there is no such instruction"}, // it has to say how it rounds
		{"shfl.idx.b32 %r1, %r2, 1, 31;", "there is no such instruction"},
		{"mov.b64 %l1, {%r1, %f1};", "not a pair"},
		{".reg .b32 %r<2>;", "%r0 is there already"},
	} {
		m, err := Parse(module("\t" + c.code))
		if err == nil {
			err = Verify(m)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.code, err, c.want)
		}
	}
}

// launch runs code with an address in %l0 of 256 bytes.
func launch(t *testing.T, code string, threads uint32, seed uint64) ([]byte, error) {
	t.Helper()
	m, err := Parse(module("\tld.param.u64 %l0, [args];\n" + code))
	if err == nil {
		err = Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 256)
	err = p.Run(&Launch{
		Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, 4096),
		Seed: seed, Steps: 10000, Reach: func(address uint64, size int) unsafe.Pointer {
			if address < 4096 || address+uint64(size) > 4096+256 {
				return nil
			}
			return unsafe.Pointer(&memory[address-4096])
		},
	})
	return memory, err
}

func TestWhatACardWouldNotSurviveIsAnError(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"an address of nobody", "st.global.u32 [%l0+256], %r0;", "are nobody's"},
		{"an address that is not aligned", "ld.global.b32 %r0, [%l0+2];", "is not aligned to 4 bytes"},
		{"beyond shared memory", "ld.shared.b32 %r0, [object1+64];", "beyond the 64 bytes of the space shared"},
		{"a mask that lacks the thread", "mov.u32 %r0, 2;\nbar.warp.sync %r0;", "lacks the thread"},
		{"lanes that count on lockstep", `mov.u32 %r0, %tid.x;
setp.eq.u32 %p0, %r0, 0;
@%p0 bra L1;
vote.sync.ballot.b32 %r1, %p0, 3;
bra L2;
L1:
vote.sync.ballot.b32 %r1, %p0, 3;
L2:`, "all threads wait"},
		{"a barrier that one thread misses for another", `mov.u32 %r0, %tid.x;
setp.eq.u32 %p0, %r0, 0;
@%p0 bra L1;
barrier.sync 0;
L1:
bar.warp.sync 3;`, "all threads wait"},
		{"a loop without end", "L1:\nbra L1;", ErrSteps.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := launch(t, c.code, 2, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestThreadsThatEndAreNotWaitedFor(t *testing.T) {
	for seed := range uint64(8) {
		memory, err := launch(t, `mov.u32 %r0, %tid.x;
setp.eq.u32 %p0, %r0, 1;
@%p0 ret;
setp.eq.u32 %p1, %r0, %r0;
vote.sync.ballot.b32 %r1, %p1, 15;
barrier.sync 0;
st.global.b32 [%l0], %r1;`, 4, seed)
		if err != nil || memory[0] != 0b1101 {
			t.Errorf("seed %d: %v, %b", seed, err, memory[0])
		}
	}
}
