package native

// form is how the lanes of a register relate to each other.
type form uint8

const (
	unreached form = iota // no way leads here
	uniform               // the same in all lanes
	linear                // counts up from lane to lane by a step that is known
	strided               // counts up by a step that the register holds
	varying               // any values
)

// kind is what is known of a register at a point of the program. The values of a varying one
// are in its lanes, that of a uniform or linear one in its base. A mask is uniform or varying.
type kind struct {
	form   form
	object int16 // that it points into, or 0
	step   int32 // of a linear one
}

// meet returns what is known where two ways join.
func meet(a, b kind) kind {
	switch {
	case a == b || b.form == unreached:
		return a
	case a.form == unreached:
		return b
	}
	m := kind{form: varying}
	if a.form == b.form && (a.form != linear || a.step == b.step) {
		m.form, m.step = a.form, a.step
	}
	if a.object == b.object {
		m.object = a.object
	}
	return m
}

// scalar reports whether the register has its value in its base.
func (k kind) scalar() bool { return k.form != varying }

// counts returns the step of a register that is uniform or linear.
func (k kind) counts() (step int32, ok bool) {
	return k.step, k.form == uniform || k.form == linear
}

// counting returns the kind of a register that counts up by a step.
func counting(step int32) kind {
	if step == 0 {
		return kind{form: uniform}
	}
	return kind{form: linear, step: step}
}
