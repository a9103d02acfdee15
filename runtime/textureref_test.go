package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// material is a struct of a kernel: { texture2d<float> color; array<texture2d<half, access::write>, 2> out;
// texture_buffer<uint, access::read_write> counts; sampler s; device material* next; }.
type material struct {
	Color  runtime.TextureRef[runtime.Texture2D]
	Out    [2]runtime.TextureRef[runtime.Texture2D]
	Counts runtime.TextureRef[runtime.TextureBuffer]
	S      runtime.SamplerRef
	Next   runtime.Pointer[material]
}

var materialFields = []bind.Field{
	{Name: "color", Type: "texture2d<float>", Offset: 0, Access: runtime.Read, Texture: bind.Texture2D,
		Texels: bind.FloatTexels},
	{Name: "out", Type: "texture2d<half, access::write>[2]", Offset: 8, Access: runtime.Write, Texture: bind.Texture2D,
		Texels: bind.FloatTexels},
	{Name: "counts", Type: "texture_buffer<uint, access::read_write>", Offset: 24, Access: runtime.ReadWrite,
		Texture: bind.TextureBuffer, Texels: bind.UintTexels},
	{Name: "s", Type: "sampler", Offset: 32},
	{Name: "next", Type: "device material*", Offset: 40, Access: runtime.ReadWrite},
}

var shade = bind.Kernel{Name: "shade", Library: &normLibrary, Pos: "norm.metal:90", Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "materials", Type: "material", Size: 48, Align: 8, Access: runtime.Read,
		Fields: materialFields},
	{Kind: bind.ValueArg, Index: 1, Name: "m", Type: "material", Size: 48, Pointers: true, Fields: materialFields},
}}

func shading(b *runtime.Batch, materials runtime.Buffer[material], m material) error {
	shadeIn(b, materials, m)
	return b.Run(context.Background())
}

func shadeIn(b *runtime.Batch, materials runtime.Buffer[material], m material) {
	c := b.Call(&shade)
	c.Buffer(0, materials.View(), 0)
	bind.Value(c, 1, m)
	c.Dispatch(one)
}

