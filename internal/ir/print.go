package ir

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String returns the kernel as text, which [Parse] reads.
func (k *Kernel) String() string {
	p := &printer{Kernel: k, names: k.names()}
	p.line("kernel %q %s {", k.Name, p.at(k.Pos.Filename, k.Pos.Line, k.Pos.Column))
	p.indent++
	if k.Volatile {
		p.line("volatile")
	}
	for i, o := range k.Objects {
		if o != nil {
			p.object(i, o)
		}
	}
	for i, in := range k.Inputs {
		p.line("input %d %s %d", i, in.Attribute, in.Component)
	}
	for i, c := range k.Constants {
		p.line("constant %d %q %s index %d component %d", i, c.Name, c.Kind, c.Index, c.Component)
	}
	for i, l := range k.Logs {
		p.line("log %d %q %q", i, l.Subsystem, l.Category)
	}
	for i, l := range k.Locals {
		p.line("local %d %q %s", i, l.Name, l.Type)
	}
	p.line("body {")
	p.region(k.Body)
	p.line("}")
	for i, r := range k.Routines {
		var results []string
		for _, t := range r.Results {
			results = append(results, t.String())
		}
		p.line("routine %d %q %s (%s) : (%s) {", i, r.Name, p.at(r.Pos.Filename, r.Pos.Line, r.Pos.Column),
			p.params(r.Body.Params), strings.Join(results, ", "))
		p.region(r.Body)
		p.line("}")
	}
	p.indent--
	p.line("}")
	return p.String()
}

// Text returns an instruction as text, without its regions.
func (k *Kernel) Text(in *Instr) string {
	p := &printer{Kernel: k, names: k.names()}
	p.head(in)
	return strings.TrimSuffix(p.Builder.String(), " {")
}

type printer struct {
	*Kernel
	strings.Builder
	names  []int // of values
	indent int
}

// names returns the numbers of values in the text: 1, 2, 3 ..., as they are printed. Constants have none.
func (k *Kernel) names() []int {
	names, n := make([]int, k.Values()), 0
	name := func(list []Value) {
		for _, v := range list {
			if v > 0 && int(v) < len(names) && names[v] == 0 {
				n++
				names[v] = n
			}
		}
	}
	var region func(r *Region)
	region = func(r *Region) {
		if r == nil {
			return
		}
		name(r.Params)
		for _, in := range r.Code {
			name(in.Results)
			for _, inner := range in.Regions {
				region(inner)
			}
		}
	}
	region(k.Body)
	for _, r := range k.Routines {
		region(r.Body)
	}
	return names
}

// String returns what has been printed.
func (p *printer) String() string { return p.Builder.String() }

func (p *printer) line(format string, args ...any) {
	p.tabs()
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) tabs() {
	for range p.indent {
		p.WriteByte('\t')
	}
}

// at returns a position: line and column, and the file where that is not the kernel's.
func (p *printer) at(file string, line, column int) string {
	if file == p.Pos.Filename && p.Len() > 0 {
		return fmt.Sprintf("@%d:%d", line, column)
	}
	return fmt.Sprintf("@%q:%d:%d", file, line, column)
}

func (p *printer) object(i int, o *Object) {
	p.tabs()
	fmt.Fprintf(p, "object %d %s %q %s", i, o.Kind, o.Name, p.at(o.Pos.Filename, o.Pos.Line, o.Pos.Column))
	for _, field := range []struct {
		name string
		set  bool
		n    int
	}{
		{"index", o.Kind <= SamplerArgument, o.Index}, {"size", o.Size != 0, o.Size},
		{"of", o.Routine >= 0, o.Routine},
	} {
		if field.set {
			fmt.Fprintf(p, " %s %d", field.name, field.n)
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"readonly", o.ReadOnly}, {"optional", o.Optional}, {"zeroed", o.Zeroed}} {
		if flag.set {
			p.WriteString(" " + flag.name)
		}
	}
	if o.Bytes != nil {
		fmt.Fprintf(p, " bytes %q", o.Bytes)
	}
	if o.Sampler != nil {
		p.WriteString(" " + encode(o.Sampler))
	}
	p.WriteByte('\n')
}

// encode returns the fields of what the text has no words of its own for.
func encode(aux any) string {
	text, err := json.Marshal(aux)
	if err != nil {
		return strconv.Quote(err.Error())
	}
	return string(text)
}

func (p *printer) region(r *Region) {
	p.indent++
	for _, in := range r.Code {
		p.tabs()
		p.head(in)
		if len(in.Regions) > 0 {
			p.regions(in)
		}
		p.WriteByte('\n')
	}
	p.indent--
}

func (p *printer) regions(in *Instr) {
	for i, r := range in.Regions {
		switch {
		case in.Op == OpIf && i > 0:
			p.tabs()
			p.WriteString("} else {")
		case in.Op == OpSwitch:
			if i == 0 {
				p.WriteByte('\n')
			}
			p.tabs()
			p.caseHead(in.Aux.(*Cases), i, r, in.Type)
		}
		p.WriteByte('\n')
		p.region(r)
	}
	p.tabs()
	p.WriteByte('}')
}

