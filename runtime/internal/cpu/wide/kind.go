package wide

// Form is how the lanes of a register relate to each other.
type Form uint8

const (
	Unreached Form = iota // no path leads here
	Uniform               // the same in all lanes
	Linear                // counts up from lane to lane by a step that is known
	Strided               // counts up by a step that the register holds
	Varying               // any values
)

// Kind is what is known of a register at a point of the program. The values of a varying one
// are in its lanes, that of a uniform or linear one in its base. A mask is uniform or varying.
type Kind struct {
	Form   Form
	Object int16 // that it points into, or 0
	Step   int32 // of a linear one, and of one that is placed
	// Placed is set for what varies and is computed of where threads are: within a vector lanes mostly count up by Step.
	Placed bool
	// Within is set for pointers that are less than 1 << Within bytes away from the first of their object.
	Within uint8
}

// meet returns what is known where two paths join.
func meet(a, b Kind) Kind {
	switch {
	case a == b || b.Form == Unreached:
		return a
	case a.Form == Unreached:
		return b
	}
	m := Kind{Form: Varying}
	if a.Form == b.Form && (a.Form != Linear || a.Step == b.Step) {
		m.Form, m.Step = a.Form, a.Step
	}
	if a.Object == b.Object {
		m.Object = a.Object
	}
	if a.Within == b.Within {
		m.Within = a.Within
	}
	if m.Form == Varying {
		m.Step, m.Placed = either(a, b)
	}
	return m
}

// Scalar reports whether the register has its value in its base.
func (k Kind) Scalar() bool { return k.Form != Varying }

// Counts returns the step of a register that is uniform or linear.
func (k Kind) Counts() (step int32, ok bool) {
	return k.Step, k.Form == Uniform || k.Form == Linear
}

// FarApart reports whether lanes may be so many bytes apart, or more.
func (k Kind) FarApart(bytes int32) bool {
	return k.Form == Strided || k.Form == Linear && (k.Step >= bytes || k.Step <= -bytes)
}

// counting returns the kind of a register that counts up by a step.
func counting(step int32) Kind {
	if step == 0 {
		return Kind{Form: Uniform}
	}
	return Kind{Form: Linear, Step: step}
}