func texture2D(t *testing.T, dev *runtime.Device, f runtime.PixelFormat, o runtime.TextureOptions) runtime.Texture2D {
	t.Helper()
	tex, err := runtime.NewTexture2D(dev, 4, 4, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return tex
}

func uploadMaterials(t *testing.T, dev *runtime.Device, m ...material) runtime.Buffer[material] {
	t.Helper()
	b, err := runtime.UploadArguments(dev, m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shown returns the resources of the last dispatch, as resources does, with the numbers of textures.
func shown(rec *runtimetest.Recording) []string {
	all := rec.Dispatches()
	var list []string
	for _, r := range all[len(all)-1].Resources {
		text := fmt.Sprint(r.Name, " ", r.Texture)
		if r.Writes {
			text += "w"
		}
		list = append(list, text)
	}
	return list
}

func TestCallsHandOnTexturesInMemory(t *testing.T) {
	dev, rec := open(t)
	color := texture2D(t, dev, runtime.RGBA8Unorm, runtime.TextureOptions{Levels: 2}) // 1
	out := texture2D(t, dev, runtime.RGBA16Float, runtime.TextureOptions{})           // 2
	level, err := color.View(0, runtime.Levels{First: 1})                             // 3
	if err != nil {
		t.Fatal(err)
	}
	counts, err := runtime.NewTexture[runtime.TextureBuffer](
		dev, runtime.TextureSize{Width: 8}, runtime.R32Uint, runtime.TextureOptions{}) // 4
	if err != nil {
		t.Fatal(err)
	}
	read := texture2D(t, dev, runtime.R8Unorm, runtime.TextureOptions{Access: runtime.Read}) // 5
	s, err := dev.SamplerRef(runtime.Sampler{Min: runtime.Linear})
	if err != nil {
		t.Fatal(err)
	}
	far := uploadMaterials(t, dev, material{Color: read.Ref()}, material{Color: color.Ref()})
	materials := uploadMaterials(t, dev,
		material{Color: color.Ref(), S: s},
		material{Out: [2]runtime.TextureRef[runtime.Texture2D]{{}, out.Ref()}, Counts: counts.Ref()},
		material{Color: level.Ref(), Next: far.Pointer()})
	for _, tt := range []struct {
		name      string
		materials runtime.Buffer[material]
		m         material
		want      []string
	}{
		{"one", materials.Slice(0, 1), material{}, []string{"materials[0].Color 1"}},
		{"written", materials.Slice(1, 2), material{}, []string{"materials[0].Out[1] 2w", "materials[0].Counts 4w"}},
		{"a view, and what a pointer leads to", materials.Slice(2, 3), material{},
			[]string{"materials[0].Color 3", "materials[0].Next 0w", "materials[0].Next->Color 5",
				"materials[0].Next->Color 1w"}},
		{"a value", materials.Slice(0, 0), material{Color: out.Ref(), S: s}, []string{"m.Color 2"}},
		{"read and written", materials.Slice(1, 2), material{Color: out.Ref()},
			[]string{"materials[0].Out[1] 2w", "materials[0].Counts 4w"}},
		{"twice", materials.Slice(0, 1), material{Color: color.Ref()}, []string{"materials[0].Color 1"}},
	} {
		if err := shading(dev.NewBatch(), tt.materials, tt.m); err != nil {
			t.Fatal(err)
		}
		if got := shown(rec); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := materials.Data()[0]; got.Color.ID() == 0 || got.Color != color.Ref() || got.S != s || s.IsNull() ||
		got.Color.IsNull() || !got.Next.IsNull() || level.Ref() == color.Ref() {
		t.Errorf("%+v is in the buffer", got)
	}
}

func TestBatchesKeepTexturesInMemory(t *testing.T) {
	dev, rec := open(t, runtimetest.HoldJobs())
	color := texture2D(t, dev, runtime.RGBA8Unorm, runtime.TextureOptions{})
	materials := uploadMaterials(t, dev, material{Color: color.Ref()})
	b := dev.NewBatch()
	shadeIn(b, materials, material{})
	live := rec.Live()
	color.Free()
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	if rec.Live() != live {
		t.Error("the texture of a batch was freed")
	}
	rec.Finish(nil)
	if err := b.Wait(context.Background()); err != nil || rec.Live() != live-1 {
		t.Errorf("%v, and %d of %d are alive", err, rec.Live(), live)
	}
	err := shading(dev.NewBatch(), materials, material{})
	wantError[*runtime.ArgError](t, err, "shade: materials[0].Color: need a texture of the batch's device, recording "+
		"device, have one that was freed")
}

func TestReferencesToNothingAreMistakes(t *testing.T) {
	dev, rec := open(t)
	other, _ := open(t)
	freed := texture2D(t, dev, runtime.RGBA8Unorm, runtime.TextureOptions{})
	stale := freed.Ref()
	freed.Free()
	foreign := texture2D(t, other, runtime.RGBA8Unorm, runtime.TextureOptions{}).Ref()
	sampler, err := other.SamplerRef(runtime.Sampler{Mag: runtime.Linear, Border: runtime.OpaqueWhite})
	if err != nil {
		t.Fatal(err)
	}
	nowhere := func(id uint64) string { return fmt.Sprintf("%#x, which leads to nothing", id) }
	for _, tt := range []struct {
		name, path, need, have string
		m                      material
		err                    error
	}{
		{"freed before", "Color", "a texture", "one that was freed", material{Color: freed.Ref()}, runtime.ErrFreed},
		{"freed after", "Color", "a texture", nowhere(stale.ID()), material{Color: stale}, runtime.ErrNoMemory},
		{"another device", "Color", "a texture", nowhere(foreign.ID()), material{Color: foreign}, runtime.ErrNoMemory},
		{"a sampler of another device", "S", "a sampler", nowhere(sampler.ID()), material{S: sampler},
			runtime.ErrNoMemory},
	} {
		_, err := runtime.UploadArguments(dev, []material{{}, tt.m})
		wantError[*runtime.PointerError](t, err,
			"UploadArguments: [1]."+tt.path+": need "+tt.need+" of the device, have "+tt.have)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v is not %v", tt.name, err, tt.err)
		}
		err = shading(dev.NewBatch(), uploadMaterials(t, dev, material{}), tt.m)
		wantError[*runtime.ArgError](t, err, "shade: m."+tt.path+": need "+tt.need+" of the batch's device, "+
			"recording device, have "+tt.have)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v is not %v", tt.name, err, tt.err)
		}
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d calls were dispatched", n)
	}
}

func TestTexturesInMemoryFitTheirFields(t *testing.T) {
	dev, rec := open(t)
	ref := func(f runtime.PixelFormat, a runtime.Access) runtime.TextureRef[runtime.Texture2D] {
		return texture2D(t, dev, f, runtime.TextureOptions{Access: a}).Ref()
	}
	for _, tt := range []struct {
		m    material
		want string
	}{
		{material{Color: ref(runtime.R8Uint, 0)},
			"Color: need a texture of float texels, for texture2d<float>, have one of R8Uint"},
		{material{Color: ref(runtime.R8Unorm, runtime.Write)},
			"Color: need a texture that kernels may read, have one that was made for writing only"},
		{material{Out: [2]runtime.TextureRef[runtime.Texture2D]{{}, ref(runtime.R8Unorm, runtime.Read)}},
			"Out[1]: need a texture that kernels may write, have one of R8Unorm that kernels may only read"},
	} {
		err := shading(dev.NewBatch(), uploadMaterials(t, dev, material{}), tt.m)
		wantError[*runtime.ArgError](t, err, "shade: m."+tt.want)
		err = shading(dev.NewBatch(), uploadMaterials(t, dev, tt.m), material{})
		wantError[*runtime.ArgError](t, err, "shade: materials[0]."+tt.want)
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d calls were dispatched", n)
	}
}

func TestSamplersInMemoryAreChecked(t *testing.T) {
	dev, _ := open(t)
	closed, _ := open(t)
	closed.Close()
	for _, tt := range []struct {
		dev  *runtime.Device
		s    runtime.Sampler
		want string
	}{
		{dev, runtime.Sampler{MaxAnisotropy: 17}, "need a sampler whose MaxAnisotropy is 0 to 16, have 17"},
		{closed, runtime.Sampler{}, "the device is closed"},
		{nil, runtime.Sampler{}, "no device: the *Device is nil"},
	} {
		if _, err := tt.dev.SamplerRef(tt.s); err == nil || err.Error() != "SamplerRef: "+tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := runtime.Upload(dev, []material{{}}); err == nil || !strings.Contains(err.Error(), "use UploadArguments") {
		t.Errorf("Upload returns %v", err)
	}
}

func TestCallsWithTexturesInMemoryAllocateNothing(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	color := texture2D(t, dev, runtime.RGBA8Unorm, runtime.TextureOptions{})
	s, err := dev.SamplerRef(runtime.Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	m := material{Color: color.Ref(), S: s}
	materials := uploadMaterials(t, dev, m, m)
	b := dev.NewBatch()
	if n := testing.AllocsPerRun(100, func() {
		if err := shading(b, materials, m); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}
