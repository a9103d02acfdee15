package ir

import "iter"

// All returns the instructions of a region and of the regions in it, in the order of the text: an instruction
// comes before those in its regions.
func (r *Region) All() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) { r.walk(yield) }
}

func (r *Region) walk(yield func(*Instr) bool) bool {
	for _, in := range r.Code {
		if !yield(in) {
			return false
		}
		for _, inner := range in.Regions {
			if !inner.walk(yield) {
				return false
			}
		}
	}
	return true
}

// All returns all instructions of a kernel, those of the body first.
func (k *Kernel) All() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for r := range k.Bodies() {
			if !r.walk(yield) {
				return
			}
		}
	}
}

// Bodies returns the body of the kernel and those of its routines.
func (k *Kernel) Bodies() iter.Seq[*Region] {
	return func(yield func(*Region) bool) {
		if !yield(k.Body) {
			return
		}
		for _, r := range k.Routines {
			if !yield(r.Body) {
				return
			}
		}
	}
}

// End returns the instruction that says where a thread goes on after a region.
func (r *Region) End() *Instr { return r.Code[len(r.Code)-1] }

// Count returns how many instructions a kernel has.
func (k *Kernel) Count() int {
	n := 0
	for r := range k.Bodies() {
		n += r.Count()
	}
	return n
}

// Count returns how many instructions a region has, with those in its regions.
func (r *Region) Count() int {
	n := len(r.Code)
	for _, in := range r.Code {
		for _, inner := range in.Regions {
			n += inner.Count()
		}
	}
	return n
}
