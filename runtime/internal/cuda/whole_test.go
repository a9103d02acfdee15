//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cpu/kerneltest"
	"github.com/metalgen/metalgen/runtime/internal/cpu/randomtest"
	"github.com/metalgen/metalgen/runtime/internal/cuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

var (
	kernels   = flag.Int("kernels", 100, "how many random kernels are compared with the CPU device")
	firstSeed = flag.Uint64("firstkernel", 1, "the first of their seeds")
)

// outcome is what a kernel leaves.
type outcome struct {
	buffers [][]byte
	err     error
}

// call is a kernel of the name test with buffers, by their index.
type call struct {
	source    string
	grid      driver.Grid
	buffers   map[int][]byte
	values    map[int][]byte
	shared    int
	constants map[int][]byte
	texels    [][]byte // of textures of a whole kernel
}

// on runs a call on a device.
func (c *call) on(t testing.TB, dev driver.Device) outcome {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n" + c.source
	d := &driver.Dispatch{
		Kernel: &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}}, Grid: c.grid,
		Shared: []driver.Shared{{Arg: &driver.Arg{}, Length: c.shared}},
	}
	for i, b := range c.values {
		d.Values = append(d.Values, driver.Value{Arg: &driver.Arg{Index: i}, Bytes: b})
	}
	for i, b := range c.constants {
		d.Constants = append(d.Constants, driver.Value{Arg: &driver.Arg{Index: i}, Bytes: b})
	}
	var o outcome
	for i := range 8 {
		b, ok := c.buffers[i]
		if !ok {
			continue
		}
		m, err := dev.NewMemory(len(b), driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		copy(m.Bytes(), b)
		d.Buffers = append(d.Buffers, driver.Buffer{Arg: &driver.Arg{Index: i, Writes: true}, Memory: m, Length: len(b)})
	}
	for i, texels := range c.texels {
		tex, err := dev.NewTexture(driver.TextureSpec{
			Type: bind.Texture2D, Format: [...]pixel.Format{pixel.RGBA32Float, pixel.RGBA32Uint}[i],
			Width: kerneltest.Side, Height: kerneltest.Side, Depth: 1, Length: 1, Levels: 1, Samples: 1,
			Usage: driver.TextureRead,
		})
		if err == nil {
			err = tex.Write(driver.Region{Width: kerneltest.Side, Height: kerneltest.Side, Depth: 1}, texels)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer tex.Free()
		d.Textures = append(d.Textures, driver.TextureArg{Arg: &driver.Arg{Index: i}, Texture: tex})
	}
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Reset()
	if o.err = rec.Record(d); o.err != nil {
		return o
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	_, o.err = job.Wait(t.Context())
	for _, b := range d.Buffers {
		o.buffers = append(o.buffers, slices.Clone(b.Memory.Bytes()))
	}
	return o
}

// differs returns how two outcomes differ, "" where they do not.
func (o *outcome) differs(from *outcome) string {
	var a, b *driver.Fault
	switch {
	case errors.As(from.err, &a) && errors.As(o.err, &b):
		if a.Error() != b.Error() {
			return fmt.Sprintf("%v, not %v", o.err, from.err)
		}
		return ""
	case o.err != nil && from.err != nil && o.err.Error() == from.err.Error(): // what the front end rejects
		return ""
	case o.err != nil || from.err != nil:
		return fmt.Sprintf("%v, not %v", o.err, from.err)
	}
	for i := range o.buffers {
		for at := 0; at < len(o.buffers[i]); at += 4 {
			if have, want := o.buffers[i][at:][:4], from.buffers[i][at:][:4]; !alike(have, want) {
				return fmt.Sprintf("buffer %d: %x at byte %d, not %x", i, have, at, want)
			}
		}
	}
	return ""
}

// alike reports whether two words are the same. What a program stores as numbers is, but the fields of a record in
// device memory are there as they are, and a card has another NaN than processors: all NaNs are one.
func alike(have, want []byte) bool {
	isNaN := func(b []byte) bool { v := floatAt(b, 0); return v != v }
	if bytes.Equal(have, want) || isNaN(have) && isNaN(want) {
		return true
	}
	for i := 0; i < 4; i += 2 {
		x, y := binary.LittleEndian.Uint16(have[i:]), binary.LittleEndian.Uint16(want[i:])
		if isNaN := func(h uint16) bool { return h&0x7fff > 0x7c00 }; x != y && !(isNaN(x) && isNaN(y)) {
			return false
		}
	}
	return true
}

func words(list []uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// wholeKernel is the call of a kernel of package kerneltest.
func wholeKernel(k *kerneltest.Kernel) *call {
	a := k.Arguments()
	c := &call{
		source: k.Source, grid: driver.Grid{Threadgroups: k.Threadgroups, Threads: k.Threads, Size: k.Size},
		buffers: map[int][]byte{0: words(a.Out), 1: words(a.In), 2: words(a.Sums)},
		values:  map[int][]byte{3: words(a.Params[:])}, shared: kerneltest.SharedBytes, constants: map[int][]byte{},
	}
	image := make([]uint32, len(a.Image))
	for i, v := range a.Image {
		image[i] = math.Float32bits(v)
	}
	c.texels = [][]byte{words(image), words(a.Cells)}
	for i, v := range k.Constants {
		c.constants[i] = words([]uint32{v})
		if i == 1 {
			c.constants[i] = c.constants[i][:1]
		}
	}
	return c
}

// onCard reports whether tests use NVIDIA's driver, and not the fake.
func onCard() bool { return os.Getenv("METALGEN_CARD") != "" }

// open opens a device that computes what the CPU device does to the bit, on the fake or on a card.
func open(t testing.TB, o cudatest.Options, options driver.Options) *cuda.Device {
	t.Helper()
	options.Math = driver.MathSafe
	return openAs(t, o, options)
}

func openAs(t testing.TB, o cudatest.Options, options driver.Options) *cuda.Device {
	t.Helper()
	path := ""
	if !onCard() {
		path = cudatest.Start(t, o)
	}
	dev, err := cuda.Open(path, -1, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		for _, text := range cudatest.Errors() {
			t.Error(text)
		}
	})
	return dev
}

// compare runs calls on the CPU device and on this one.
func compare(t *testing.T, name string, n int, make func(seed uint64) *call) {
	reference := cpu.Open(driver.Options{})
	defer reference.Close()
	dev := open(t, cudatest.Options{Seed: *firstSeed}, driver.Options{})
	lacking, bad := map[string]int{}, 0
	for i := range uint64(n) {
		c := make(*firstSeed + i)
		got := c.on(t, dev)
		if e, ok := errors.AsType[*driver.CompileError](got.err); ok && strings.Contains(e.Error(), "does not support") {
			lacking[e.Diagnostics[0].Msg]++
			continue
		}
		want := c.on(t, reference)
		if how := got.differs(&want); how != "" {
			t.Errorf("%s %d: %s", name, *firstSeed+i, how)
			if bad++; bad == 5 {
				t.Fatalf("%s", c.source)
			}
		}
	}
	t.Logf("%d compared; not supported: %v", n, lacking)
}

func TestRandomKernelsComputeWhatTheCPUDeviceDoes(t *testing.T) {
	compare(t, "kernel", *kernels, func(seed uint64) *call { return wholeKernel(kerneltest.New(seed, true)) })
}

func TestRandomProgramsComputeWhatTheCPUDeviceDoes(t *testing.T) {
	compare(t, "program", *kernels/2, func(seed uint64) *call {
		p := randomtest.New(seed, randomtest.With(seed)&randomtest.All)
		return randomProgram(p)
	})
}

// TestRandomKernelsThatOnceDiffered has seeds of mistakes: a constant index that wrapped around, pointers that went far
// out of their buffers and came back, the sign of a NaN, a fault after a barrier.
func TestRandomKernelsThatOnceDiffered(t *testing.T) {
	for _, seed := range []uint64{604234, 609129, 610095, 612231, 2001720} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compare(t, "kernel", 1, func(uint64) *call { return wholeKernel(kerneltest.New(seed, false)) })
		})
	}
}

// randomProgram is the call of a program of package randomtest.
func randomProgram(p *randomtest.Program) *call {
	var ints, floats []byte
	for _, v := range p.Ints {
		ints = binary.LittleEndian.AppendUint32(ints, uint32(v))
	}
	for _, v := range p.Floats {
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(v))
	}
	return &call{
		source: p.Source(),
		grid:   driver.Grid{Threadgroups: [3]int{randomtest.Groups, 1, 1}, Threads: [3]int{randomtest.ThreadsOfGroup, 1, 1}},
		buffers: map[int][]byte{
			0: ints, 1: floats, 3: make([]byte, 8*randomtest.Numbers), 4: make([]byte, 8*randomtest.Numbers),
		},
		values: map[int][]byte{2: words([]uint32{uint32(p.Same)})}, shared: 4 * randomtest.ThreadsOfGroup,
	}
}
