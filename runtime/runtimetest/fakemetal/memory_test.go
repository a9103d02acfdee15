package fakemetal_test

import (
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func TestADeviceSaysHowMuchMemoryIsAllocated(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{})
	before := dev.Memory()
	if before.Recommended != 1<<36 { // as the fake says
		t.Errorf("recommended %d", before.Recommended)
	}
	const size = 1 << 20
	b, err := runtime.NewBuffer[byte](dev, size)
	if err != nil {
		t.Fatal(err)
	}
	if got := dev.Memory().Allocated - before.Allocated; got != size {
		t.Errorf("a buffer of %d bytes allocates %d", size, got)
	}
	b.Free()
	if got := dev.Memory(); got != before {
		t.Errorf("with the buffer freed %+v, before it %+v", got, before)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if got := dev.Memory(); got != (runtime.MemoryUse{}) {
		t.Errorf("closed: %+v", got)
	}
}
