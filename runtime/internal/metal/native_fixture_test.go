//go:build unix

package metal

import (
	"encoding/binary"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Messages that only code beside the driver sends.
var (
	selSetBuffer         = objc.Selector("setBuffer:offset:atIndex:", "v@QQ")
	selWaitUntilSignaled = objc.Selector("waitUntilSignaledValue:timeoutMS:", "BQQ")
)

// wrapEvent returns an MTLSharedEvent as the driver takes it.
func wrapEvent(t testing.TB, d *Device, event objc.ID) driver.Event {
	t.Helper()
	e, err := d.Metal().WrapEvent(uintptr(event))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Free)
	return e
}

// checkNative has code beside the driver encode into a batch, wrap buffers of its own, and order batches by an event.
func checkNative(t *testing.T, d *Device) {
	t.Helper()
	const n = 64
	n32 := func(m driver.Memory) uint32 { return binary.LittleEndian.Uint32(m.Bytes()[4*(n-1):]) }
	device := d.Metal()
	if device.Device() != uintptr(d.id) || device.Queue() != uintptr(d.queue) {
		t.Errorf("the device is %x, its queue %x", device.Device(), device.Queue())
	}
	var own, event objc.ID
	objc.WithPool(func() {
		own = objc.ID(objc.ID(device.Device()).Send(selNewBuffer, 4*n+3, storageShared))
		event = objc.ID(objc.ID(device.Device()).Send(selNewSharedEvent))
	})
	x, size, err := device.WrapBuffer(uintptr(own), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		x.Free()
		objc.WithPool(func() { own.Release(); event.Release() })
	})
	if size != 4*n+3 || len(x.Bytes()) != size || device.Buffer(x) != uintptr(own) {
		t.Errorf("%d bytes, %d of them seen, of %x, which is %x", size, len(x.Bytes()), own, device.Buffer(x))
	}
	clear(x.Bytes())

	raise := raised(whole(x, 4*n), driver.Buffer{})
	p, err := d.pipeline(raise)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(encoder uintptr) {
		e := objc.ID(encoder)
		e.Send(selSetPipeline, uintptr(p.id))
		e.Send(selSetBuffer, device.Buffer(x), 0, 0)
		var tape objc.Tape // for messages with structures
		tape.MessageSizes(e, selDispatchThreadgroups, [3]uintptr{n, 1, 1}, [3]uintptr{1, 1, 1})
		tape.Message(e, selMemoryBarrier, barrierScopeBuffers)
		tape.MessageSizes(e, selDispatchThreadgroups, [3]uintptr{n, 1, 1}, [3]uintptr{1, 1, 1})
		tape.Replay(0)
	}
	r := d.newRecorder()
	for turn := range uint32(2) {
		if err := batchOn(t, r, func(driver.Recorder) error {
			r.Encode(encode)
			if err := all(r, raise, raise); err != nil {
				return err
			}
			r.Encode(encode)
			r.Encode(encode)
			return all(r, raise)
		}); err != nil {
			t.Fatal(err)
		}
		if have := n32(x); have != 9*(turn+1) {
			t.Errorf("turn %d: %d, want %d", turn, have, 9*(turn+1))
		}
	}

	// The first piece waits for the host, which waits for the second piece of another batch.
	wrapped := wrapEvent(t, d, event)
	r.WaitForEvent(wrapped, 2)
	if err := all(r, raise); err != nil {
		t.Fatal(err)
	}
	r.SignalEvent(wrapped, 3)
	r.WaitForEvent(wrapped, 3)
	r.Encode(encode)
	r.SignalEvent(wrapped, 4)
	job, err := r.Submit()
	if err != nil {
		t.Fatal(err)
	}
	objc.WithPool(func() {
		if v := event.Send(selSignaledValue); v != 0 {
			t.Errorf("the event has value %d before anything could run", v)
		}
		event.Send(selSetSignaledValue, 2)
		if event.Send(selWaitUntilSignaled, 4, 10000) == 0 {
			t.Error("the batch has not signalled the event")
		}
	})
	if done, err := job.Wait(t.Context()); !done || err != nil {
		t.Fatal(done, err)
	}
	if have := n32(x); have != 21 {
		t.Errorf("%d, want 21", have)
	}
	r.Reset()
}
