package texelcode

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// samplers makes what samplers do.
func (k *maker) samplers(t *lanes.Texels) {
	const spilled = int32(unsafe.Sizeof(spilling{}.spilled))
	weigh, locate, reach := k.make(weigh, 0), k.make(locate, spilled), k.make(reach, 0)
	blend, blendWide := k.make(blend(lanes.Width), spilled), k.make(blend(2*lanes.Width), spilled)
	t.Weigh = func(z, a, b, c, d *[lanes.Width]float32, weights *[4 * lanes.Width]float64) {
		var args arguments
		set(&args, a, b, c, d, weights)
		args.at[5] = unsafe.Pointer(z)
		weigh.Call(0, unsafe.Pointer(&args))
	}
	t.Locate = func(
		texel *[lanes.Width]int32, part *[lanes.Width]float64, x *[lanes.Width]float32, scale, shift float64, offset int32,
	) (least, last int32, reach uint32) {
		var args spilling
		args.scale, args.shift, args.offset = scale, shift, offset
		args.at[0], args.at[1], args.at[2] = unsafe.Pointer(texel), unsafe.Pointer(part), unsafe.Pointer(x)
		locate.Call(0, unsafe.Pointer(&args))
		return int32(args.ends[0]), int32(args.ends[1]), args.ends[2]
	}
	t.Reach = func(x *[lanes.Width]float32) uint32 {
		var args arguments
		args.at[0] = unsafe.Pointer(x)
		reach.Call(0, unsafe.Pointer(&args))
		return args.ends[0]
	}
	t.Blend = func(
		z, upper, lower *[lanes.Width]float32, left, right *[lanes.Width]int32, first int32,
		x *[lanes.Width]float64, y float64,
	) {
		var args spilling
		args.scale, args.offset = y, first
		set(&args.arguments, upper, lower, z, z, x)
		args.at[5], args.at[6] = unsafe.Pointer(left), unsafe.Pointer(right)
		blend.Call(0, unsafe.Pointer(&args))
	}
	t.BlendWide = func(
		z *[lanes.Width]float32, upper, lower *[2 * lanes.Width]float32, left, right *[lanes.Width]int32, first int32,
		x *[lanes.Width]float64, y float64,
	) {
		var args spilling
		args.scale, args.offset = y, first
		set(&args.arguments, upper, lower, nil, nil, x)
		args.at[2], args.at[5], args.at[6] = unsafe.Pointer(z), unsafe.Pointer(left), unsafe.Pointer(right)
		blendWide.Call(0, unsafe.Pointer(&args))
	}
}

const one = 0x3ff0000000000000 // as a double

func weigh(w *writer) {
	rows, weights, z := w.arguments(0, 4), w.argument(4), w.argument(5)
	w.parts(func(_ int, at int64) {
		sum := [2]reg{w.long(0), w.long(0)}
		for i, row := range rows {
			v := w.load(row, at)
			for half := range sum {
				by := w.load(weights, int64(8*lanes.Width*i)+2*at+int64(half)*w.size())
				sum[half] = w.op(vcode.VAddD, sum[half], w.op(vcode.VMulD, w.double(v, half), by))
			}
		}
		w.store(z, at, w.op(vcode.VDToF, sum[0], sum[1]))
	})
}

// double returns half of a vector of floats as doubles.
func (w *writer) double(v reg, half int) reg {
	return w.op([...]vcode.Op{vcode.VFToDLo, vcode.VFToDHi}[half], v, 0)
}

// blend is for rows of so many texels.
func blend(texels int) func(w *writer) {
	return func(w *writer) {
		rows, z, part, sides := w.arguments(0, 2), w.argument(2), w.argument(4), w.arguments(5, 2)
		first := w.op(vcode.VSplat32, w.opI(vcode.GLoad32, vcode.Run, offsetAt), 0)
		most, ones := w.word(uint32(texels-1)), w.long(one)
		y := w.opI(vcode.VLoadSplat64, vcode.Run, scaleAt)
		notY := w.op(vcode.VSubD, ones, y)
		pick := w.picker(texels)
		w.parts(func(_ int, at int64) {
			var corners []reg // upper left, upper right, lower left, lower right
			for _, side := range sides {
				i := w.op(vcode.VAnd, w.op(vcode.VSub, w.load(side, at), first), most)
				corners = append(corners, i)
			}
			corners = append(corners, corners...)
			for i := range corners {
				corners[i] = pick(rows[i/2], corners[i])
			}
			var sum [2]reg
			for half := range sum {
				x := w.load(part, 2*at+int64(half)*w.size())
				notX := w.op(vcode.VSubD, ones, x)
				sum[half] = w.long(0)
				for i, corner := range corners {
					by := w.op(vcode.VMulD, [...]reg{notX, x}[i%2], [...]reg{notY, y}[i/2])
					sum[half] = w.op(vcode.VAddD, sum[half], w.op(vcode.VMulD, by, w.double(corner, half)))
				}
			}
			w.store(z, at, w.op(vcode.VDToF, sum[0], sum[1]))
		})
	}
}

