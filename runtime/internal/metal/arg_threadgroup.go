package metal

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var threadgroupKind = argKind{
	args:        func(k *driver.Kernel) []*driver.Arg { return k.Shared },
	binding:     bindingThreadgroup,
	describe:    func(id objc.ID, b *binding) { b.size = int(id.Send(selGroupDataSize)) },
	declares:    true,
	newRecorder: func(r *recorder) argRecorder { return &threadgroupMemory{recorder: r} },
}

var (
	selGroupDataSize        = objc.Selector("threadgroupMemoryDataSize", "Q")
	selSetThreadgroupMemory = objc.Selector("setThreadgroupMemoryLength:atIndex:", "vQQ")
)

// maxThreadgroupArgs is the size of the encoder's table of threadgroup memory.
const maxThreadgroupArgs = 31

// threadgroupMemory records lengths of threadgroup memory. It knows those that the
// encoder will have by then, which are not set again.
type threadgroupMemory struct {
	idle
	recorder *recorder
	lengths  [maxThreadgroupArgs]int
	sum      int
}

func (m *threadgroupMemory) check(d *driver.Dispatch, p *pipeline) error {
	sum := p.staticMemory
	for i := range d.Shared {
		sum += d.Shared[i].Length
	}
	if limit := m.recorder.device.limits.ThreadgroupMemory; sum > limit {
		return driver.ThreadgroupMemoryError(sum, limit)
	}
	return nil
}

// record sets the lengths that changed. A length applies to all kernels that follow, so what earlier ones had and this
// one does not take goes back to 0, where encoders begin: the less memory a threadgroup has, the more of them run at
// once.
func (m *threadgroupMemory) record(d *driver.Dispatch, _ *pipeline) error {
	taken := 0
	for i := range d.Shared {
		m.set(d.Shared[i].Arg.Index, d.Shared[i].Length)
		taken += d.Shared[i].Length
	}
	if m.sum == taken {
		return nil
	}
	for i, n := range m.lengths {
		if n > 0 && !slices.ContainsFunc(d.Shared, func(s driver.Shared) bool { return s.Arg.Index == i }) {
			m.set(i, 0)
		}
	}
	return nil
}

func (m *threadgroupMemory) set(index, length int) {
	if m.lengths[index] != length {
		m.sum += length - m.lengths[index]
		m.lengths[index] = length
		m.recorder.tape.Message(0, selSetThreadgroupMemory, uintptr(length), uintptr(index))
	}
}

func (m *threadgroupMemory) restart() { m.lengths, m.sum = [maxThreadgroupArgs]int{}, 0 }
