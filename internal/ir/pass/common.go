package pass

import "github.com/metalgen/metalgen/internal/ir"

// common replaces operations that have been carried out before, with the same operands, on all paths to here. A load is
// one of them as long as nothing has been written since.
func common(k *ir.Kernel, o *Options) {
	c := &commoner{Kernel: k, replacement: newReplacement(k), known: newOperations(k.Count())}
	c.each = o.Uninit || k.Volatile
	for body := range k.Bodies() {
		c.region(body)
	}
}

// operation is a pure instruction, as far as its result depends on it.
type operation struct {
	op   ir.Op
	typ  ir.Type
	imm  int64
	args [3]ir.Value
	// These are set for a load: a second one would load the same, and could not trap. Constant memory is not written
	// through another argument, which is undefined in MSL: its loads have time 0.
	kind   ir.Scalar
	index  ir.Type
	scale  int32
	time   int32
	offset int64
}

type commoner struct {
	*ir.Kernel
	replacement
	known *operations
	time  int32 // how often memory may have been written
	each  bool  // a load from memory that is written stays, whatever was loaded before
}

func (c *commoner) region(r *ir.Region) {
	outer := len(c.known.found)
	kept := r.Code[:0]
	group := 0 // accesses that belong together, which stay together
	for _, in := range r.Code {
		c.in(in.Args)
		if a, ok := in.Aux.(*ir.Access); ok && in.Op != ir.OpCheck {
			group = max(group-1, a.Whole)
		}
		if key, ok := c.keyOf(in); ok && (group == 0 || in.Op != ir.OpLoad) {
			if v := c.known.of(key, in.Result()); v != in.Result() {
				c.replacement[in.Result()] = v
				continue
			}
		}
		if in.Op == ir.OpLoop || in.Op != ir.OpSet && c.Effect(in)&ir.Writes != 0 { // another turn may have written
			c.time++
		}
		for _, inner := range in.Regions {
			c.region(inner)
		}
		kept = append(kept, in)
	}
	clear(r.Code[len(kept):])
	r.Code = kept
	c.known.forget(outer)
}

// keyOf returns what says that another instruction has the same result. It reports false for one that does more, or
// has another result each time.
func (c *commoner) keyOf(in *ir.Instr) (operation, bool) {
	if a, ok := in.Aux.(*ir.Access); ok && in.Op == ir.OpLoad {
		key := operation{op: in.Op, typ: in.Type, kind: a.Kind, index: a.Index, scale: a.Scale, offset: a.Offset}
		copy(key.args[:], in.Args)
		if a.Space != ir.ConstantSpace {
			key.time = c.time + 1
		}
		return key, a.Count == 1 && !a.Bits && !a.Packed && !a.Unit && a.Whole == 0 && (key.time == 0 || !c.each)
	}
	if c.Effect(in) != 0 || len(in.Results) != 1 || len(in.Args) > 3 || in.Aux != nil || in.Op == ir.OpUnset {
		return operation{}, false
	}
	key := operation{op: in.Op, typ: in.Type, imm: in.Imm}
	copy(key.args[:], in.Args)
	if commutes[in.Op] && in.Type != ir.F32 && key.args[0] > key.args[1] {
		key.args[0], key.args[1] = key.args[1], key.args[0]
	}
	return key, true
}

// commutes are the operations whose operands may change places: those of floats could change the bits of a NaN.
var commutes = map[ir.Op]bool{ir.OpAdd: true, ir.OpMul: true, ir.OpAnd: true, ir.OpOr: true, ir.OpXor: true,
	ir.OpEq: true, ir.OpNe: true}