// picker returns what takes texels by their numbers from a row of so many.
func (w *writer) picker(texels int) func(row, number reg) reg {
	if w.t.Parts() > 2 {
		every := w.op(vcode.PFromBits, w.opI(vcode.GConst, 0, 1<<32-1), 0)
		return func(row, number reg) reg {
			at := w.opI(vcode.VShlI, number, 2)
			return w.make(vcode.Instr{Op: vcode.VGather32, A: row, B: at, C: every})
		}
	}
	second := w.word(lanes.Width)
	return func(row, number reg) reg {
		var halves []reg
		for at := int64(0); at < int64(4*texels); at += 4 * lanes.Width {
			parts := []reg{w.load(row, at), w.load(row, at+w.size())}
			halves = append(halves, w.make(vcode.Instr{Op: vcode.VPermute, B: number, Args: parts}))
		}
		if len(halves) == 1 {
			return halves[0]
		}
		upper := w.make(vcode.Instr{Op: vcode.VCmp, Cond: vcode.Eq, A: w.op(vcode.VAnd, number, second), B: second})
		return w.make(vcode.Instr{Op: vcode.VBlend, A: halves[1], B: halves[0], C: upper})
	}
}

func locate(w *writer) {
	texel, part, x := w.argument(0), w.argument(1), w.argument(2)
	scale, shift := w.opI(vcode.VLoadSplat64, vcode.Run, scaleAt), w.opI(vcode.VLoadSplat64, vcode.Run, shiftAt)
	offset := w.op(vcode.VSplat32, w.opI(vcode.GLoad32, vcode.Run, offsetAt), 0)
	ones, magnitude := w.long(one), w.word(1<<31-1)
	integers := w.long(0x4338000000000000) // beside this double others have integers in their lowest bits
	least, last, reach := w.word(1<<31-1), w.word(1<<31), w.word(0)
	w.parts(func(_ int, at int64) {
		c := w.load(x, at)
		var numbers [2]reg
		for half := range numbers {
			u := w.op(vcode.VSubD, w.op(vcode.VMulD, w.double(c, half), scale), shift)
			floor := w.op(vcode.VTruncD, u, 0)
			below := w.opI(vcode.VSarQI, w.op(vcode.VSubD, u, floor), 63) // ones where it is negative
			floor = w.op(vcode.VSubD, floor, w.op(vcode.VAnd, below, ones))
			w.store(part, 2*at+int64(half)*w.size(), w.op(vcode.VSubD, u, floor))
			numbers[half] = w.op(vcode.VAddD, floor, integers)
		}
		i := w.op(vcode.VAdd, w.op(vcode.VNarrow, numbers[0], numbers[1]), offset)
		w.store(texel, at, i)
		least, last = w.op(vcode.VMinS, least, i), w.op(vcode.VMaxS, last, i)
		reach = w.op(vcode.VMaxU, reach, w.op(vcode.VAnd, c, magnitude))
	})
	w.end(0, vcode.VMinS, least)
	w.end(1, vcode.VMaxS, last)
	w.end(2, vcode.VMaxU, reach)
}

func reach(w *writer) {
	x, magnitude, reach := w.argument(0), w.word(1<<31-1), w.word(0)
	w.parts(func(_ int, at int64) {
		reach = w.op(vcode.VMaxU, reach, w.op(vcode.VAnd, w.load(x, at), magnitude))
	})
	w.end(0, vcode.VMaxU, reach)
}

// end returns what an operation makes of all elements of a vector.
func (w *writer) end(i int64, op vcode.Op, v reg) {
	for by := 1; by < w.t.Lanes; by *= 2 {
		v = w.op(op, v, w.opI(vcode.VXorLanes, v, int64(by)))
	}
	w.code = append(w.code, vcode.Instr{Op: vcode.VStoreS32, A: vcode.Run, B: v, Imm: endsAt + 4*i})
}
