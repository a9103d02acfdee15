package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// product returns the factors of x * y, where x and y are float or vectors of them.
func product(e tree.Expr) (x, y tree.Expr, ok bool) {
	m, ok := e.(*tree.Binary)
	if !ok || m.Op != tree.Mul {
		return nil, nil, false
	}
	t := m.Type()
	if t.Scalar != tree.Float || t.Kind != tree.Scalar && t.Kind != tree.Vector {
		return nil, nil, false
	}
	if m.X.Type().Kind != t.Kind || m.Y.Type().Kind != t.Kind {
		return nil, nil, false
	}
	return m.X, m.Y, true
}

// fusesLeft reports whether an operator is that of x * y + z or x * y - z.
func fusesLeft(e *tree.Binary) bool {
	_, _, ok := product(e.X)
	return ok && (e.Op == tree.Add || e.Op == tree.Sub) && e.Y.Type().Kind == e.X.Type().Kind
}

// fusesRight reports whether an operator is that of z + x * y or z - x * y.
func fusesRight(e *tree.Binary) bool {
	_, _, ok := product(e.Y)
	return ok && (e.Op == tree.Add || e.Op == tree.Sub) && e.Y.Type().Kind == e.X.Type().Kind
}

// fusedLeft lowers x * y + z and x * y - z.
func (b *builder) fusedLeft(e *tree.Binary) value {
	x, y, _ := product(e.X)
	v := b.operands(x, y, e.Y)
	run := mulAdd
	if e.Op == tree.Sub {
		run = mulSub
	}
	return fusedEach(b.assembler, run, v[0], v[1], v[2])
}

// fusedRight lowers z + x * y and z - x * y, where z is known.
func (b *builder) fusedRight(e *tree.Binary, z value) value {
	x, y, _ := product(e.Y)
	z = keep(b.assembler, e.X, z, x, y)
	v := b.operands(x, y)
	return fusedEach(b.assembler, sumRun(e.Op), v[0], v[1], z)
}

// sumRun returns the operation z + x * y or z - x * y.
func sumRun(op tree.Op) operation {
	if op == tree.Sub {
		return subMul
	}
	return mulAdd
}

func fusedEach(asm *assembler, run operation, x, y, z value) value {
	v := make(value, len(z))
	for i := range v {
		v[i] = asm.op(wordClass, run, x[i], y[i], z[i])
		asm.watchNaN(tree.Float, v[i], x[i], y[i], z[i])
	}
	return v
}

// bitField lowers float((x >> n) & mask), of which every kernel for quantized weights
// is full. It reports false for others.
func (b *builder) bitField(e *tree.Convert) (value, bool) {
	from := e.X.Type()
	if e.Type().Scalar != tree.Float || from.Scalar != tree.UInt && from.Scalar != tree.Int {
		return nil, false
	}
	and, ok := e.X.(*tree.Binary)
	if !ok || and.Op != tree.And {
		return nil, false
	}
	mask, ok := constantIndex(and.Y)
	if !ok || mask <= 0 || mask > 1<<24 {
		return nil, false
	}
	var x, shift value
	if shr, ok := and.X.(*tree.Binary); ok && shr.Op == tree.Shr && shr.Type().Scalar == from.Scalar &&
		classOf(shr.Y.Type().Scalar) == wordClass && !changes(shr.Y) {
		x, shift = b.value(shr.X), b.value(shr.Y)
	} else {
		x = b.value(and.X)
	}
	v := make(value, len(x))
	for i := range v {
		n := b.word(0)
		if shift != nil {
			n = shift[i]
		}
		run := operation(fieldToFloat[uint32])
		if from.Scalar == tree.Int {
			run = fieldToFloat[int32]
		}
		v[i] = b.opBy(unsetField, wordClass, run, mask, x[i], n)
	}
	return v, true
}
