package cpu_test

import (
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cpu/kerneltest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

var (
	kernels   = flag.Int("kernels", 300, "how many whole kernels TestWholeKernels compares")
	firstSeed = flag.Uint64("firstkernel", 1, "the first of their seeds")
)

// native is what METALGEN_NATIVE says when the tests begin: which machine code is compared.
var native = strings.TrimSuffix(os.Getenv("METALGEN_NATIVE"), "off")

// machines are two devices that execute the same kernels: one with the interpreter alone, one that makes machine code
// at once.
type machines struct {
	devices [2]*cpu.Device
	used    int
}

// use returns the devices. They are made anew now and then, since a device keeps the kernels that it has compiled.
func (m *machines) use(t testing.TB) *[2]*cpu.Device {
	t.Helper()
	if m.used++; m.used%256 == 1 {
		m.close()
		on := cmp.Or(native, "on")
		for i, mode := range [...]string{"off", on} {
			t.Setenv("METALGEN_NATIVE", mode)
			m.devices[i] = cpu.Open(driver.Options{})
		}
	}
	return &m.devices
}

func (m *machines) close() {
	for _, d := range m.devices {
		if d != nil {
			d.Close()
		}
	}
}

// outcome is what a kernel leaves.
type outcome struct {
	out, sums []byte
	err       error
}

// call runs a kernel on a device. An error of another kind than those of kernels that go wrong fails the test.
func call(t testing.TB, dev *cpu.Device, k *kerneltest.Kernel) outcome {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n" + k.Source
	args := k.Arguments()
	d := &driver.Dispatch{
		Kernel: &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:   driver.Grid{Threadgroups: k.Threadgroups, Threads: k.Threads, Size: k.Size},
		Shared: []driver.Shared{{Arg: &driver.Arg{}, Length: kerneltest.SharedBytes}},
		Values: []driver.Value{{Arg: &driver.Arg{Index: 3}, Bytes: bytesOf(args.Params[:])}},
	}
	for i, words := range [][]uint32{args.Out, args.In, args.Sums} {
		memory, err := dev.NewMemory(4*len(words), driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		copy(memory.Bytes(), bytesOf(words))
		arg := &driver.Arg{Index: i, Name: [...]string{"out", "in", "sums"}[i], Writes: i != 1}
		d.Buffers = append(d.Buffers, driver.Buffer{Arg: arg, Memory: memory, Length: 4 * len(words)})
	}
	image := make([]uint32, len(args.Image))
	for i, v := range args.Image {
		image[i] = math.Float32bits(v)
	}
	for i, texels := range [][]uint32{image, args.Cells} {
		tex, err := dev.NewTexture(driver.TextureSpec{
			Type: bind.Texture2D, Format: [...]pixel.Format{pixel.RGBA32Float, pixel.RGBA32Uint}[i],
			Width: kerneltest.Side, Height: kerneltest.Side, Depth: 1, Length: 1, Levels: 1, Samples: 1,
			Usage: driver.TextureRead,
		})
		if err == nil {
			err = tex.Write(driver.Region{Width: kerneltest.Side, Height: kerneltest.Side, Depth: 1}, bytesOf(texels))
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Textures = append(d.Textures, driver.TextureArg{Arg: &driver.Arg{Index: i}, Texture: tex})
	}
	for index, v := range k.Constants {
		bytes := bytesOf([]uint32{v})
		if index == 1 {
			bytes = bytes[:1]
		}
		d.Constants = append(d.Constants, driver.Value{Arg: &driver.Arg{Index: index}, Bytes: bytes})
	}
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Record(d); err != nil {
		t.Fatalf("%v\n%s", err, k.Source)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	_, err = job.Wait(t.Context())
	return outcome{slices.Clone(d.Buffers[0].Memory.Bytes()), slices.Clone(d.Buffers[2].Memory.Bytes()), err}
}

func bytesOf(words []uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// differs returns how machine code differs from the interpreter, or "". It reports whether the kernel goes wrong.
func (m *machines) differs(t testing.TB, k *kerneltest.Kernel) (how string, wrong bool) {
	t.Helper()
	devices := m.use(t)
	a, b := call(t, devices[0], k), call(t, devices[1], k)
	if a.err != nil && !strings.HasPrefix(a.err.Error(), "test: test.metal:") {
		return fmt.Sprintf("it ends with %v", a.err), true
	}
	if fmt.Sprint(a.err) != fmt.Sprint(b.err) {
		return fmt.Sprintf("the interpreter ends with %v\nmachine code ends with %v", a.err, b.err), true
	}
	if a.err != nil && k.Threadgroups != [3]int{1, 1, 1} {
		return "", true // how far other threadgroups have come is chance
	}
	for i, list := range [][2][]byte{{a.out, b.out}, {a.sums, b.sums}} {
		for at := 0; at < len(list[0]); at += 4 {
			x, y := binary.LittleEndian.Uint32(list[0][at:]), binary.LittleEndian.Uint32(list[1][at:])
			if x != y {
				return fmt.Sprintf("word %d of %s is %#x of the interpreter, %#x of machine code", at/4,
					[...]string{"out", "sums"}[i], x, y), a.err != nil
			}
		}
	}
	return "", a.err != nil
}

func (m *machines) compare(t testing.TB, seed uint64, tables bool) (k *kerneltest.Kernel, wrong bool) {
	t.Helper()
	k = kerneltest.New(seed, tables)
	how, wrong := m.differs(t, k)
	if how != "" {
		t.Fatalf("seed %d: %s\ngrid %v of %v, %v\nconstants %v\n%s", seed, how, k.Threadgroups, k.Threads, k.Size,
			k.Constants, k.Source)
	}
	return k, wrong
}

// TestWholeKernelsDoTheSameInMachineCode compares what kernels of all constructs leave, and how they go wrong.
func TestWholeKernelsDoTheSameInMachineCode(t *testing.T) {
	var m machines
	defer m.close()
	counts, wrong := map[kerneltest.Construct]int{}, 0
	for i := range uint64(*kernels) {
		k, bad := m.compare(t, *firstSeed+i, true)
		if bad {
			wrong++
		}
		for _, c := range kerneltest.Constructs {
			if k.Has(c) {
				counts[c]++
			}
		}
	}
	for _, c := range kerneltest.Constructs {
		t.Logf("%5d have: %s", counts[c], c)
		if counts[c] == 0 {
			t.Errorf("no kernel has: %s", c)
		}
	}
	t.Logf("%d of %d go wrong", wrong, *kernels)
	if wrong == 0 || wrong > *kernels/4 {
		t.Errorf("%d of %d go wrong", wrong, *kernels)
	}
}

// TestWholeKernelsThatDiffered compares again those on which machine code and the interpreter once differed.
func TestWholeKernelsThatDiffered(t *testing.T) {
	var m machines
	defer m.close()
	for _, seed := range []uint64{
		// What is the same in all lanes was made ahead of a queue with a division, which took its register: the
		// interpreter, which stores it to thread memory, found something else.
		5064892, 5069650,
		// The interpreter was wrong: what shared a register with the result of an if was assigned in a later switch by
		// the mask of that if, which was another one by then.
		5036228,
		// After a recursive call a builtin was no longer known to count up. What was in the register for that then came to
		// memory, where the next threadgroup took it for the builtin, which nobody sets again.
		1001529360,
		// Where a sum wrapped around, the interpreter went on, and found that a condition was not the same in all lanes.
		// The code that went on after it took that for granted.
		3500704997,
		// The size of the grid was that of the dispatch before.
		3000600337, 3001400350,
	} {
		m.compare(t, seed, false)
	}
}

// FuzzWholeKernels is that test for any seed.
func FuzzWholeKernels(f *testing.F) {
	for range 4 {
		f.Add(rand.Uint64())
	}
	var m machines
	defer m.close()
	f.Fuzz(func(t *testing.T, seed uint64) { m.compare(t, seed, true) })
}
