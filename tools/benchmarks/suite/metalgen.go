package suite

import (
	"context"
	"os"
	"time"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// open returns a CPU device with a value of METALGEN_NATIVE.
func open(native string) (*runtime.Device, error) {
	if old, found := os.LookupEnv("METALGEN_NATIVE"); found {
		defer os.Setenv("METALGEN_NATIVE", old)
	} else {
		defer os.Unsetenv("METALGEN_NATIVE")
	}
	os.Setenv("METALGEN_NATIVE", native)
	return runtime.OpenWith(runtime.Options{Device: "cpu"})
}

// load makes a kernel ready to run on a new device.
func load(native string, k *Kernel, args []Arg) (loaded, error) {
	dev, err := open(native)
	if err != nil {
		return loaded{}, err
	}
	text, err := k.text()
	if err != nil {
		return loaded{}, err
	}
	described := describe(k, text, args)
	var buffers []runtime.Buffer[byte]
	for _, a := range args {
		var b runtime.Buffer[byte]
		if !a.value {
			if b, err = runtime.Upload(dev, a.bytes()); err != nil {
				return loaded{}, err
			}
		}
		buffers = append(buffers, b)
	}
	var grid runtime.Grid
	for i, threads := range dimensions(k.Grid) {
		grid.Threads[i] = dimensions(k.Group)[i]
		grid.Threadgroups[i] = threads / grid.Threads[i]
	}
	batch := dev.NewBatch()
	run := func() error {
		c := batch.Call(described)
		for i, a := range args {
			if a.value {
				c.ValueBytes(i, a.bytes())
			} else {
				c.Buffer(i, buffers[i].View(), 0)
			}
		}
		c.Dispatch(grid)
		return batch.Run(context.Background())
	}
	start := time.Now()
	if err := run(); err != nil {
		return loaded{}, err
	}
	return loaded{
		first: time.Since(start), run: run,
		result: func(i int) ([]byte, error) { return buffers[i].Data(), nil },
		free:   func() { dev.Close() },
	}, nil
}

// describe returns what generated code would say of a kernel, but the names of arguments, which are those of the
// source: they are bound by their indexes.
func describe(k *Kernel, text string, args []Arg) *bind.Kernel {
	described := &bind.Kernel{
		Name: k.Name, Library: &bind.Library{File: k.Source + ".metal", Source: &text}, Pos: k.Source + ".metal",
		Positions: true,
	}
	for i, a := range args {
		arg := bind.Arg{Kind: bind.BufferArg, Index: i, Size: 1, Access: bind.Read}
		switch {
		case a.value:
			arg.Kind, arg.Size = bind.ValueArg, len(a.bytes())
		case a.written:
			arg.Access = bind.ReadWrite
		}
		described.Args = append(described.Args, arg)
	}
	return described
}
