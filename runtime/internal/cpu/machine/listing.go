package machine

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Listing returns the machine code of a program as text, for threadgroups that are rows of threads: instructions of
// package vcode on registers of the machine.
func Listing(p *program.Program, kind Kind) (string, error) {
	var r *vcode.Recorder
	recorded := func() vcode.Machine {
		r = &vcode.Recorder{Machine: kind()}
		return r
	}
	code, err := Make(p, CountingInRows(p), nil, recorded, nil)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("machine code for %s: %d bytes\n%s", r.Traits().Name, len(code.Bytes), &r.Text), nil
}

// CountingInRows returns the builtins that count up where threadgroups are rows of threads.
func CountingInRows(p *program.Program) (list []wide.Builtin) {
	for _, b := range p.Builtins {
		for i, at := range b.Regs {
			step := int32(0)
			switch b.Attribute {
			case "thread_index_in_quadgroup", "quadgroup_index_in_threadgroup":
				continue
			case "thread_position_in_grid", "thread_position_in_threadgroup", "thread_index_in_threadgroup",
				"thread_index_in_simdgroup":
				if i == 0 {
					step = 1
				}
			}
			list = append(list, wide.Builtin{At: at, Step: step})
		}
	}
	return list
}
