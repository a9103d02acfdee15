//go:build linux && (amd64 || arm64)

package fakemetal_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func privateBuffer(t *testing.T, dev *runtime.Device, n int) runtime.Buffer[float32] {
	t.Helper()
	b, err := runtime.NewPrivateBuffer[float32](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

func TestABatchCopiesFromTheProgramInOrderWithItsCalls(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 3, 100, 16 << 10, 16<<10 + 1, 100_000} { // 64 KB are 16<<10 elements
			private, out := privateBuffer(t, dev, n+1), privateBuffer(t, dev, n+1)
			seen, err := runtime.NewBuffer[float32](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			host := ones(n)
			b := dev.NewBatch()
			b.Keep()
			for range 2 { // the second takes the place of the first
				runtime.CopyFrom(b, private.Slice(1, n+1), host)
				scaled(b, private.Slice(1, n+1), out.Slice(1, n+1), 2, n)
				for i := range host {
					host[i] += float32(i % 5)
				}
			}
			runtime.Copy(b, seen, out.Slice(1, n+1))
			clear(host)
			for range 2 {
				clear(seen.Data())
				mustRun(t, b)
				for i, v := range seen.Data() {
					if want := 2 * float32(1+i%5); v != want {
						t.Fatalf("%d elements: [%d] is %v, want %v", n, i, v, want)
					}
				}
			}
			b.Reset()
			seen.Free()
		}
	})
}

// texelsOf returns random texels of all levels of a texture.
func texelsOf[F runtime.TextureForm](tex runtime.Texture[F], slices int) (levels [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for l := range tex.Levels() {
		w, h, d := max(tex.Width()>>l, 1), max(tex.Height()>>l, 1), max(tex.Depth()>>l, 1)
		texels := make([]byte, w*h*d*slices*tex.Format().BytesPerTexel())
		for i := range texels {
			texels[i] = byte(1 + r.IntN(255))
		}
		levels = append(levels, texels)
	}
	return levels
}

// checkTexels copies texels to all levels of a new texture, twice to the first one.
func checkTexels[F runtime.TextureForm](
	t *testing.T, dev *runtime.Device,
	newTexture func(
		*runtime.Device, runtime.TextureSize, runtime.PixelFormat, runtime.TextureOptions,
	) (runtime.Texture[F], error),
	size runtime.TextureSize, slices int, format runtime.PixelFormat, o runtime.TextureOptions,
) {
	t.Helper()
	tex, err := newTexture(dev, size, format, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tex.Free()
	levels := texelsOf(tex, slices)
	nines := bytes.Repeat([]byte{9}, len(levels[0]))
	if err := tex.Write(runtime.Region{}, nines); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want func(level int) []byte) {
		t.Helper()
		for level := range levels {
			got := make([]byte, len(levels[level]))
			if err := tex.Read(runtime.Region{Level: level}, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want(level)) {
				t.Errorf("%v, %s: level %d is %v, want %v", tex, when, level, got, want(level))
			}
		}
	}
	check("before the copy", func(level int) []byte {
		if level == 0 {
			return nines
		}
		return make([]byte, len(levels[level]))
	})
	given := texelsOf(tex, slices)
	b := dev.NewBatch()
	runtime.CopyTexels(b, tex, nines)
	runtime.CopyTexels(b, tex, given...)
	for _, l := range given { // the batch has copied them
		clear(l)
	}
	mustRun(t, b)
	check("after the copy", func(level int) []byte { return levels[level] })
}

func TestABatchCopiesAllSlicesAndLevelsOfATexture(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, private := range []bool{false, true} {
			all := runtime.TextureOptions{Levels: runtime.AllLevels, Private: private}
			one := runtime.TextureOptions{Private: private}
			for _, f := range []runtime.PixelFormat{runtime.R8Unorm, runtime.RGBA32Uint} {
				checkTexels(t, dev, runtime.NewTexture[runtime.Texture1D], runtime.TextureSize{Width: 9}, 1, f, one)
				checkTexels(t, dev, runtime.NewTexture[runtime.Texture2D],
					runtime.TextureSize{Width: 9, Height: 6}, 1, f, all)
				checkTexels(t, dev, runtime.NewTexture[runtime.Texture2DArray],
					runtime.TextureSize{Width: 9, Height: 6, Length: 3}, 3, f, all)
				checkTexels(t, dev, runtime.NewTexture[runtime.TextureCube], runtime.TextureSize{Width: 8}, 6, f, all)
				checkTexels(t, dev, runtime.NewTexture[runtime.Texture3D],
					runtime.TextureSize{Width: 5, Height: 4, Depth: 3}, 1, f, all)
			}
		}
	})
}

