package runtime_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// blur has textures and samplers of several kinds.
var blur = bind.Kernel{
	Name:    "blur",
	Library: &normLibrary,
	Pos:     "norm.metal:90",
	Args: []bind.Arg{
		{Kind: bind.TextureArg, Index: 0, Name: "src", Type: "texture2d<float>", Access: bind.Read,
			Texture: bind.Texture2D, Texels: bind.FloatTexels, Pos: "norm.metal:91"},
		{Kind: bind.TextureArg, Index: 1, Name: "dst", Type: "texture2d<half, access::write>", Access: bind.Write,
			Texture: bind.Texture2D, Texels: bind.FloatTexels},
		{Kind: bind.TextureArg, Index: 2, Name: "masks", Type: "texture2d<uint, access::read>", Access: bind.Read,
			Texture: bind.Texture2D, Texels: bind.UintTexels, Count: 3},
		{Kind: bind.TextureArg, Index: 5, Name: "sum", Type: "texture2d<uint, access::read_write>", Access: bind.ReadWrite,
			Texture: bind.Texture2D, Texels: bind.UintTexels, Optional: true},
		{Kind: bind.TextureArg, Index: 6, Name: "depth", Type: "depth2d<float>", Access: bind.Read,
			Texture: bind.Texture2D, Texels: bind.DepthTexels, Optional: true},
		{Kind: bind.SamplerArg, Index: 0, Name: "s", Type: "sampler"},
		{Kind: bind.SamplerArg, Index: 1, Name: "more", Type: "sampler", Count: 2, Optional: true},
	},
}

// blurArgs are the arguments of a call of blur.
type blurArgs struct {
	src, dst, sum bind.Texture
	depth         bind.Texture
	masks         [3]runtime.Texture2D
	s             runtime.Sampler
	more          []runtime.Sampler
}

