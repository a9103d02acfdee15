package vcode

import (
	"fmt"
	"strings"
)

// Recorder is a machine that keeps what it is given as text, a line for each instruction.
type Recorder struct {
	Machine
	Text strings.Builder
}

// Emit appends an instruction.
func (r *Recorder) Emit(in *Instr) {
	if in.Op == Bind {
		fmt.Fprintf(&r.Text, "L%d:\n", in.Target)
	} else {
		fmt.Fprintf(&r.Text, "\t%v\n", in)
	}
	r.Machine.Emit(in)
}