// All slices and levels of a texture go through one blit encoder, and so do the textures of calls one after the other.
func TestTexelsAreCopiedWithOneEncoder(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	before := log.Counts()
	o := runtime.TextureOptions{Levels: 3, Private: true}
	a, err := runtime.NewTexture[runtime.Texture2DArray](dev, runtime.TextureSize{Width: 9, Height: 6, Length: 3},
		runtime.R8Unorm, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := log.Counts().CommandBuffers - before.CommandBuffers; n != 1 {
		t.Errorf("to clear a texture took %d command buffers", n)
	}
	c, err := runtime.NewTexture[runtime.TextureCube](dev, runtime.TextureSize{Width: 8}, runtime.RGBA8Unorm, o)
	if err != nil {
		t.Fatal(err)
	}
	b := dev.NewBatch()
	x := upload(t, dev, 1, 2)
	for range 2 {
		scaled(b, x, x, 2, 2)
		runtime.CopyTexels(b, a, texelsOf(a, 3)...)
		runtime.CopyTexels(b, c, texelsOf(c, 6)...)
	}
	scaled(b, x, x, 2, 2)
	before = log.Counts()
	mustRun(t, b)
	if n := log.Counts().CommandBuffers - before.CommandBuffers; n != 5 {
		t.Errorf("%d command buffers, want 5", n)
	}
	if want := []float32{8, 16}; !slices.Equal(x.Data(), want) {
		t.Errorf("%v, want %v", x.Data(), want)
	}
	if err := a.Write(runtime.Region{}, make([]byte, 9*6*3)); err != nil {
		t.Fatal(err)
	}
	if n := log.Counts().CommandBuffers - before.CommandBuffers; n != 6 {
		t.Errorf("to write three slices took %d command buffers", n-5)
	}
}

func TestMistakesWithCopiesFromTheProgram(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		cpu, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer cpu.Close()
		texture := func(d *runtime.Device) runtime.Texture2D {
			tex, err := runtime.NewTexture2D(d, 4, 4, runtime.R8Unorm, runtime.TextureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return tex
		}
		tex, freedTexture := texture(dev), texture(dev)
		freedTexture.Free()
		x, freed := upload(t, dev, 1, 2, 3), upload(t, dev, 1)
		freed.Free()
		over, err := runtime.Cast[byte](privateBuffer(t, dev, 1024)).Texture2D(4, 4, runtime.R8Unorm, 256)
		if err != nil {
			t.Fatal(err)
		}
		args, err := runtime.NewBuffer[leadArgs](dev, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := dev.NewBatch()
		sixteen := make([]byte, 16)
		var zero runtime.Buffer[float32]
		to := func(tex runtime.Texture2D, levels ...[]byte) func() {
			return func() { runtime.CopyTexels(b, tex, levels...) }
		}
		from := func(to runtime.Buffer[float32], n int) func() {
			return func() { runtime.CopyFrom(b, to, ones(n)) }
		}
		late := func(record func()) func() {
			return func() { b.Submit(); record() }
		}
		for name, c := range map[string]struct {
			record func()
			kernel string
			want   error
		}{
			"too short":           {from(x, 4), "CopyFrom", runtime.ErrTooShort},
			"freed":               {from(freed, 1), "CopyFrom", runtime.ErrFreed},
			"zero":                {from(zero, 1), "CopyFrom", runtime.ErrNilBuffer},
			"references":          {func() { runtime.CopyFrom(b, args, []leadArgs{{}}) }, "CopyFrom", nil},
			"too late":            {late(from(x, 1)), "CopyFrom", runtime.ErrSubmitted},
			"zero texture":        {to(runtime.Texture2D{}, sixteen), "CopyTexels", runtime.ErrNilTexture},
			"freed texture":       {to(freedTexture, sixteen), "CopyTexels", runtime.ErrFreed},
			"texture of another":  {to(texture(cpu), sixteen), "CopyTexels", runtime.ErrOtherDevice},
			"too few texels":      {to(tex, sixteen[1:]), "CopyTexels", nil},
			"too many levels":     {to(tex, sixteen, sixteen[:4]), "CopyTexels", nil},
			"texture over buffer": {to(over, sixteen), "CopyTexels", nil},
			"texels too late":     {late(to(tex, sixteen)), "CopyTexels", runtime.ErrSubmitted},
		} {
			c.record()
			err := b.Submit()
			if err == nil || errors.Is(err, runtime.ErrSubmitted) {
				err = b.Wait(t.Context())
			}
			var kernel string
			if e, ok := errors.AsType[*runtime.ArgError](err); ok {
				kernel = e.Kernel
			} else if e, ok := errors.AsType[*runtime.CallError](err); ok {
				kernel = e.Kernel
			}
			if kernel != c.kernel || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s: got %v, want %s: %v", name, err, c.kernel, c.want)
			}
		}
		runtime.CopyFrom(b, x, nil)
		runtime.CopyTexels(b, tex)
		mustRun(t, b)
		if want := []float32{1, 2, 3}; !slices.Equal(x.Data(), want) {
			t.Errorf("%v, want %v", x.Data(), want)
		}
	})
}