func newTexture(t testing.TB, dev *runtime.Device, format runtime.PixelFormat) runtime.Texture2D {
	t.Helper()
	tex, err := runtime.NewTexture2D(dev, 8, 8, format, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tex
}

func goodBlur(t testing.TB, dev *runtime.Device) blurArgs {
	mask := newTexture(t, dev, runtime.R8Uint)
	return blurArgs{
		src:   newTexture(t, dev, runtime.RGBA8Unorm).Handle(),
		dst:   newTexture(t, dev, runtime.RGBA16Float).Handle(),
		masks: [3]runtime.Texture2D{mask, mask, newTexture(t, dev, runtime.R32Uint)},
		s:     runtime.Sampler{Min: runtime.Linear, Address: runtime.Repeat},
	}
}

func (a *blurArgs) record(b *runtime.Batch) {
	c := b.Call(&blur)
	c.Texture(0, a.src)
	c.Texture(1, a.dst)
	for i := range a.masks {
		c.Texture(2+i, a.masks[i].Handle())
	}
	c.Texture(5, a.sum)
	c.Texture(6, a.depth)
	c.Sampler(0, a.s)
	for i := range a.more {
		c.Sampler(1+i, a.more[i])
	}
	c.Dispatch(one)
}

func TestTexturesReachTheDriverAsTheyWereSet(t *testing.T) {
	dev, rec := open(t)
	a := goodBlur(t, dev)
	repeat := runtime.Sampler{AddressT: runtime.MirrorRepeat}
	a.more = []runtime.Sampler{{}, repeat}
	b := dev.NewBatch()
	a.record(b)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := rec.Dispatches()[0]
	textures := []runtimetest.Texture{
		{Index: 0, Name: "src", Access: runtime.Read, Texture: 2},
		{Index: 1, Name: "dst", Access: runtime.Write, Texture: 3},
		{Index: 2, Name: "masks", Access: runtime.Read, Texture: 1},
		{Index: 3, Name: "masks", Access: runtime.Read, Texture: 1},
		{Index: 4, Name: "masks", Access: runtime.Read, Texture: 4},
	}
	if diff := cmp.Diff(textures, d.Textures); diff != "" {
		t.Error(diff)
	}
	samplers := []runtimetest.Sampler{{Index: 0, Name: "s", Sampler: a.s}, {Index: 1, Name: "more"},
		{Index: 2, Name: "more", Sampler: repeat}}
	if diff := cmp.Diff(samplers, d.Samplers); diff != "" {
		t.Error(diff)
	}
}

func TestTexturesAreCheckedBeforeDispatch(t *testing.T) {
	dev, rec := open(t)
	other, _ := open(t)
	freed := newTexture(t, dev, runtime.RGBA8Unorm)
	freed.Free()
	cube, err := runtime.NewTexture[runtime.TextureCube](
		dev, runtime.TextureSize{Width: 8}, runtime.RGBA8Unorm, runtime.TextureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	unread, err := runtime.NewTexture2D(dev, 8, 8, runtime.RGBA8Unorm, runtime.TextureOptions{Access: runtime.Write})
	if err != nil {
		t.Fatal(err)
	}
	levels, err := runtime.NewTexture2D(dev, 8, 8, runtime.RGBA8Unorm, runtime.TextureOptions{Levels: 2})
	if err != nil {
		t.Fatal(err)
	}
	level := func(n int) runtime.Texture2D {
		v, err := levels.View(0, runtime.Levels{First: n, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name   string
		change func(*blurArgs)
		is     error
		want   string // "" for none
	}{
		{"zero", func(a *blurArgs) { a.src = bind.Texture{} }, runtime.ErrNilTexture,
			"blur: src: need a texture for texture2d<float> (norm.metal:91), have the zero Texture"},
		{"zero element", func(a *blurArgs) { a.masks[1] = runtime.Texture2D{} }, runtime.ErrNilTexture,
			"blur: masks[1]: need a texture for texture2d<uint, access::read>, have the zero Texture"},
		{"other form", func(a *blurArgs) { a.src = cube.Handle() }, nil,
			"blur: src: need a 2D texture, for texture2d<float> (norm.metal:91), have a cube texture"},
		{"other device", func(a *blurArgs) { a.src = newTexture(t, other, runtime.RGBA8Unorm).Handle() },
			runtime.ErrOtherDevice,
			"blur: src: need a texture of the batch's device, recording device (norm.metal:91), have one of another, " +
				"recording device"},
		{"freed", func(a *blurArgs) { a.src = freed.Handle() }, runtime.ErrFreed,
			"blur: src: need a texture for texture2d<float> (norm.metal:91), have one that was freed"},
		{"integers", func(a *blurArgs) { a.src = newTexture(t, dev, runtime.R32Sint).Handle() }, nil,
			"blur: src: need a texture of float texels, for texture2d<float> (norm.metal:91), have one of R32Sint"},
		{"floats", func(a *blurArgs) { a.masks[2] = newTexture(t, dev, runtime.RGBA8Unorm) }, nil,
			"blur: masks[2]: need a texture of uint texels, for texture2d<uint, access::read>, have one of RGBA8Unorm"},
		{"no depths", func(a *blurArgs) { a.depth = newTexture(t, dev, runtime.R32Float).Handle() }, nil,
			"blur: depth: need a texture of depth texels, for depth2d<float>, have one of R32Float"},
		{"not for reading", func(a *blurArgs) { a.src = unread.Handle() }, runtime.ErrAccess,
			"blur: src: need a texture that kernels may read (norm.metal:91), have one that was made for writing only"},
		{"not for writing", func(a *blurArgs) { a.dst = newTexture(t, dev, runtime.B5G6R5Unorm).Handle() }, runtime.ErrAccess,
			"blur: dst: need a texture that kernels may write, have one of B5G6R5Unorm that kernels may only read"},
		{"not for both", func(a *blurArgs) { a.sum = newTexture(t, dev, runtime.RG8Uint).Handle() }, runtime.ErrAccess,
			"blur: sum: need a texture that kernels may read and write at once, have one of RG8Uint"},
		{"shown twice", func(a *blurArgs) { a.src, a.dst = level(0).Handle(), levels.Handle() }, runtime.ErrAccess,
			"blur: dst: need a texture other than that of src, because the kernel writes one of the two, have the same one"},
		{"two levels of one", func(a *blurArgs) { a.src, a.dst = level(0).Handle(), level(1).Handle() }, nil, ""},
		{"a sampler that is none", func(a *blurArgs) { a.s.Border = 9 }, nil,
			"blur: s: need a sampler whose Border is one of the constants, have 9"},
		{"pixels that repeat", func(a *blurArgs) { a.s = runtime.Sampler{Pixel: true, AddressR: runtime.Repeat} }, nil,
			"blur: s: need a sampler of Pixel coordinates that clamps them, have one that repeats or mirrors"},
		{"pixels with levels", func(a *blurArgs) { a.s = runtime.Sampler{Pixel: true, Mip: runtime.MipNearest} }, nil,
			"blur: s: need a sampler of Pixel coordinates without a mip filter, have one with Mip"},
		{"pixels with two filters", func(a *blurArgs) { a.s = runtime.Sampler{Pixel: true, Mag: runtime.Linear} }, nil,
			"blur: s: need a sampler of Pixel coordinates with one filter for Min and Mag, have two"},
		{"two borders", func(a *blurArgs) {
			a.s = runtime.Sampler{Address: runtime.ClampToBorder, AddressS: runtime.ClampToZero, Border: runtime.OpaqueWhite}
		}, nil,
			"blur: s: need a sampler with ClampToZero and ClampToBorder whose Border is TransparentBlack, have another"},
		{"levels out of order", func(a *blurArgs) { a.s.LODMin, a.s.LODMax = 3, 2 }, nil,
			"blur: s: need a sampler whose levels of detail are in order, have 3 to 2"},
		{"levels that are no numbers", func(a *blurArgs) { a.s.LODMin = float32(math.NaN()) }, nil,
			"blur: s: need a sampler whose levels of detail are in order, have NaN to 0"},
		{"too anisotropic", func(a *blurArgs) { a.more = []runtime.Sampler{{}, {MaxAnisotropy: 17}} }, nil,
			"blur: more[1]: need a sampler whose MaxAnisotropy is 0 to 16, have 17"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := goodBlur(t, dev)
			c.change(&a)
			b := dev.NewBatch()
			a.record(b)
			err := b.Run(t.Context())
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				rec.Clear()
				return
			}
			wantError[*runtime.ArgError](t, err, c.want)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("is no %v", c.is)
			}
			if len(rec.Dispatches()) != 0 {
				t.Error("dispatched all the same")
			}
		})
	}
}

func TestElementsOfArraysAreSetInOrder(t *testing.T) {
	dev, _ := open(t)
	a := goodBlur(t, dev)
	for _, c := range []struct {
		order []int
		want  string
	}{
		{[]int{2, 4}, "blur (norm.metal:90): masks: element 2 is set before element 1"},
		{[]int{2, 3, 3}, "blur (norm.metal:90): masks is set twice"},
		{[]int{2, 3, 7}, "blur (norm.metal:90): the kernel has no texture argument 7"},
	} {
		b := dev.NewBatch()
		call := b.Call(&blur)
		for _, index := range c.order {
			call.Texture(index, a.masks[0].Handle())
		}
		wantError[*runtime.CallError](t, b.Run(t.Context()), c.want)
	}
}

func TestTexturesLiveAsLongAsTheirBatch(t *testing.T) {
	dev, rec := open(t, runtimetest.HoldJobs())
	a := goodBlur(t, dev)
	src := newTexture(t, dev, runtime.R32Float)
	view, err := src.View(0, runtime.Levels{})
	if err != nil {
		t.Fatal(err)
	}
	a.src = view.Handle()
	b := dev.NewBatch()
	a.record(b)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	before := rec.Live()
	src.Free()
	if n := rec.Live(); n != before {
		t.Errorf("%d allocations while the batch runs, want %d", n, before)
	}
	rec.Finish(nil)
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := rec.Live(); n != before-2 {
		t.Errorf("%d allocations after the batch, want %d", n, before-2)
	}
}

func TestRecordingTexturesAllocatesNothing(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	a := goodBlur(t, dev)
	b := dev.NewBatch()
	run := func() {
		for range 16 {
			a.record(b)
		}
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if allocs := testing.AllocsPerRun(10, run); allocs != 0 {
		t.Errorf("%v allocations in a run of 16 calls", allocs)
	}
}

// BenchmarkCallWithTextures measures a call with five textures and a sampler, in batches of 64.
func BenchmarkCallWithTextures(b *testing.B) {
	dev, _ := open(b, runtimetest.NoLog())
	a := goodBlur(b, dev)
	batch := dev.NewBatch()
	b.ReportAllocs()
	const calls = 64
	for b.Loop() {
		for range calls {
			a.record(batch)
		}
		if err := batch.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*calls), "ns/call")
}