// caseHead prints what leads to a region of a switch.
func (p *printer) caseHead(c *Cases, i int, r *Region, t Type) {
	p.WriteString("case")
	for j, bits := range c.Values[i] {
		if j > 0 {
			p.WriteByte(',')
		}
		p.WriteString(" " + literal(t.Held(), bits))
	}
	if c.Default == i {
		p.WriteString(" default")
	}
	fmt.Fprintf(p, " (%s):", p.params(r.Params))
}

func (p *printer) params(list []Value) string {
	var s []string
	for _, v := range list {
		s = append(s, p.value(v)+" "+p.Type(v).String())
	}
	return strings.Join(s, ", ")
}

// value returns a value as an operand.
func (p *printer) value(v Value) string {
	switch {
	case v == 0:
		return "_"
	case v < 0 || int(v) >= p.Values():
		return fmt.Sprintf("%%%d?", v)
	case p.values[v].known:
		return literal(p.values[v].typ, p.values[v].bits)
	}
	if p.names[v] == 0 { // nothing assigns it
		return fmt.Sprintf("%%?%d", v)
	}
	return fmt.Sprintf("%%%d", p.names[v])
}

// literal returns a constant.
func literal(t Type, bits uint64) string {
	switch t {
	case Bool:
		return strconv.FormatBool(bits != 0)
	case I32:
		return strconv.Itoa(int(int32(bits))) + ":i32"
	case I64:
		return strconv.FormatInt(int64(bits), 10) + ":i64"
	case F32:
		f := math.Float32frombits(uint32(bits))
		if f != f || math.IsInf(float64(f), 0) {
			return fmt.Sprintf("%#x:f32", bits)
		}
		return strconv.FormatFloat(float64(f), 'g', -1, 32) + ":f32"
	}
	if bits == 0 {
		return "null"
	}
	return fmt.Sprintf("%#x:ptr", bits)
}

func (p *printer) list(values []Value) string {
	var s []string
	for _, v := range values {
		s = append(s, p.value(v))
	}
	return strings.Join(s, ", ")
}

// head prints an instruction up to its regions.
func (p *printer) head(in *Instr) {
	if len(in.Results) > 0 {
		var s []string
		for _, v := range in.Results {
			name := p.value(v)
			if anyResult(in.Op) {
				name += " " + p.Type(v).String()
			}
			s = append(s, name)
		}
		p.WriteString(strings.Join(s, ", ") + " = ")
	}
	p.WriteString(in.Op.String())
	if in.Type != Void {
		p.WriteString("." + in.Type.String())
	}
	if usesImm(in.Op) {
		fmt.Fprintf(p, " #%d", in.Imm)
	}
	if len(in.Args) > 0 {
		p.WriteString(" " + p.list(in.Args))
	}
	if aux := p.aux(in.Aux); aux != "" {
		p.WriteString(" " + aux)
	}
	if int(in.Pos) < len(p.Positions) {
		at := p.Positions[in.Pos]
		p.WriteString(" " + p.at(at.Filename, at.Line, at.Column))
	}
	if in.Op == OpLoop && len(in.Regions) > 0 {
		fmt.Fprintf(p, " (%s)", p.params(in.Regions[0].Params))
	}
	if len(in.Regions) > 0 {
		p.WriteString(" {")
	}
}

// anyResult reports whether the types of results follow from nothing else in the text.
func anyResult(op Op) bool {
	signature := table[op].Signature
	_, results, _ := strings.Cut(signature, ":")
	return strings.HasPrefix(results, ".")
}

// usesImm reports whether Imm says something of an operation.
func usesImm(op Op) bool { return imms[op] != noImm }

// aux returns what is particular to an operation.
func (p *printer) aux(aux any) string {
	switch a := aux.(type) {
	case nil, *Cases:
		return ""
	case ByOperator:
		return "[operator]"
	case string:
		return strconv.Quote(a)
	case *Access:
		return a.String()
	case *AtomicAccess:
		return fmt.Sprintf("[%s %s %s]", a.Op, a.Space, a.Kind)
	case *MatrixAccess:
		return fmt.Sprintf("[%s %s]", a.Space, a.Kind)
	case HandleKind:
		return fmt.Sprintf("[%d]", a)
	}
	return encode(aux)
}

// String returns the access as the text has it: "[device float x4 u32*16 +8]".
func (a *Access) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s %s x%d", a.Space, a.Kind, a.Count)
	if a.Index != Void {
		fmt.Fprintf(&b, " %s*%d", a.Index, a.Scale)
	}
	if a.Offset != 0 {
		fmt.Fprintf(&b, " %+d", a.Offset)
	}
	if a.Whole != 0 {
		fmt.Fprintf(&b, " whole %d", a.Whole)
	}
	if a.Site.Line != 0 {
		fmt.Fprintf(&b, " site @%q:%d:%d", a.Site.Filename, a.Site.Line, a.Site.Column)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"checked", a.Checked}, {"bits", a.Bits}, {"packed", a.Packed}, {"unit", a.Unit},
		{"signed", a.Signed}} {
		if flag.set {
			b.WriteString(" " + flag.name)
		}
	}
	b.WriteByte(']')
	return b.String()
}
