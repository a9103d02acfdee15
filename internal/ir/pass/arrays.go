package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxCells bounds the scalars of a variable in memory that becomes values.
const maxCells = 64

// arrays makes locals of variables in the memory of a thread whose scalars are all reached at known places: small
// arrays whose indexes are constants, also where those count the rounds of a loop that has been unrolled.
func arrays(k *ir.Kernel, o *Options) {
	if o.Uninit { // which says where an element was read
		return
	}
	a := &arrayFinder{Kernel: k, objects: make([]*variable, len(k.Objects)), address: make([]int32, k.Values())}
	for i, object := range k.Objects {
		if object != nil && object.Kind == ir.ThreadVariable && object.Routine < 0 {
			a.objects[i] = &variable{cells: map[int64]cell{}}
		}
	}
	for in := range k.All() {
		if in.Op == ir.OpAddress && a.objects[in.Imm] != nil {
			a.address[in.Result()] = int32(in.Imm)
		}
	}
	some := false
	for in := range k.All() {
		a.uses(in)
	}
	for i, v := range a.objects {
		if v != nil && (v.escapes || len(v.cells) == 0 || len(v.cells) > maxCells || v.overlaps()) {
			a.objects[i] = nil
		}
		some = some || a.objects[i] != nil
	}
	if !some {
		return
	}
	for body := range k.Bodies() {
		a.region(body)
	}
}

type arrayFinder struct {
	*ir.Kernel
	objects []*variable // by object; nil for one that stays in memory
	address []int32     // by value: the object that it is the address of
}

// variable is what is known of a variable in memory.
type variable struct {
	escapes bool           // something else than loads and stores at known places has its address
	cells   map[int64]cell // by offset
}

// cell is a scalar of a variable.
type cell struct {
	kind  ir.Scalar
	local int64
}

// overlaps reports whether scalars share bytes.
func (v *variable) overlaps() bool {
	for offset, c := range v.cells {
		for n := int64(1); n < int64(c.kind.Bytes()); n++ {
			if _, ok := v.cells[offset+n]; ok {
				return true
			}
		}
	}
	return false
}

// uses notes what an instruction does with addresses of variables.
func (a *arrayFinder) uses(in *ir.Instr) {
	for i, v := range in.Args {
		object := a.address[v]
		if object == 0 || a.objects[object] == nil {
			continue
		}
		variable := a.objects[object]
		switch {
		case in.Op == ir.OpClear:
		case (in.Op == ir.OpLoad || in.Op == ir.OpStore) && i == 0:
			a.access(variable, a.Objects[object], in.Aux.(*ir.Access))
		default:
			variable.escapes = true
		}
	}
}

func (a *arrayFinder) access(v *variable, o *ir.Object, access *ir.Access) {
	size := int64(access.Kind.Bytes())
	end := access.Offset + int64(access.Count)*size
	if access.Index != ir.Void || access.Offset < 0 || end > int64(o.Size) || access.Packed || access.Offset%size != 0 ||
		access.Count > maxCells || len(v.cells) > maxCells {
		v.escapes = true
		return
	}
	for offset := access.Offset; offset < end; offset += size {
		c, ok := v.cells[offset]
		if ok && c.kind != access.Kind {
			v.escapes = true
			return
		}
		v.cells[offset] = cell{kind: access.Kind, local: -1}
	}
}

// local returns the local of a scalar.
func (a *arrayFinder) local(object int32, offset int64) int64 {
	v := a.objects[object]
	c := v.cells[offset]
	if c.local < 0 {
		c.local = int64(len(a.Locals))
		a.Locals = append(a.Locals, ir.Local{Name: a.Objects[object].Name, Type: c.kind.Held(), Pos: a.Objects[object].Pos})
		v.cells[offset] = c
	}
	return c.local
}

func (a *arrayFinder) region(r *ir.Region) {
	out := make([]*ir.Instr, 0, len(r.Code))
	for _, in := range r.Code {
		for _, inner := range in.Regions {
			a.region(inner)
		}
		object := int32(0)
		if len(in.Args) > 0 && int(in.Args[0]) < len(a.address) {
			object = a.address[in.Args[0]]
		}
		if object == 0 || a.objects[object] == nil {
			out = append(out, in)
			continue
		}
		out = a.replaced(out, in, object)
	}
	r.Code = out
}

// fits are what memory does to a value that it has fewer bits for.
var fits = map[ir.Scalar]ir.Instr{
	ir.Int8: {Op: ir.OpWrap, Type: ir.S32, Imm: 8}, ir.Uint8: {Op: ir.OpWrap, Type: ir.U32, Imm: 8},
	ir.Int16: {Op: ir.OpWrap, Type: ir.S32, Imm: 16}, ir.Uint16: {Op: ir.OpWrap, Type: ir.U32, Imm: 16},
	ir.Half16: {Op: ir.OpRoundHalf, Type: ir.F32}, ir.BFloat16: {Op: ir.OpRoundBFloat, Type: ir.F32},
}

// replaced adds what does with locals what an instruction does with memory.
func (a *arrayFinder) replaced(out []*ir.Instr, in *ir.Instr, object int32) []*ir.Instr {
	set := func(offset int64, v ir.Value) {
		local := a.local(object, offset)
		t := a.Locals[local].Type
		if fit, ok := fits[a.objects[object].cells[offset].kind]; ok {
			fitted := a.NewValue(t)
			out = append(out, &ir.Instr{
				Op: fit.Op, Type: fit.Type, Imm: fit.Imm, Pos: in.Pos, Args: []ir.Value{v}, Results: []ir.Value{fitted},
			})
			v = fitted
		}
		out = append(out, &ir.Instr{Op: ir.OpSet, Type: t, Pos: in.Pos, Imm: local, Args: []ir.Value{v}})
	}
	if in.Op == ir.OpClear {
		o := a.Objects[object]
		for offset := int64(0); offset < int64(o.Size); offset++ {
			if c, ok := a.objects[object].cells[offset]; ok {
				set(offset, a.Known(c.kind.Held(), 0))
			}
		}
		return out
	}
	access := in.Aux.(*ir.Access)
	for i := range access.Count {
		offset := access.Offset + int64(i*access.Kind.Bytes())
		if in.Op == ir.OpStore {
			set(offset, in.Args[1+i])
			continue
		}
		local := a.local(object, offset)
		out = append(out, &ir.Instr{
			Op: ir.OpGet, Type: a.Locals[local].Type, Pos: in.Pos, Imm: local, Results: in.Results[i : i+1 : i+1],
		})
	}
	return out
}
