package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var forgeText = `#include <metal_stdlib>
using namespace metal;
struct Item { device uint* p; };
kernel void forge(device Item* items [[buffer(0)]], constant ulong& address [[buffer(1)]]) {
	*(device ulong*)items = address;
}
kernel void follow(device const Item* items [[buffer(0)]], device uint* out [[buffer(1)]]) { out[0] = items[0].p[0]; }
`

type forgeItem struct{ P runtime.Pointer[uint32] }

var (
	forgeLibrary = bind.Library{File: "forge.metal", Source: &forgeText}
	forgeFields  = []bind.Field{{Name: "p", Type: "device uint*", Access: runtime.ReadWrite}}

	forge = bind.Kernel{Name: "forge", Library: &forgeLibrary, Pos: "forge.metal:4", Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "items", Type: "Item", Size: 8, Align: 8, Access: runtime.ReadWrite,
			Pointers: true, Fields: forgeFields},
		{Kind: bind.ValueArg, Index: 1, Name: "address", Type: "ulong", Size: 8},
	}}
	follow = bind.Kernel{Name: "follow", Library: &forgeLibrary, Pos: "forge.metal:7", Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "items", Type: "Item", Size: 8, Align: 8, Access: runtime.Read,
			Pointers: true, Fields: forgeFields},
		{Kind: bind.BufferArg, Index: 1, Name: "out", Type: "uint", Size: 4, Align: 4, Access: runtime.Write},
	}}
)

// TestAForgedAddressLeadsNowhere has a kernel write the address of a buffer that it was not given into its own argument
// buffer, for its next call. Calls hand on what the program has written there, and nothing else. So Metal is not told
// of the buffer either: its fake says that the encoder of the second call does not use it.
func TestAForgedAddressLeadsNowhere(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	out, err := forgeAndFollow(t, dev)
	if !errors.Is(err, runtime.ErrOutOfBounds) || out == secret {
		t.Errorf("reads %d, error %v", out, err)
	}
}

const secret = 42

func forgeAndFollow(t *testing.T, dev *runtime.Device) (uint32, error) {
	t.Helper()
	mine, errMine := runtime.Upload(dev, []uint32{7})
	hidden, errHidden := runtime.Upload(dev, []uint32{secret})
	out, errOut := runtime.NewBuffer[uint32](dev, 1)
	items, errItems := runtime.UploadArguments(dev, []forgeItem{{mine.Pointer()}})
	if err := errors.Join(errMine, errHidden, errOut, errItems); err != nil {
		t.Fatal(err)
	}
	one := runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}
	b := dev.NewBatch()
	c := b.Call(&forge)
	c.Buffer(0, items.View(), 1)
	bind.Value(c, 1, hidden.Pointer().Address())
	c.Dispatch(one)
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	c = b.Call(&follow)
	c.Buffer(0, items.View(), 1)
	c.Buffer(1, out.View(), 1)
	c.Dispatch(one)
	err := b.Run(context.Background())
	return out.Data()[0], err
}
