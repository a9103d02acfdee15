package cuda

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
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

// ID returns 0: kernels do not find textures in memory yet.
func (t *texture) ID() uint64 { return 0 }

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

// SamplerID is not supported.
func (d *Device) SamplerID(bind.Sampler) (uint64, error) {
	return 0, fmt.Errorf("the CUDA device does not support samplers in memory yet: %w", errors.ErrUnsupported)
}

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

// shown returns what the text of a kernel has to know of the textures and the samplers of a call, by its objects, and
// a key that is another one where any of it is.
func (k *kernel) shown(
	from *driver.Dispatch,
) (key string, textures map[int]abi.Texture, samplers map[int]bind.Sampler) {
	if !k.shows {
		return "", nil, nil
	}
	textures, samplers = map[int]abi.Texture{}, map[int]bind.Sampler{}
	for n, o := range k.ir.Objects {
		if t := textureOf(o, from); t != nil {
			textures[n] = abi.Texture{Type: t.spec.Type, Format: t.spec.Format, Levels: len(t.levels)}
		}
		if o == nil || o.Kind != ir.SamplerArgument {
			continue
		}
		for i := range from.Samplers {
			if s := &from.Samplers[i]; s.Arg.Index == o.Index && s.Element == o.Element {
				samplers[n] = s.Sampler
			}
		}
	}
	return fmt.Sprint(textures, samplers), textures, samplers // maps are printed in the order of their keys
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

// bindTexture fills a field of the block of parameters.
func (i *item) bindTexture(to []byte, object int, from *driver.Dispatch) {
	t := textureOf(i.Kernel.Objects[object], from)
	levels := make([]abi.Level, len(t.levels))
	for n, l := range t.levels {
		levels[n] = abi.Level{Address: t.base + uint64(l.Offset), Slice: uint64(l.Slice),
			Size: [3]uint32{uint32(l.Width), uint32(l.Height), uint32(l.Depth)}, Row: uint32(l.Row)}
	}
	abi.PutTexture(to, t.spec.Length, t.spec.Samples, levels)
}
