package texelcode

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/exec"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texel"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// The arguments of conversions: the components of texels, and the texels.
const (
	components = 0
	texels     = 4
)

type (
	floats = [lanes.Width]float32
	words  = [lanes.Width]uint32
)

// conversions makes what converts texels.
func (k *maker) conversions(t *lanes.Texels) {
	t.FromUnorm = from[floats, [4 * lanes.Width]byte](k.make(decode(pixel.RGBA8Unorm), 0))
	t.ToUnorm = to[floats, [4 * lanes.Width]byte](k.make(encode(pixel.RGBA8Unorm), 0))
	t.FromHalf = from[floats, [8 * lanes.Width]byte](k.make(decode(pixel.RGBA16Float), 0))
	t.ToHalf = to[floats, [8 * lanes.Width]byte](k.make(encode(pixel.RGBA16Float), 0))
	t.FromWords = from[words, [16 * lanes.Width]byte](k.make(decode(pixel.RGBA32Uint), 0))
	t.ToWords = to[words, [16 * lanes.Width]byte](k.make(encode(pixel.RGBA32Uint), 0))
}

// from and to make conversions of code.
func from[T, B any](code *exec.Code) func(x, y, z, w *T, texels *B) {
	return func(x, y, z, w *T, texels *B) {
		var args arguments
		set(&args, x, y, z, w, texels)
		code.Call(0, unsafe.Pointer(&args))
	}
}

func to[T, B any](code *exec.Code) func(texels *B, x, y, z, w *T) {
	convert := from[T, B](code)
	return func(texels *B, x, y, z, w *T) { convert(x, y, z, w, texels) }
}

// set sets the arguments of a conversion. It does so one by one: what is copied at once is late for the code.
func set[T, B any](args *arguments, x, y, z, w *T, texels *B) {
	args.at[0], args.at[1] = unsafe.Pointer(x), unsafe.Pointer(y)
	args.at[2], args.at[3] = unsafe.Pointer(z), unsafe.Pointer(w)
	args.at[4] = unsafe.Pointer(texels)
}

// access returns how code reaches the texels of a format.
func (w *writer) access(f pixel.Format) *texel.Access {
	return &texel.Access{
		Writer: texel.Writer{
			Make: w.make, Emit: func(in vcode.Instr) { w.code = append(w.code, in) }, Keep: func(r reg) reg { return r },
			Word: w.word,
		},
		Layout: texel.Of(f), Parts: w.t.Parts(), Lanes: w.t.Lanes,
	}
}

// decode returns what writes a conversion from texels of a format, encode one to them.
func decode(f pixel.Format) func(w *writer) {
	return func(w *writer) {
		rows, from, a := w.arguments(components, 4), w.argument(texels), w.access(f)
		w.parts(func(part int, at int64) {
			words := a.Load(texel.Row{At: from}, part)
			for c, row := range rows {
				w.store(row, at, a.Decode(&a.Writer, words, c))
			}
		})
	}
}

func encode(f pixel.Format) func(w *writer) {
	return func(w *writer) {
		rows, to, a := w.arguments(components, 4), w.argument(texels), w.access(f)
		w.parts(func(part int, at int64) {
			var values [4]reg
			for c, row := range rows {
				values[c] = w.load(row, at)
			}
			a.Store(texel.Row{At: to}, part, a.Encode(&a.Writer, values))
		})
	}
}
