package ptx_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/irtest"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/ptxtest"
)

var programs = flag.Int("programs", 500, "how many random programs")

// memory is device memory of a test: pieces at addresses of their own.
type memory map[uint64][]byte

func (m memory) reach(address uint64, size int) unsafe.Pointer {
	bytes := m[address>>16<<16]
	offset := address & 0xffff
	if offset+uint64(size) > uint64(len(bytes)) {
		return nil
	}
	return unsafe.Pointer(&bytes[offset])
}

// on executes a kernel on one thread, as the machine of ptxtest does. Its input is what a thread is told of the grid's
// size.
func on(k *ir.Kernel, input uint32, buffers [][]byte, o ptx.Options) (*abi.Site, error) {
	o.Align, o.Ragged = 16, true
	m, err := ptx.Write(k, o)
	if err != nil {
		return nil, err
	}
	module, err := ptxtest.Parse(m.Text)
	if err != nil {
		return nil, err
	}
	if err := ptxtest.Verify(module); err != nil {
		return nil, err
	}
	p, err := ptxtest.New(module)
	if err != nil {
		return nil, err
	}
	record := make([]byte, abi.RecordSize)
	mem := memory{1 << 16: record}
	params := make([]byte, m.Size)
	for _, f := range m.Fields {
		at := params[f.Offset:]
		switch f.Kind {
		case abi.RecordField:
			binary.LittleEndian.PutUint64(at, 1<<16)
		case abi.GridField:
			for i, n := range []uint32{input, 1, 1, 1, 1, 1} {
				binary.LittleEndian.PutUint32(at[4*i:], n)
			}
		case abi.BufferField:
			address := uint64(f.Index+1) << 16
			mem[address] = buffers[f.Index]
			binary.LittleEndian.PutUint64(at, address)
			binary.LittleEndian.PutUint64(at[8:], uint64(len(buffers[f.Index])))
		case abi.LimitField:
			l := m.Limits[f.Index]
			binary.LittleEndian.PutUint64(at, l.Of(int64(len(buffers[l.Object]))))
		default:
			return nil, fmt.Errorf("a field of kind %d", f.Kind)
		}
	}
	l := &ptxtest.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params, Reach: mem.reach,
		Steps: 1 << 22}
	if err := p.Run(l); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(record[4:]) != 0 {
		return &m.Sites[binary.LittleEndian.Uint32(record[16:])], nil
	}
	return nil, nil
}

// compare returns how PTX of a random kernel differs from what one thread of the ir does.
func compare(seed uint64) error {
	plain, passed := irtest.Random(seed), irtest.Random(seed)
	if err := pass.Run(passed, pass.Options{}); err != nil {
		return err
	}
	passed.Inputs[0].Attribute = "threads_per_grid"
	want, have := irtest.NewThread(plain, seed), irtest.NewThread(passed, seed)
	want.Inputs[0] = max(want.Inputs[0], 1)
	wantErr := irtest.Execute(plain, want)
	if errors.Is(wantErr, irtest.ErrSteps) {
		return nil
	}
	site, err := on(passed, want.Inputs[0], have.Memory, ptx.Options{})
	var trap *irtest.Trap
	switch {
	case err != nil:
		return err
	case site == nil && wantErr != nil:
		return fmt.Errorf("no fault, not %v", wantErr)
	case site != nil && !errors.As(wantErr, &trap):
		return fmt.Errorf("a fault at %v, not %v", site.Pos, wantErr)
	case site != nil && fmt.Sprint(site.Pos) != trap.Position:
		return fmt.Errorf("a fault at %v, not %v", site.Pos, wantErr)
	case site == nil && !alike(want.Memory[irtest.OutBuffer], have.Memory[irtest.OutBuffer]):
		return fmt.Errorf("% x, not % x", have.Memory[irtest.OutBuffer], want.Memory[irtest.OutBuffer])
	}
	return nil
}

// alike reports whether words are the same, where all NaNs are one.
func alike(a, b []byte) bool {
	for at := 0; at < len(a); at += 4 {
		x, y := binary.LittleEndian.Uint32(a[at:]), binary.LittleEndian.Uint32(b[at:])
		if v, w := math.Float32frombits(x), math.Float32frombits(y); x != y && (v == v || w == w) {
			return false
		}
	}
	return true
}

func TestRandomKernelsComputeWhatIRSays(t *testing.T) {
	bad := 0
	for seed := range uint64(*programs) {
		if err := compare(seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if bad++; bad == 10 {
				t.FailNow()
			}
		}
	}
}
