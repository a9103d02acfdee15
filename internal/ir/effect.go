package ir

// Effect returns what an instruction does besides having results, as far as its operands say: a division by a constant
// does not trap, nor does a load whose bytes have been checked.
func (k *Kernel) Effect(in *Instr) Effect {
	e := in.Op.Info().Effect
	switch in.Op {
	case OpDiv, OpRem:
		if divisor, known := k.Bits(in.Args[1]); in.Type == F32 || known && divisor != 0 {
			e &^= Traps
		}
	case OpLoad:
		if in.Aux.(*Access).Checked {
			e &^= Traps
		}
	}
	return e
}
