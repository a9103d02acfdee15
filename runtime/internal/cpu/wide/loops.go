package wide

import "slices"

// LoopBody is what a loop does with memory, with those that it has in it.
type LoopBody struct {
	First, Last int32     // blocks, both included
	Outer       *LoopBody // that it is in, or nil

	Reads, Writes []int32 // objects that it accesses
	Elsewhere     []int32 // of those that it reads: where it reads anything else than words of rows
	Loads         int     // from rows, in this loop alone
	Scatters      bool    // it stores anything else than words to rows
	Unknown       bool    // it accesses objects that are not known
	Textures      bool    // it reads some
	Anything      bool    // it does more than that
	Far           []int32 // objects in which it reads rows that are far from those of the round before
	nests         bool    // it has loops in it
	ordered       bool    // the program can tell which simd-group comes first
}

// StoresNothing reports whether the loop leaves all memory as it is.
func (l *LoopBody) StoresNothing() bool { return !l.Anything && !l.Scatters && len(l.Writes) == 0 }

// StoresRows returns the outermost loop around one, or itself, that only stores words to rows, or nil.
func (l *LoopBody) StoresRows() (rows *LoopBody) {
	for ; l != nil; l = l.Outer {
		if !l.Anything && !l.Scatters && !l.Textures && !l.Unknown && len(l.Writes) > 0 {
			rows = l
		}
	}
	return rows
}

// Loops returns the innermost loop that each block is in, or nil, before anything is known of their accesses.
func (x *Analysis) Loops() []*LoopBody {
	of, ordered := make([]*LoopBody, len(x.Blocks)), x.ordered()
	for pc := range x.Code {
		in := &x.Code[pc]
		if in.Op != Loop { // inner ones end first
			continue
		}
		body := &LoopBody{First: x.BlockAt[in.Target] - 1, ordered: ordered}
		for b := body.First; int(b) < len(x.Blocks) && x.Blocks[b].First <= int32(pc); b++ {
			if inner := of[b]; inner != nil {
				for inner.Outer != nil {
					inner = inner.Outer
				}
				inner.Outer, body.nests, b = body, true, inner.Last
			} else {
				of[b] = body
			}
			body.Last = b
		}
		for at := in.Target; at < int32(pc); at++ {
			body.note(&x.Code[at])
		}
	}
	return of
}

// note notes what an instruction does that is no access.
func (l *LoopBody) note(in *Instruction) {
	op := &Infos[in.Op]
	switch {
	case in.Op == ReadTexels:
		l.Textures = true
	case op.Foreign, in.Op == Barrier, in.Op == Stop, in.Matrices != nil, in.Op == WriteTexels, in.Op == Clear,
		in.Op >= AtomicSwap && in.Op <= AtomicCompare:
		l.Anything = true
	}
}

// Access notes an access. There are rows where lanes are at least so many bytes apart.
func (l *LoopBody) Access(x *Analysis, s *State, in *Instruction, apart int32) {
	object, stores := int32(x.KindOf(s, in.A).Object), Infos[in.Op].Stores != None
	rows := AccessKind(x, s, in).FarApart(apart)
	if rows && Infos[in.Op].D == Word {
		l.Loads++
	}
	if !stores && !l.nests && l.strides(x, s, in) {
		add(&l.Far, object)
	}
	for ; l != nil; l = l.Outer {
		list := &l.Reads
		if stores {
			list = &l.Writes
		}
		add(list, object)
		if !stores && (!rows || in.Op != Load32) {
			add(&l.Elsewhere, object)
		}
		known := object > 0 && int(object) < len(x.Objects)
		if stores && (!known || !rows || in.Op != Store32 || x.Objects[object].Striped || x.Objects[object].Constant) {
			l.Scatters = true
		}
		l.Unknown = l.Unknown || !known
	}
}

func add(list *[]int32, object int32) {
	if !slices.Contains(*list, object) {
		*list = append(*list, object)
	}
}

// Depths returns how much what a block does is worth: more within loops.
func (x *Analysis) Depths() []float64 {
	weights := make([]float64, len(x.Blocks))
	change := make([]int, len(x.Blocks)+1)
	for i := range x.Blocks {
		last := &x.Code[x.Blocks[i].End-1]
		if last.Op == Loop {
			change[x.BlockAt[last.Target]-1]++
			change[i+1]--
		}
	}
	depth := 0
	for i := range weights {
		depth += change[i]
		weights[i] = float64(int64(1) << (3 * min(depth, 6)))
	}
	return weights
}
