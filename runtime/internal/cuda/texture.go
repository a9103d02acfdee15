package cuda

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// texture is texels in device memory, laid out as the CPU device lays them out, or a view of them.
type texture struct {
	device *Device
	memory *memory // nil of a view: another texture has it
	spec   driver.TextureSpec
	base   uint64 // of what offsets of levels count from
	levels []sample.Level
	once   sync.Once // for id
	id     uint64
}

// NewTexture allocates device memory.
func (d *Device) NewTexture(spec driver.TextureSpec) (driver.Texture, error) {
	levels, size := sample.Pack(&spec, spec.Format.Info().Size)
	m, err := d.NewMemory(size, driver.StoragePrivate)
	if err != nil {
		return nil, err
	}
	return &texture{device: d, memory: m.(*memory), spec: spec, base: at(m, 0), levels: levels}, nil
}

// linearAlign is what the rows of textures over memory are aligned to, as on Apple's GPUs.
const linearAlign = 16

// NewTextureOver makes a texture of memory.
func (d *Device) NewTextureOver(
	m driver.Memory, offset, rowBytes int, spec driver.TextureSpec,
) (driver.Texture, error) {
	if offset%linearAlign != 0 || rowBytes%linearAlign != 0 && spec.Height > 1 {
		return nil, fmt.Errorf("want rows and an offset in the buffer that are multiples of %d bytes, have %d and %d",
			linearAlign, rowBytes, offset)
	}
	return &texture{device: d, spec: spec, base: at(m, offset), levels: []sample.Level{{
		Width: spec.Width, Height: spec.Height, Depth: 1, Row: rowBytes, Slice: rowBytes * spec.Height,
	}}}, nil
}

// View returns a texture of the same memory.
func (t *texture) View(v driver.TextureView) (driver.Texture, error) {
	view := &texture{device: t.device, spec: t.spec, base: t.base}
	view.spec.Type, view.spec.Format = v.Type, v.Format
	view.spec.Width, view.spec.Height, view.spec.Depth = t.spec.Extent(v.Level)
	view.spec.Levels, view.spec.Length = v.Levels, v.Slices/v.Type.Faces()
	for _, l := range t.levels[v.Level:][:v.Levels] {
		l.Offset += v.Slice * l.Slice * l.Depth
		view.levels = append(view.levels, l)
	}
	return view, nil
}

// IDs of textures are where the systems put no memory: far above what programs begin with, and far below the rest.
const (
	firstID = 1 << 46
	idStep  = 16
)

// ID returns the ID of the texture, which is the address of no memory.
func (t *texture) ID() uint64 {
	t.once.Do(func() { t.id = firstID + t.device.textures.Add(1)*idStep })
	return t.id
}

// Free releases the memory.
func (t *texture) Free() {
	if t.memory != nil {
		t.memory.Free()
	}
}

// Write copies rows of texels.
func (t *texture) Write(to driver.Region, bytes []byte) error {
	return t.move(&to, len(bytes), func(host []byte) { copy(host, bytes) }, false)
}

// Read copies rows of texels.
func (t *texture) Read(from driver.Region, bytes []byte) error {
	return t.move(&from, len(bytes), func(host []byte) { copy(bytes, host) }, true)
}

// move copies between the rows of a region and memory of the host, which do fills or reads.
func (t *texture) move(r *driver.Region, size int, do func(host []byte), out bool) error {
	d := t.device
	made, err := d.NewMemory(size, driver.StorageShared|driver.StorageOverwritten)
	if err != nil {
		return err
	}
	defer made.Free()
	host := made.(*memory)
	if !out {
		do(host.Bytes())
	}
	at := uint64(uintptr(host.host))
	err = d.try(func() (string, libcuda.Result) {
		for start, length := range t.runs(r) {
			to, from := t.base+uint64(start), at
			if out {
				to, from = from, to
			}
			if result := d.lib.MemcpyAsync(to, from, length, d.stream); result != libcuda.Success {
				return "cuMemcpyAsync", result
			}
			at += uint64(length)
		}
		return "cuStreamSynchronize", d.lib.StreamSynchronize(d.stream)
	})
	if err == nil && out {
		do(host.Bytes())
	}
	return err
}

// runs returns where the texels of a region lie side by side, and how many bytes: rows, or planes where rows are whole.
func (t *texture) runs(r *driver.Region) func(yield func(start, length int) bool) {
	return func(yield func(start, length int) bool) {
		l := &t.levels[r.Level]
		size := t.spec.Format.Info().Size * t.spec.Samples
		rows, length := r.Height, r.Width*size
		if length == l.Row {
			rows, length = 1, length*r.Height
		}
		for slice := r.Slice; slice < r.Slice+r.Count(); slice++ {
			for z := range r.Depth {
				for y := range rows {
					start := l.Offset + (slice*l.Depth+r.Z+z)*l.Slice + (r.Y+y)*l.Row + r.X*size
					if !yield(start, length) {
						return
					}
				}
			}
		}
	}
}

// SamplerID returns the ID of a sampler.
func (d *Device) SamplerID(s bind.Sampler) (uint64, error) { return d.samplers.ID(s), nil }

