package vcode

import (
	"fmt"
	"strings"
)

// String returns a register as text.
func (r Reg) String() string {
	switch r {
	case None:
		return "-"
	case Run, Frame, Memory, Objects, Active:
		return [...]string{"run", "frame", "memory", "objects", "active"}[-r-1]
	}
	return fmt.Sprint(int32(r))
}

// text returns a register of a class: g1, v1 or p1.
func (c Class) text(r Reg) string {
	if r < 0 || r == None {
		return r.String()
	}
	return [...]string{G: "g", V: "v", P: "p"}[c] + r.String()
}

var conds = [...]string{"==", "!=", "<", "<=", ">", ">=", "<u", "<=u", ">u", ">=u", "unordered"}

// String returns an instruction as text.
func (in *Instr) String() string {
	var b strings.Builder
	info := &Infos[in.Op]
	if info.D != NoClass {
		fmt.Fprintf(&b, "%s = ", info.D.text(in.D))
	}
	b.WriteString(info.Name)
	for i, c := range [...]Class{info.A, info.B, info.C} {
		if c != NoClass {
			b.WriteString(" " + c.text([...]Reg{in.A, in.B, in.C}[i]))
		}
	}
	for _, r := range in.Args {
		b.WriteString(" " + infoArgs(in.Op).text(r))
	}
	switch in.Op {
	case Branch, BranchW, GSet, GSetW, VCmp, VCmpP, VCmpF, VCmpQ, LanesWhere:
		fmt.Fprintf(&b, " %s", conds[in.Cond])
	}
	if in.Imm != 0 || in.Op == GConst {
		fmt.Fprintf(&b, " #%d", in.Imm)
	}
	if in.Imm2 != 0 {
		fmt.Fprintf(&b, " #%d", in.Imm2)
	}
	if in.Words != nil {
		fmt.Fprintf(&b, " %x", in.Words[:4])
	}
	if in.Exit != nil {
		fmt.Fprintf(&b, " exit %d (%d)", in.Exit.PC, in.Exit.Result)
	}
	switch in.Op {
	case Jump, Branch, BranchW, BranchTest, BranchAny, BranchUnless, Bind, MulX, AddX, RowAddress, RowStore:
		if in.Exit == nil {
			fmt.Fprintf(&b, " L%d", in.Target)
		}
	}
	return b.String()
}
