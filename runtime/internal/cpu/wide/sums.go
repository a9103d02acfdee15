package wide

// MaxKnown bounds how much is known of sums and bounds, at a point of a block, and MaxSpread the numbers of sums.
const (
	MaxKnown  = 64
	MaxSpread = 4096
)

// Sums says which registers are others and a number, at a point of a block.
type Sums map[int32]SumOf

// SumOf is a register and a number.
type SumOf struct {
	At     int32
	Number int64
}

// Step notes what an instruction does.
func (s Sums) Step(x *Analysis, in *Instruction) {
	sum, ok := SumOf{}, false
	if c, known := x.Known[in.B]; known && (in.Op == AddWord || in.Op == SubWord) {
		sum, ok = SumOf{in.A, int64(int32(c))}, in.D != in.A
		if in.Op == SubWord {
			sum.Number = -sum.Number
		}
		if of, more := s[in.A]; more {
			sum, ok = SumOf{of.At, sum.Number + of.Number}, in.D != of.At
		}
	}
	for made := range Infos[in.Op].Results(in) {
		delete(s, made.At)
		for other, of := range s {
			if of.At == made.At {
				delete(s, other)
			}
		}
	}
	if ok && max(sum.Number, -sum.Number) < MaxSpread && len(s) < MaxKnown {
		s[in.D] = sum
	}
}
