//go:build linux && (amd64 || arm64)

package metal

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// The table of those who wait for events holds each once, and nobody who is gone.
func TestNobodyListensWhoIsGone(t *testing.T) {
	d := start(t, metaltest.Options{})
	one, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.Metal().WrapEvent(d.Metal().Event(one))
	if err != nil {
		t.Fatal(err)
	}
	id := one.(*event).id
	for v := range uint64(3) {
		one.Reached(v + 1)
		other.Reached(v + 1)
	}
	if n := len(listening.events[id]); n != 2 {
		t.Errorf("%d listen, want 2", n)
	}
	waiting := other.Reached(9)
	other.Free()
	select {
	case <-waiting:
	default:
		t.Error("somebody waits for an event that was freed")
	}
	if n := len(listening.events[id]); n != 1 {
		t.Errorf("%d listen after one is gone, want 1", n)
	}
	one.Signal(2)
	if !one.Has(2) || one.Has(3) || other.Has(1) {
		t.Error("the wrong ones were told")
	}
	one.Free()
	if _, known := listening.events[id]; known {
		t.Error("an event that is gone has a place in the table")
	}
}
