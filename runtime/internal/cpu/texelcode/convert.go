package texelcode

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// The arguments of conversions: the components of texels, and the texels.
const (
	components = 0
	texels     = 4
)

// conversions makes what converts texels.
func (k *maker) conversions(t *lanes.Texels) {
	fromUnorm, toUnorm := k.make(fromUnorm, 0), k.make(toUnorm, 0)
	fromHalf, toHalf := k.make(fromHalf, 0), k.make(toHalf, 0)
	fromWords, toWords := k.make(fromWords, 0), k.make(toWords, 0)
	t.FromUnorm = func(x, y, z, w *[lanes.Width]float32, texels *[4 * lanes.Width]byte) {
		var args arguments
		set(&args, x, y, z, w, texels)
		fromUnorm.Call(0, unsafe.Pointer(&args))
	}
	t.ToUnorm = func(texels *[4 * lanes.Width]byte, x, y, z, w *[lanes.Width]float32) {
		var args arguments
		set(&args, x, y, z, w, texels)
		toUnorm.Call(0, unsafe.Pointer(&args))
	}
	t.FromHalf = func(x, y, z, w *[lanes.Width]float32, texels *[8 * lanes.Width]byte) {
		var args arguments
		set(&args, x, y, z, w, texels)
		fromHalf.Call(0, unsafe.Pointer(&args))
	}
	t.ToHalf = func(texels *[8 * lanes.Width]byte, x, y, z, w *[lanes.Width]float32) {
		var args arguments
		set(&args, x, y, z, w, texels)
		toHalf.Call(0, unsafe.Pointer(&args))
	}
	t.FromWords = func(x, y, z, w *[lanes.Width]uint32, texels *[16 * lanes.Width]byte) {
		var args arguments
		set(&args, x, y, z, w, texels)
		fromWords.Call(0, unsafe.Pointer(&args))
	}
	t.ToWords = func(texels *[16 * lanes.Width]byte, x, y, z, w *[lanes.Width]uint32) {
		var args arguments
		set(&args, x, y, z, w, texels)
		toWords.Call(0, unsafe.Pointer(&args))
	}
}

// set sets the arguments of a conversion. It does so one by one: what is copied at once is late for the code.
func set[T, B any](args *arguments, x, y, z, w *T, texels *B) {
	args.at[0], args.at[1] = unsafe.Pointer(x), unsafe.Pointer(y)
	args.at[2], args.at[3] = unsafe.Pointer(z), unsafe.Pointer(w)
	args.at[4] = unsafe.Pointer(texels)
}

func fromUnorm(w *writer) {
	rows, from := w.arguments(components, 4), w.argument(texels)
	// The nearest floats to 1/255 and to what is left of it. With both, results are correctly rounded.
	low, upper, lower := w.word(0xff), w.word(0x3b808081), w.word(0xaf7efeff)
	w.parts(func(_ int, at int64) {
		texel := w.load(from, at)
		for i, row := range rows {
			v := texel
			if i > 0 {
				v = w.opI(vcode.VShrI, v, int64(8*i))
			}
			if i < 3 {
				v = w.op(vcode.VAnd, v, low)
			}
			v = w.op(vcode.VFromS32, v, 0)
			rest := w.op(vcode.VMulF, v, lower)
			w.store(row, at, w.make(vcode.Instr{Op: vcode.VFma, A: v, B: upper, C: rest}))
		}
	})
}

func toUnorm(w *writer) {
	rows, to := w.arguments(components, 4), w.argument(texels)
	// A float of 2^23 has no bits for fractions, so the fused addition rounds the exact product to an integer.
	zero, one, top, units := w.word(0), w.word(0x3f800000), w.word(0x437f0000), w.word(0x4b000000)
	low := w.word(0xff)
	w.parts(func(_ int, at int64) {
		var texel reg
		for i, row := range rows {
			v := w.op(vcode.VMinNum, w.op(vcode.VMaxNum, w.load(row, at), zero), one) // 0 of NaN
			v = w.op(vcode.VAnd, w.make(vcode.Instr{Op: vcode.VFma, A: v, B: top, C: units}), low)
			if i == 0 {
				texel = v
				continue
			}
			texel = w.op(vcode.VOr, texel, w.opI(vcode.VShlI, v, int64(8*i)))
		}
		w.store(to, at, texel)
	})
}

func fromHalf(w *writer) {
	rows, from := w.arguments(components, 4), w.argument(texels)
	low := w.word(0xffff)
	w.parts(func(_ int, at int64) {
		xy, zw := w.apart(w.load(from, 2*at), w.load(from, 2*at+w.size()))
		for i, pair := range []reg{xy, zw} {
			w.store(rows[2*i], at, w.op(vcode.VHalfToF, w.op(vcode.VAnd, pair, low), 0))
			w.store(rows[2*i+1], at, w.op(vcode.VHalfToF, w.opI(vcode.VShrI, pair, 16), 0))
		}
	})
}

func toHalf(w *writer) {
	rows, to := w.arguments(components, 4), w.argument(texels)
	w.parts(func(_ int, at int64) {
		var pairs [2]reg
		for i := range pairs {
			x := w.op(vcode.VFToHalf, w.load(rows[2*i], at), 0)
			y := w.op(vcode.VFToHalf, w.load(rows[2*i+1], at), 0)
			pairs[i] = w.op(vcode.VOr, x, w.opI(vcode.VShlI, y, 16))
		}
		lower, upper := w.together(pairs[0], pairs[1])
		w.store(to, 2*at, lower)
		w.store(to, 2*at+w.size(), upper)
	})
}

func fromWords(w *writer) {
	rows, from := w.arguments(components, 4), w.argument(texels)
	w.parts(func(_ int, at int64) {
		var xz, yw [2]reg
		for i := range xz {
			first := 4*at + 2*int64(i)*w.size()
			xz[i], yw[i] = w.apart(w.load(from, first), w.load(from, first+w.size()))
		}
		x, z := w.apart(xz[0], xz[1])
		y, v := w.apart(yw[0], yw[1])
		for i, r := range []reg{x, y, z, v} {
			w.store(rows[i], at, r)
		}
	})
}

func toWords(w *writer) {
	rows, to := w.arguments(components, 4), w.argument(texels)
	w.parts(func(_ int, at int64) {
		x0, x1 := w.together(w.load(rows[0], at), w.load(rows[2], at))
		y0, y1 := w.together(w.load(rows[1], at), w.load(rows[3], at))
		for i, pair := range [][2]reg{{x0, y0}, {x1, y1}} {
			lower, upper := w.together(pair[0], pair[1])
			w.store(to, 4*at+2*int64(i)*w.size(), lower)
			w.store(to, 4*at+2*int64(i)*w.size()+w.size(), upper)
		}
	})
}

// apart returns the words of two vectors at even places, and those at odd ones.
func (w *writer) apart(a, b reg) (even, odd reg) {
	even = w.op(vcode.VNarrow, a, b)
	return even, w.op(vcode.VNarrow, w.opI(vcode.VShrQI, a, 32), w.opI(vcode.VShrQI, b, 32))
}

// together is the inverse of apart.
func (w *writer) together(even, odd reg) (lower, upper reg) {
	lower = w.op(vcode.VOr, w.op(vcode.VExtLoU, even, 0), w.opI(vcode.VShlQI, w.op(vcode.VExtLoU, odd, 0), 32))
	return lower, w.op(vcode.VOr, w.op(vcode.VExtHiU, even, 0), w.opI(vcode.VShlQI, w.op(vcode.VExtHiU, odd, 0), 32))
}
