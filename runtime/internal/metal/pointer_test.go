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
	"github.com/metalgen/metalgen/runtime/internal/objc"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestPointersInMemoryLeadWhereTheyShould(t *testing.T) {
	for _, o := range []metaltest.Options{{}, {Discrete: true}, {Integrated: true}} {
		t.Run(fmt.Sprintf("discrete %v, integrated %v", o.Discrete, o.Integrated), func(t *testing.T) {
			checkPointers(t, metaltest.Watch(start(t, o)))
			if n := metaltest.Count(); n.Needless != 0 || (n.Barriers > 0) == o.Discrete {
				t.Errorf("%+v", n)
			}
		})
	}
}

// TestBarriersStandWhereBytesBehindPointersMeet counts those of a batch; the fake finds any that is missing.
func TestBarriersStandWhereBytesBehindPointersMeet(t *testing.T) {
	d := start(t, metaltest.Options{})
	vector := func() driver.Memory { return newMemory(t, d, 4*linkFloats) }
	a, b, c := vector(), vector(), vector()
	table := func() driver.Memory { return newMemory(t, d, 48) }
	along := func(from, to driver.Memory) any {
		m := table()
		return chained(m, 1, link(m, 0, from, to, nil))
	}
	far := func(from, to driver.Memory) any { // behind two pointers
		m, next := table(), table()
		return chained(m, 2, append(link(m, 0, vector(), vector(), next), link(next, 0, from, to, nil)...))
	}
	one := table()
	again := chained(one, 1, link(one, 0, a, b, nil))
	copied := func(to, from driver.Memory) any {
		return [2]driver.Buffer{whole(to, 4*linkFloats), whole(from, 4*linkFloats)}
	}
	image := func() driver.Texture {
		return textureOf(t, d, driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4})
	}
	x, y, z := image(), image(), image()
	picture := func(to, from driver.Texture) any { return pictured(t, d, to, from, bind.Sampler{}, 4, 4) }
	for _, tt := range []struct {
		name     string
		steps    []any
		barriers uint64
	}{
		{"two that read one", []any{along(a, b), along(a, c)}, 0},
		{"one that reads what another wrote", []any{along(a, b), along(b, c)}, 1},
		{"one that writes what another reads", []any{along(a, b), along(c, a)}, 1},
		{"two that write one", []any{along(a, b), along(c, b)}, 1},
		{"another pair", []any{along(a, b), far(c, vector())}, 0},
		{"behind two pointers", []any{far(a, b), along(b, c)}, 1},
		{"through a value", []any{along(a, b), added(a, b, c)}, 1},
		{"two values that read", []any{added(a, a, b), added(a, a, c)}, 0},
		{"a table that both read", []any{again, again}, 1}, // for b, which both write
		{"an argument of its own", []any{copied(a, c), along(a, b), copied(c, b)}, 2},
		{"a table that is written", []any{copied(one, c), copied(table(), one)}, 1},
		{"texels that were written", []any{picture(y, x), picture(z, y)}, 1},
		{"texels that were read", []any{picture(y, x), picture(x, z)}, 1},
		{"two that read texels", []any{picture(y, x), picture(z, x)}, 0},
		{"texels of an argument", []any{picture(y, x), shifted(z, y, bind.Sampler{}, 4, 4)}, 1},
		{"texels and bytes", []any{picture(y, x), along(a, b)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			metaltest.ResetLog()
			if err := batch(t, d, func(r driver.Recorder) error { return all(r, tt.steps...) }); err != nil {
				t.Fatal(err)
			}
			if n := metaltest.Count(); n.Barriers != tt.barriers || n.Needless != 0 {
				t.Errorf("%d barriers, %d of them needless; want %d", n.Barriers, n.Needless, tt.barriers)
			}
		})
	}
}

