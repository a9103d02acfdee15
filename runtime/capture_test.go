package runtime_test

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// capturer is a device where only captures work.
type capturer struct {
	driver.Device
	stops int
	err   error // of stop
}

func (c *capturer) Limits() driver.Limits { return driver.Limits{} }
func (c *capturer) Close() error          { return nil }
func (c *capturer) Stop()                 {}

func (c *capturer) Capture(string) (func() error, error) {
	return func() error { c.stops++; return c.err }, nil
}

func TestCaptureEndsOnce(t *testing.T) {
	failed, full := errors.New("failed"), errors.New("the disk is full")
	for _, c := range []struct {
		name      string
		run, stop error
		want      error
	}{
		{"done", nil, nil, nil},
		{"failed", failed, nil, failed},
		{"not written", nil, full, full},
		{"failed and not written", failed, full, failed},
	} {
		drv := &capturer{err: c.stop}
		dev := driver.NewDevice(drv).(*runtime.Device)
		err := dev.Capture("x.gputrace", func() error {
			if drv.stops > 0 {
				t.Errorf("%s: stopped before the end", c.name)
			}
			return c.run
		})
		if !errors.Is(err, c.want) || drv.stops != 1 {
			t.Errorf("%s: %v, stopped %d times", c.name, err, drv.stops)
		}
	}

	drv := &capturer{}
	func() {
		defer func() {
			if recover() == nil || drv.stops != 1 {
				t.Errorf("stopped %d times by a panic", drv.stops)
			}
		}()
		_ = driver.NewDevice(drv).(*runtime.Device).Capture("x.gputrace", func() error { panic("no") })
	}()
}

func TestCaptureThatCannotBegin(t *testing.T) {
	run := func() error { t.Error("it runs"); return nil }
	if err := openCPU(t).Capture("x.gputrace", run); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("CPU: %v", err)
	}
	dev := driver.NewDevice(&capturer{}).(*runtime.Device)
	dev.Close()
	if err := dev.Capture("x.gputrace", run); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