// UploadTexels keeps copies of bytes to whole levels, which lie there as they come.
func (r *recorder) UploadTexels(to driver.Texture, levels [][]byte) error {
	t := to.(*texture)
	for i, bytes := range levels {
		if err := r.upload(t.base+uint64(t.levels[i].Offset), bytes); err != nil {
			return err
		}
	}
	return nil
}

// shown is what the text of a kernel has to know of the textures and the samplers of a call.
type shown struct {
	textures map[int]abi.Texture // by the objects of the kernel
	samplers map[int]bind.Sampler
	found    []abi.Texture // that pointers in memory may lead to
	all      []bind.Sampler
}

// shown returns what there is to know of a call, and a key that is another one where any of it is.
func (k *kernel) shown(from *driver.Dispatch) (key string, s shown) {
	if !k.shows && !k.finds {
		return "", s
	}
	s.textures, s.samplers = map[int]abi.Texture{}, map[int]bind.Sampler{}
	for n, o := range k.ir.Objects {
		if t := textureOf(o, from); t != nil {
			seen := t.seen()
			seen.Reads, seen.Writes = true, true // as the caller has checked
			seen.Atomics = seen.Atomics || !k.counts
			s.textures[n] = seen
		}
		if sampler, ok := samplerOf(o, from); ok {
			s.samplers[n] = sampler
		}
	}
	if k.finds {
		for t := range k.reached(from) {
			if seen := t.seen(); !slices.Contains(s.found, seen) {
				s.found = append(s.found, seen)
			}
		}
		slices.SortFunc(s.found, func(a, b abi.Texture) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		s.all = k.device.samplers.All()
	}
	return fmt.Sprint(s), s // maps are printed in the order of their keys
}

// reached returns the textures that a kernel may find in memory.
func (k *kernel) reached(from *driver.Dispatch) iter.Seq2[*texture, string] {
	return func(yield func(t *texture, name string) bool) {
		for n := range from.Resources {
			if t, ok := from.Resources[n].Texture.(*texture); ok && !yield(t, from.Resources[n].Name()) {
				return
			}
		}
		for n := range from.Textures { // which it may store
			if t := from.Textures[n].Texture.(*texture); !yield(t, from.Textures[n].Arg.Name) {
				return
			}
		}
	}
}

// seen is what the text knows of a texture.
func (t *texture) seen() abi.Texture {
	made := func(u driver.TextureUsage) bool { return t.spec.Usage == 0 || t.spec.Usage&u != 0 }
	return abi.Texture{Type: t.spec.Type, Format: t.spec.Format, Levels: len(t.levels), Reads: made(driver.TextureRead),
		Writes: made(driver.TextureWrite), Atomics: made(driver.TextureAtomic)}
}

// textureOf returns the texture of a call for an object, nil where there is none.
func textureOf(o *ir.Object, from *driver.Dispatch) *texture {
	if o == nil || o.Kind != ir.TextureArgument {
		return nil
	}
	for i := range from.Textures {
		if t := &from.Textures[i]; t.Arg.Index == o.Index && t.Element == o.Element {
			return t.Texture.(*texture)
		}
	}
	return nil
}

// samplerOf returns the sampler of a call, or of the source, for an object.
func samplerOf(o *ir.Object, from *driver.Dispatch) (bind.Sampler, bool) {
	switch {
	case o == nil:
	case o.Sampler != nil:
		return ptx.SamplerOf(o.Sampler), true
	case o.Kind == ir.SamplerArgument:
		for i := range from.Samplers {
			if s := &from.Samplers[i]; s.Arg.Index == o.Index && s.Element == o.Element {
				return s.Sampler, true
			}
		}
	}
	return bind.Sampler{}, false
}

// bindTexture fills a field of the block of parameters.
func (i *item) bindTexture(to []byte, object int, from *driver.Dispatch) {
	t := textureOf(i.Kernel.Objects[object], from)
	t.put(to)
	if i.textures == nil {
		i.textures = map[int]*texture{}
	}
	i.textures[object] = t
}

// put writes what kernels have to know of the texture.
func (t *texture) put(to []byte) {
	levels := make([]abi.Level, len(t.levels))
	for n, l := range t.levels {
		levels[n] = abi.Level{Address: t.base + uint64(l.Offset), Slice: uint64(l.Slice),
			Size: [3]uint32{uint32(l.Width), uint32(l.Height), uint32(l.Depth)}, Row: uint32(l.Row)}
	}
	abi.PutTexture(to, t.spec.Length, t.spec.Samples, levels)
}

// bindHandle fills a field with the ID of a texture or a sampler: 0 of one that the call leaves out.
func (k *kernel) bindHandle(to []byte, object int, from *driver.Dispatch) {
	o, id := k.ir.Objects[object], uint64(0)
	if t := textureOf(o, from); t != nil {
		id = t.ID()
	} else if s, ok := samplerOf(o, from); ok {
		id = k.device.samplers.ID(s)
	}
	binary.LittleEndian.PutUint64(to, id)
}