func TestCopiesFromTheProgramHaveTimesAndProgress(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		tex, err := runtime.NewTexture2D(dev, 4, 4, runtime.R8Unorm, runtime.TextureOptions{Private: true})
		if err != nil {
			t.Fatal(err)
		}
		x := upload(t, dev, 1, 2, 3)
		b := dev.NewBatch()
		runtime.CopyFrom(b, x, ones(3))
		runtime.CopyTexels(b, tex, make([]byte, 16))
		runtime.CopyTexels(b, tex, make([]byte, 16))
		scaled(b, x, x, 2, 3)
		last := [2]int{}
		progress := runtime.WithProgress(func(done, total int) { last = [2]int{done, total} })
		if err := b.Run(t.Context(), progress); err != nil {
			t.Fatal(err)
		}
		if last != [2]int{4, 4} {
			t.Errorf("progress ends as %v", last)
		}
	})
	dev, _ := fakemetal.Open(t, fakemetal.Options{Runtime: runtime.Options{Times: true}})
	tex, err := runtime.NewTexture2D(dev, 4, 4, runtime.R8Unorm, runtime.TextureOptions{Private: true})
	if err != nil {
		t.Fatal(err)
	}
	x := upload(t, dev, 1, 2, 3)
	b := dev.NewBatch()
	runtime.CopyFrom(b, x, ones(3))
	runtime.CopyTexels(b, tex, make([]byte, 16))
	runtime.CopyTexels(b, tex, make([]byte, 16))
	mustRun(t, b)
	var names []string
	var sizes, calls []int
	for _, d := range b.Result().Dispatches() {
		names, sizes, calls = append(names, d.Kernel), append(sizes, d.Bytes), append(calls, d.Call.Number)
	}
	if !slices.Equal(names, []string{"Copy", "CopyTexels", "CopyTexels"}) || !slices.Equal(sizes, []int{24, 16, 16}) ||
		!slices.Equal(calls, []int{1, 2, 3}) {
		t.Errorf("%v of %v bytes, calls %v", names, sizes, calls)
	}
}

// In the steady state copies of a few values allocate nothing. To be told of its end costs a batch of Metal the same
// with copies and without.
func TestCopiesFromTheProgramAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	check := func(t *testing.T, dev *runtime.Device) {
		x, host := privateBuffer(t, dev, 1000), ones(1000)
		tex, err := runtime.NewTexture2D(dev, 8, 8, runtime.R32Float, runtime.TextureOptions{Levels: runtime.AllLevels})
		if err != nil {
			t.Fatal(err)
		}
		levels := texelsOf(tex, 1)
		b := dev.NewBatch()
		allocations := func(copies int) float64 {
			step := func() {
				for range copies {
					runtime.CopyFrom(b, x, host)
					runtime.CopyTexels(b, tex, levels...)
				}
				scaled(b, x, x, 2, 1000)
				err = errors.Join(err, b.Run(context.Background()))
			}
			step() // makes what is kept
			return testing.AllocsPerRun(20, step)
		}
		if without, with := allocations(0), allocations(5); with > without || err != nil {
			t.Errorf("%v allocations without copies, %v with them; %v", without, with, err)
		}
	}
	t.Run("cpu", func(t *testing.T) {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Lines: runtime.LinesNever})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		check(t, dev)
	})
	t.Run("metal", func(t *testing.T) {
		o := fakemetal.Options{Empty: true, Runtime: runtime.Options{Lines: runtime.LinesNever}}
		dev, _ := fakemetal.Open(t, o)
		check(t, dev)
	})
}
