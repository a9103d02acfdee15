package runtime_test

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

func TestOtherDevicesHaveNoObjectsOfMetal(t *testing.T) {
	dev := openCPU(t)
	if dev.MTLDevice() != 0 || dev.MTLCommandQueue() != 0 || (*runtime.Device)(nil).MTLDevice() != 0 {
		t.Error("the CPU device has objects")
	}
	x := newBuffer[float32](t, dev, 4)
	for _, b := range []runtime.Buffer[float32]{x, {}, x.Slice(0, 9)} {
		if id, offset := b.MTLBuffer(); id != 0 || offset != 0 {
			t.Errorf("a buffer is %x from byte %d", id, offset)
		}
	}
	if _, err := runtime.WrapMTLBuffer[float32](dev, 1, runtime.Read); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := runtime.WrapMTLBuffer[float32](nil, 1, runtime.Read); !errors.Is(err, runtime.ErrNoDevice) {
		t.Error(err)
	}
	if _, err := runtime.WrapMTLSharedEvent(dev, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	b := dev.NewBatch()
	b.Encode(func(uintptr) { t.Error("encoded") })
	err := b.Run(t.Context())
	call, ok := errors.AsType[*runtime.CallError](err)
	if !errors.Is(err, errors.ErrUnsupported) || !ok || call.Kernel != "Encode" {
		t.Error(err)
	}
}
