package facts

import (
	"github.com/metalgen/metalgen/internal/ir"
)

// Layout says which elements lanes hold.
type Layout uint8

const (
	// AppleLayout is that of Apple's GPUs: see row and column.
	AppleLayout Layout = iota
	// RowLayout is that of first factors and of sums: lane l has two neighbours of row l/4, from column l%4*2 on.
	RowLayout
	// ColumnLayout is that of second factors: lane l has two neighbours of column l/4, from row l%4*2 on.
	ColumnLayout
)

// matrixClass is what is known of values that are assigned to one another.
type matrixClass struct {
	in                   int // that it is part of, or its own number
	kept, factor, second bool
}

// FindMatrices finds the layout of each element of a matrix, and the products that one instruction computes.
func (f *Facts) FindMatrices() {
	m := &matrixFinder{Facts: f, classes: make([]matrixClass, f.Values())}
	for v := range m.classes {
		m.classes[v].in = v
	}
	for r := range f.Bodies() {
		m.region(r, nil)
	}
	for v := range m.classes {
		if c := m.of(ir.Value(v)); !c.kept && (c.factor || c.second) {
			switch {
			case !c.second:
				f.Layouts[ir.Value(v)] = RowLayout
			case !c.factor:
				f.Layouts[ir.Value(v)] = ColumnLayout
			}
		}
	}
}

type matrixFinder struct {
	*Facts
	classes []matrixClass
}

// of returns the class of a value.
func (f *matrixFinder) of(v ir.Value) *matrixClass {
	for f.classes[v].in != int(v) {
		v = ir.Value(f.classes[v].in)
	}
	return &f.classes[v]
}

// join makes values members of one class. A constant is the same in all lanes, and so in all layouts.
func (f *matrixFinder) join(values ...ir.Value) {
	var first *matrixClass
	for _, v := range values {
		if _, constant := f.Bits(v); constant || v == 0 || f.Type(v) != ir.F32 {
			continue
		}
		c := f.of(v)
		if first == nil {
			first = c
		} else if c != first {
			first.kept, first.factor, first.second = first.kept || c.kept, first.factor || c.factor, first.second || c.second
			c.in = first.in
		}
	}
}

// keep notes that something looks at values lane by lane.
func (f *matrixFinder) keep(values []ir.Value) {
	for _, v := range values {
		if f.Type(v) == ir.F32 {
			f.of(v).kept = true
		}
	}
}

func (f *matrixFinder) assign(to, from []ir.Value) {
	for i := range min(len(to), len(from)) {
		f.join(to[i], from[i])
	}
}

func (f *matrixFinder) region(r *ir.Region, open []*ir.Instr) {
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpMatrix:
			f.join(in.Args[0], in.Args[1])
			f.join(in.Args[2], in.Args[3])
			f.join(append(append([]ir.Value{}, in.Results...), in.Args[4:]...)...)
			f.of(in.Args[0]).factor, f.of(in.Args[2]).second, f.of(in.Results[0]).factor = true, true, true
		case in.Op == ir.OpMatrixLoad:
			f.join(in.Results...)
		case in.Op == ir.OpMatrixStore:
			f.join(in.Args[5:]...)
		case f.IsSame(in):
			f.join(in.Result(), in.Args[0])
		case in.Op == ir.OpLeave || in.Op == ir.OpAgain || in.Op == ir.OpFall:
			for _, c := range open {
				if c.Label() == in.Label() {
					f.assign(f.Targets(in, c), in.Args)
				}
			}
		case in.Op.Info().Has(ir.Constructs):
			for _, inner := range in.Regions {
				f.assign(inner.Params, in.Initial())
				f.region(inner, append(open, in))
			}
		default:
			f.keep(in.Args)
			f.keep(in.Results)
		}
	}
}

// IsSame reports whether an instruction rounds what came from memory as a number of that type.
func (f *Facts) IsSame(in *ir.Instr) bool {
	kind := map[ir.Op]ir.Scalar{ir.OpRoundHalf: ir.Half16, ir.OpRoundBFloat: ir.BFloat16}[in.Op]
	return kind != 0 && f.CameAs(in.Args[0], kind)
}

// CameAs reports whether a value was loaded as a number of a type.
func (f *Facts) CameAs(v ir.Value, kind ir.Scalar) bool {
	in := f.By[v]
	switch {
	case in == nil:
		return false
	case in.Op == ir.OpMatrixLoad:
		return in.Aux.(*ir.MatrixAccess).Kind == kind
	case in.Op == ir.OpRoundHalf || in.Op == ir.OpRoundBFloat:
		return f.IsSame(in) && f.CameAs(in.Args[0], kind)
	}
	return false
}
