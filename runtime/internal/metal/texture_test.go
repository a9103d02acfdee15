//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestTexturesHoldAndComputeWhatTheyShould(t *testing.T) {
	for _, o := range []metaltest.Options{{}, {Discrete: true}, {Integrated: true}} {
		t.Run(fmt.Sprintf("discrete %v, integrated %v", o.Discrete, o.Integrated), func(t *testing.T) {
			checkTextures(t, metaltest.Watch(start(t, o)))
			if n := metaltest.Count(); n.Needless != 0 || (n.Barriers > 0) == o.Discrete {
				t.Errorf("%+v", n)
			}
		})
	}
}

// TestBarriersStandWhereTexelsMeet counts those of a batch; the fake finds any that is missing.
func TestBarriersStandWhereTexelsMeet(t *testing.T) {
	d := start(t, metaltest.Options{})
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 8, Height: 8, Levels: 2}
	a, b := textureOf(t, d, spec), textureOf(t, d, spec)
	level := func(tex driver.Texture, n int) driver.Texture {
		v, err := tex.View(driver.TextureView{Type: bind.Texture2D, Format: pixel.R32Float, Level: n, Levels: 1, Slices: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(v.Free)
		return v
	}
	a0, a1, b0, b1 := level(a, 0), level(a, 1), level(b, 0), level(b, 1)
	shift := func(to, from driver.Texture) any { return shifted(to, from, bind.Sampler{}, 4, 4) }
	for _, c := range []struct {
		name     string
		steps    []any
		barriers uint64
	}{
		{"two that read one", []any{shift(b0, a0), shift(b1, a0)}, 0},
		{"one that reads what another wrote", []any{shift(b0, a0), shift(a1, b0)}, 1},
		{"another level of what was written", []any{shift(b0, a0), shift(a1, b1)}, 0},
		{"all levels of what was written in part", []any{shift(b1, a0), shift(a0, b)}, 1},
		{"one that writes what another reads", []any{shift(b0, a0), shift(a0, b1)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			metaltest.ResetLog()
			if err := batch(t, d, func(r driver.Recorder) error { return all(r, c.steps...) }); err != nil {
				t.Fatal(err)
			}
			if n := metaltest.Count(); n.Barriers != c.barriers || n.Needless != 0 {
				t.Errorf("%d barriers, %d of them needless; want %d", n.Barriers, n.Needless, c.barriers)
			}
		})
	}
}

// TestTexturesAreSetOnceWhileTheyStay counts the messages of a batch.
func TestTexturesAreSetOnceWhileTheyStay(t *testing.T) {
	d := start(t, metaltest.Options{})
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 8, Height: 8}
	a, b := textureOf(t, d, spec), textureOf(t, d, spec)
	metaltest.ResetLog()
	err := batch(t, d, func(r driver.Recorder) error {
		return all(r, shifted(b, a, bind.Sampler{}, 8, 8), shifted(b, a, bind.Sampler{}, 8, 8),
			shifted(a, b, bind.Sampler{Min: bind.Linear}, 8, 8))
	})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range metaltest.Log() {
		count[m.Selector]++
	}
	for selector, want := range map[string]int{
		"setTextures:withRange:": 2, "setSamplerStates:withRange:": 2, "setComputePipelineState:": 1,
	} {
		if count[selector] != want {
			t.Errorf("%s %d times, want %d", selector, count[selector], want)
		}
	}
}

func TestTexturesThatMetalDoesNotMakeAreErrors(t *testing.T) {
	d := start(t, metaltest.Options{})
	metaltest.Fail(metaltest.OutOfMemory, metaltest.Fault{})
	_, err := d.NewTexture(driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R8Unorm, Width: 4, Height: 4, Depth: 1,
		Length: 1, Levels: 1, Samples: 1, Usage: driver.TextureRead})
	if err == nil || !strings.Contains(err.Error(), "has no memory for the texture") {
		t.Error(err)
	}
	words := memoryOf(t, d, 256, driver.StorageShared)
	_, err = d.NewTextureOver(words, 8, 16, driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R8Unorm, Width: 4,
		Height: 4, Depth: 1, Length: 1, Levels: 1, Samples: 1, Usage: driver.TextureRead})
	if err == nil || err.Error() != "need rows and an offset in the buffer that are multiples of 16 bytes, have 16 and 8" {
		t.Error(err)
	}
}

