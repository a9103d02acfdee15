//go:build linux && (amd64 || arm64)

package metal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

func TestCodeBesideTheDriverSharesItsBatches(t *testing.T) {
	for _, o := range []metaltest.Options{{}, {Discrete: true}} {
		for _, options := range []driver.Options{{}, {Labels: true}, {Times: true}} {
			t.Run(fmt.Sprintf("discrete %v, %+v", o.Discrete, options), func(t *testing.T) {
				checkNative(t, startWith(t, o, options))
			})
		}
	}
}

func TestOnlyDispatchesHaveTimes(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Times: true})
	var event objc.ID
	objc.WithPool(func() { event = objc.ID(d.id.Send(selNewSharedEvent)) })
	t.Cleanup(func() { objc.WithPool(func() { event.Release() }) })
	wrapped := wrapEvent(t, d, event)
	x, r := newMemory(t, d, 64), d.newRecorder()
	job, err := jobOn(t, r, func(driver.Recorder) error {
		r.SignalEvent(wrapped, 1)
		if err := all(r, raised(whole(x, 64), driver.Buffer{})); err != nil {
			return err
		}
		r.Encode(func(uintptr) {})
		r.SignalEvent(wrapped, 2)
		r.WaitForEvent(wrapped, 2)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range job.Times().Dispatches {
		names = append(names, one.Kernel)
	}
	if want := []string{"raise", "Encode"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestWrappedMTLBuffersAreThoseOfTheDevice(t *testing.T) {
	d := start(t, metaltest.Options{Devices: 2})
	other, err := OpenLibrary(fakePath(t), nil, 1, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, _, err := d.Metal().WrapBuffer(0, true); err == nil || err.Error() != "the MTLBuffer is nil" {
		t.Errorf("nil: %v", err)
	}
	foreign := newMemory(t, other, 64)
	if _, _, err := d.Metal().WrapBuffer(other.Metal().Buffer(foreign), true); err == nil ||
		!strings.HasPrefix(err.Error(), "the MTLBuffer is of another device than ") {
		t.Errorf("another device's: %v", err)
	}

	private, err := d.NewMemory(64, driver.StoragePrivate)
	if err != nil {
		t.Fatal(err)
	}
	defer private.Free()
	again, size, err := d.Metal().WrapBuffer(d.Metal().Buffer(private), false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free()
	if size != linearAlign || again.Bytes() != nil {
		t.Errorf("%d bytes, and the host sees %d", size, len(again.Bytes()))
	}
	if err := batch(t, d, func(r driver.Recorder) error {
		return all(r, raised(whole(private, 64), driver.Buffer{}), raised(whole(again, 64), driver.Buffer{}))
	}); err != nil || metaltest.Count().Barriers != 1 {
		t.Errorf("%v; %d barriers between dispatches of one buffer", err, metaltest.Count().Barriers)
	}

	// Two buffers of the same bytes are ordered by a fence, whichever device made them.
	shared := newMemory(t, d, 64)
	for range 2 {
		m, _, err := d.Metal().WrapBuffer(d.Metal().Buffer(shared), false)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		if !bytes.Equal(m.Bytes(), make([]byte, linearAlign)) {
			t.Errorf("a new buffer begins as %v", m.Bytes())
		}
	}
	if !isFenced(t, d) {
		t.Error("batches have no fence")
	}
}
