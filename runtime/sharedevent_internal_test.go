package runtime

import "testing"

func TestAnEventThatWasWaitedForIsReleasedByFree(t *testing.T) {
	dev, err := OpenWith(Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	e, err := NewSharedEvent(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	e.Free()
	if n := len(dev.resources); n != 0 {
		t.Errorf("the device has %d resources", n)
	}
}