// TestDriftOfTextures changes what the generated code says of a kernel.
func TestDriftOfTextures(t *testing.T) {
	d := start(t, metaltest.Options{})
	for _, c := range []struct {
		change func(k *driver.Kernel)
		want   string
	}{
		{func(*driver.Kernel) {}, ""},
		{func(k *driver.Kernel) { k.Textures[0].Texture = bind.TextureCube },
			"the generated code says it is a cube texture, Metal says it is a 2D texture"},
		{func(k *driver.Kernel) { k.Textures[0].Texels = bind.UintTexels },
			"the generated code says it has uint texels, Metal says it has texels of float"},
		{func(k *driver.Kernel) { k.Textures[0].Texels = bind.DepthTexels },
			"the generated code says it is a depth texture, Metal says it is no depth texture"},
		{func(k *driver.Kernel) { k.Textures[0].Count = 2 },
			"the generated code says it is an array of 2, Metal says it is an array of 1"},
		{func(k *driver.Kernel) { k.Textures[1].Index, k.Textures[0].Index = 0, 1 },
			"the generated code says texture 1 is from, Metal says texture 0 is from"},
		{func(k *driver.Kernel) { k.Textures[1].Writes, k.Textures[1].Reads = false, true },
			"the generated code says it is read only, Metal says it is written"},
		{func(k *driver.Kernel) { k.Samplers = nil },
			"the generated code says sampler 0 is not used, Metal says sampler 0 is s"},
	} {
		k := shiftKernel
		from, to := *k.Textures[0], *k.Textures[1]
		k.Textures = []*driver.Arg{&from, &to}
		c.change(&k)
		err := d.Prepare(&k, nil)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if _, ok := errors.AsType[*driver.DriftError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// Metal has no texture over bytes that end with its last texel: it wants the rest of the row, too.
func TestTexturesFitOverTheLastBytesOfABuffer(t *testing.T) {
	for _, m := range []metaltest.Machine{metaltest.M1, metaltest.Intel} {
		for _, storage := range []driver.Storage{driver.StorageShared, driver.StoragePrivate} {
			t.Run(fmt.Sprint(m, storage), func(t *testing.T) {
				d := start(t, metaltest.Options{Machine: m})
				for _, size := range []int{1, 100, 256, 257, 1000} {
					tex, err := d.NewTextureOver(memoryOf(t, d, size, storage), 0, size, linear(bind.TextureBuffer, size, 1))
					if err != nil {
						t.Errorf("%d bytes: %v", size, err)
						continue
					}
					tex.Free()
				}
				rows := memoryOf(t, d, 1024, storage)
				tex, err := d.NewTextureOver(rows, 256, 256, linear(bind.Texture2D, 200, 3))
				if err != nil {
					t.Fatal(err)
				}
				tex.Free()
				const want = "need 3 whole rows of 512 bytes, have 1024 bytes from the offset on"
				if _, err := d.NewTextureOver(rows, 0, 512, linear(bind.Texture2D, 1, 3)); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			})
		}
	}
}

// linear returns the spec of a texture over a buffer, with texels of one byte.
func linear(form bind.TextureType, width, height int) driver.TextureSpec {
	return driver.TextureSpec{Type: form, Format: pixel.R8Uint, Width: width, Height: height, Depth: 1,
		Length: 1, Levels: 1,
		Samples: 1, Usage: driver.TextureRead}
}

// A view with the curve of sRGB, or without, needs no option of the texture. GPUs that are not Apple's have to be told.
func TestTexturesMayBeViewedWithTheCurveOfSRGB(t *testing.T) {
	for m, want := range map[metaltest.Machine]string{
		metaltest.M1: "setUsage: 1", metaltest.VirtualARM: "setUsage: 1", metaltest.Intel: "setUsage: 17",
		metaltest.VirtualIntel: "setUsage: 17",
	} {
		t.Run(m.String(), func(t *testing.T) {
			d := start(t, metaltest.Options{Machine: m})
			for _, f := range [][2]pixel.Format{
				{pixel.RGBA8Unorm, pixel.RGBA8Unorm_sRGB}, {pixel.BGRA8Unorm_sRGB, pixel.BGRA8Unorm},
			} {
				tex := textureOf(t, d, driver.TextureSpec{
					Type: bind.Texture2D, Format: f[0], Width: 4, Height: 4, Usage: driver.TextureRead,
				})
				v, err := tex.View(driver.TextureView{Type: bind.Texture2D, Format: f[1], Levels: 1, Slices: 1})
				if err != nil {
					t.Fatal(err)
				}
				v.Free()
			}
			textureOf(t, d, driver.TextureSpec{ // which has no such view
				Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4, Usage: driver.TextureRead,
			})
			var usages []string
			for _, text := range sentTo("MTLTextureDescriptor") {
				if strings.HasPrefix(text, "setUsage:") {
					usages = append(usages, text)
				}
			}
			if all := []string{want, want, "setUsage: 1"}; !slices.Equal(usages, all) {
				t.Errorf("%q, want %q", usages, all)
			}
		})
	}
}
