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
	step   int32 // of a linear one, and of one that is placed
	// placed is set for what varies and is computed of where threads are: within a vector lanes mostly count up by step.
	placed bool
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
	if m.form == varying {
		m.step, m.placed = either(a, b)
	}
	return m
}

// local returns by how much the lanes of a vector mostly count up, or false where nothing is known of that.
func (k kind) local() (step int32, ok bool) {
	switch k.form {
	case uniform:
		return 0, true
	case linear:
		return k.step, true
	}
	return k.step, k.placed
}

// either is local for what is one of two.
func either(a, b kind) (step int32, ok bool) {
	x, placed := a.local()
	y, ok := b.local()
	if ok = ok && placed && (x == y || x == 0 || y == 0); !ok {
		return 0, false
	}
	return x | y, true
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