// TestWhatABatchReachesIsUsedOnce looks at what the encoder is told.
func TestWhatABatchReachesIsUsedOnce(t *testing.T) {
	d := start(t, metaltest.Options{})
	var vectors []driver.Memory
	for range 4 {
		vectors = append(vectors, newMemory(t, d, 4*linkFloats))
	}
	a, b, c, e := vectors[0], vectors[1], vectors[2], vectors[3]
	m := newMemory(t, d, 24)
	reached := link(m, 0, a, b, nil)
	used := func(list ...any) string {
		var names []string
		for _, one := range list {
			switch one := one.(type) {
			case *memory:
				names = append(names, fmt.Sprintf("MTLBuffer#%d", metaltest.Number(uintptr(one.id))))
			case *texture:
				names = append(names, fmt.Sprintf("MTLTexture#%d", metaltest.Number(uintptr(one.id))))
			}
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4}
	x, y := textureOf(t, d, spec), textureOf(t, d, spec)
	for _, tt := range []struct {
		name  string
		steps []any
		want  []string
	}{
		{"nothing", []any{[2]driver.Buffer{whole(a, 16), whole(b, 16)}}, nil},
		{"one", []any{chained(m, 1, reached)}, []string{used(a) + " 1 1", used(b) + " 1 3"}},
		{"twice", []any{chained(m, 1, reached), chained(m, 1, reached)}, []string{used(a) + " 1 1", used(b) + " 1 3"}},
		{"read, and written later", []any{added(a, b, c), added(a, c, b)}, []string{used(a) + " 1 1", used(b, c) + " 2 3"}},
		{"several", []any{added(a, b, c), added(a, b, e)}, []string{used(a, b) + " 2 1", used(c, e) + " 2 3"}},
		{"textures", []any{pictured(t, d, y, x, bind.Sampler{}, 4, 4), added(a, b, c)},
			[]string{used(x, a, b) + " 3 1", used(y, c) + " 2 3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			metaltest.ResetLog()
			if err := batch(t, d, func(r driver.Recorder) error { return all(r, tt.steps...) }); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range metaltest.Log() {
				if strings.HasPrefix(m.Selector, "useResource") {
					got = append(got, strings.Join(m.Args, " "))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDispatchesWithPointersAllocateNothing(t *testing.T) {
	d := start(t, metaltest.Options{Quiet: true})
	a, b, c := newMemory(t, d, 4*linkFloats), newMemory(t, d, 4*linkFloats), newMemory(t, d, 4*linkFloats)
	m := newMemory(t, d, 24)
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4}
	x, y := textureOf(t, d, spec), textureOf(t, d, spec)
	list := []*driver.Dispatch{
		chained(m, 1, link(m, 0, a, b, nil)), added(a, b, c), pictured(t, d, y, x, bind.Sampler{}, 4, 4),
	}
	r := d.newRecorder()
	objc.WithPool(func() {
		s := objc.NewSender()
		defer s.Free()
		encoder := objc.ID(objc.ID(d.queue.Send(testCommandBuffer)).Send(selEncoder, dispatchConcurrent))
		if n := testing.AllocsPerRun(20, func() {
			for _, one := range list {
				if err := r.Record(one); err != nil {
					t.Fatal(err)
				}
			}
			r.reached.send(s, encoder)
			r.Reset()
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
		encoder.Send(selEndEncoding)
	})
}

func TestDevicesWithoutMetal3HaveNoAddresses(t *testing.T) {
	d := start(t, metaltest.Options{Tier1: true})
	m := newMemory(t, d, 64)
	x := textureOf(t, d, driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: 4, Height: 4})
	if at, id := m.Address(), x.ID(); at != 0 || id != 0 || d.Limits().Addresses {
		t.Errorf("memory is at %#x, and a texture has the ID %#x", at, id)
	}
	if id, err := d.SamplerID(bind.Sampler{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a sampler has the ID %#x, %v", id, err)
	}
}

// TestDriftOfPointers changes what the generated code says of kernels.
func TestDriftOfPointers(t *testing.T) {
	d := start(t, metaltest.Options{})
	for _, tt := range []struct {
		kernel driver.Kernel
		field  int
		change func(f *driver.Field)
		want   string
	}{
		{chainKernel, 0, func(*driver.Field) {}, ""},
		{pairKernel, 0, func(*driver.Field) {}, ""},
		{chainKernel, 0, func(f *driver.Field) { f.Type = "device uint*" },
			"from is device uint*, Metal says it is a pointer to float"},
		{chainKernel, 0, func(f *driver.Field) { f.Type = "device Other*" }, ""}, // a name about which nothing is known
		{chainKernel, 1, func(f *driver.Field) { f.Access = bind.Read },
			"to is device float*, read only, Metal says it is a pointer to float, read and written"},
		{chainKernel, 0, func(f *driver.Field) { f.Access = bind.ReadWrite }, ""},
		{chainKernel, 2, func(f *driver.Field) { f.Offset = 24 }, "next is at byte 24, Metal says next is at byte 16"},
		{chainKernel, 2, func(f *driver.Field) { f.Type, f.Access = "ulong", 0 },
			"next is ulong, Metal says it is a pointer to a struct"},
		{pairKernel, 0, func(f *driver.Field) { f.Type = "device half*[2]" },
			"of is device half*[2], Metal says it is an array of 2 pointers to float"},
		{pictureKernel, 0, func(*driver.Field) {}, ""},
		{pictureKernel, 0, func(f *driver.Field) { f.Texture = bind.TextureCube },
			"from: it is a cube texture, Metal says it is a 2D texture"},
		{pictureKernel, 1, func(f *driver.Field) { f.Type, f.Access, f.Texels = "ulong[1]", 0, 0 }, ""}, // arrays of 1
		{pictureKernel, 1, func(f *driver.Field) { f.Texels = bind.UintTexels },
			"to: it has uint texels, Metal says it has texels of float"},
		{pictureKernel, 0, func(f *driver.Field) { f.Type, f.Access, f.Texels = "ulong", 0, 0 },
			"from is ulong, Metal says it is a texture"},
		{pictureKernel, 2, func(f *driver.Field) { f.Type = "ulong" }, "s is ulong, Metal says it is a sampler"},
		{pairKernel, 0, func(f *driver.Field) { f.Type = "device float*[3]" },
			"of is device float*[3], Metal says it is an array of 2 pointers to float"},
	} {
		k := tt.kernel
		args := &k.Buffers
		if len(k.Buffers) == 0 {
			args = &k.Values
		}
		arg := *(*args)[0]
		arg.Fields = slices.Clone(arg.Fields)
		tt.change(&arg.Fields[tt.field])
		*args = []*driver.Arg{&arg}
		err := d.Prepare(&k, nil)
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if _, ok := errors.AsType[*driver.DriftError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}
