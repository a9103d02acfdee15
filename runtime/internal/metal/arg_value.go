package metal

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Values are buffers to Metal. Those of a batch lie in an arena.
var valueKind = argKind{
	args:        func(k *driver.Kernel) []*driver.Arg { return k.Values },
	binding:     bindingBuffer,
	newRecorder: func(r *recorder) argRecorder { return &values{recorder: r} },
}

// values records values.
type values struct {
	idle
	recorder *recorder
	arena    arena
}

func (v *values) record(d *driver.Dispatch, _ *pipeline) error {
	for i := range d.Values {
		from := &d.Values[i]
		m, offset, err := v.arena.put(v.recorder.device, from.Bytes)
		if err != nil {
			return err
		}
		v.recorder.table.set(from.Arg, uintptr(m.id), uintptr(offset))
	}
	return nil
}

func (v *values) reset() { v.arena.reset() }
