package ir

import "strings"

// region reads instructions up to the } that ends their region, or the case that begins the next one.
func (p *textParser) region(r *Region) {
	if p.depth++; p.depth > maxNested {
		p.fail("regions nest deeper than %d", maxNested)
	}
	for !p.next("}") && !p.isCase() {
		r.Code = append(r.Code, p.instruction())
	}
	p.depth--
}

func (p *textParser) isCase() bool {
	p.space()
	return p.rest(isLetter) == "case"
}

// result is a result of an instruction, as far as it has been read.
type result struct {
	number int
	typ    Type
}

func (p *textParser) instruction() *Instr {
	in := &Instr{}
	var results []result
	for p.next("%") {
		r := result{number: p.valueNumber()}
		if !p.next(",") && !p.next("=") {
			r.typ = p.typeName()
		}
		results = append(results, r)
		p.has(",")
	}
	if len(results) > 0 {
		p.want("=")
	}
	name := p.word()
	op, ok := Named(name)
	if !ok {
		p.fail("there is no operation %q", name)
	}
	in.Op = op
	if p.has(".") {
		in.Type = p.typeName()
	}
	if p.has("#") {
		in.Imm = p.imm(op)
	}
	for p.isOperand() {
		in.Args = append(in.Args, p.operand())
		if !p.has(",") {
			break
		}
	}
	in.Aux = p.aux(op)
	if p.next("@") {
		in.Pos = int32(len(p.Positions))
		p.Positions = append(p.Positions, p.position())
	}
	for i, r := range results {
		if r.typ == Void {
			r.typ = p.resultType(op, in, i)
		}
		in.Results = append(in.Results, p.assigned(r.number, r.typ))
	}
	if op.Info().Has(Constructs) {
		p.regions(in)
	}
	return in
}

// imm reads the Imm of an operation. Labels are counted.
func (p *textParser) imm(op Op) int64 {
	switch op {
	case OpBlock, OpIf, OpLoop, OpSwitch, OpLeave, OpAgain, OpFall:
		n := p.count(maxText)
		if n > len(p.text) {
			p.fail("a label of at most %d is wanted here", len(p.text))
		}
		p.labels = max(p.labels, n)
		return int64(n)
	}
	return p.number()
}

// isOperand reports whether an operand is next, in the line.
func (p *textParser) isOperand() bool {
	line := p.at
	p.space()
	if p.at == len(p.text) || strings.Contains(p.text[line:p.at], "\n") {
		return false
	}
	c := p.text[p.at]
	if c == '%' || c == '-' || c >= '0' && c <= '9' {
		return true
	}
	switch w := p.rest(isLetter); w {
	case "_", "true", "false", "null":
		return true
	}
	return false
}

// resultType returns the type of a result that the text leaves out, because it follows from the operation.
func (p *textParser) resultType(op Op, in *Instr, i int) Type {
	_, results, _ := strings.Cut(op.Info().Signature, ":")
	results = strings.Trim(results, "*?")
	if results == "" {
		p.fail("%s has no results", op)
	}
	if t := letterType(results[min(i, len(results)-1)], in.Type); t != Void {
		return t
	}
	p.fail("the type of the result is wanted before =")
	return Void
}

func (p *textParser) regions(in *Instr) {
	body := &Region{}
	if in.Op == OpLoop {
		p.want("(")
		body.Params = p.params(")")
	}
	p.want("{")
	if in.Op == OpSwitch {
		p.cases(in)
		p.want("}")
		return
	}
	in.Regions = append(in.Regions, body)
	p.region(body)
	p.want("}")
	if in.Op == OpIf {
		p.want("else")
		p.want("{")
		other := &Region{}
		in.Regions = append(in.Regions, other)
		p.region(other)
		p.want("}")
	}
}

func (p *textParser) cases(in *Instr) {
	cases := &Cases{Default: -1} // which Verify does not accept
	for p.hasWord("case") {
		var values []uint64
		for !p.next("(") {
			if p.hasWord("default") {
				cases.Default = len(in.Regions)
				break
			}
			_, bits := p.literal()
			values = append(values, bits)
			p.has(",")
		}
		p.want("(")
		r := &Region{Params: p.params(")")}
		p.want(":")
		p.region(r)
		cases.Values = append(cases.Values, values)
		in.Regions = append(in.Regions, r)
	}
	in.Aux = cases
}

// aux reads what is particular to an operation.
func (p *textParser) aux(op Op) any {
	switch {
	case op == OpTexture && p.next("{"):
		call := &TextureCall{}
		p.decode(call)
		return call
	case op == OpLog && p.next("{"):
		call := &LogCall{}
		p.decode(call)
		return call
	case op == OpPick && p.next("{"), op == OpCheckIndex && p.next("{"):
		parts := &Parts{}
		p.decode(parts)
		return parts
	case p.next(`"`):
		return p.quoted()
	case !p.has("["):
		return nil
	}
	switch op {
	case OpIf, OpSelect:
		p.want("operator")
		p.want("]")
		return ByOperator{}
	case OpToMem, OpFromMem:
		kind := HandleKind(p.count(int(SamplerHandle)))
		p.want("]")
		return kind
	case OpAtomic, OpExchange:
		a := &AtomicAccess{Op: AtomicOp(p.oneOf(atomicNames[:])), Space: Space(p.oneOf(spaceNames[:])), Kind: p.scalar()}
		p.want("]")
		return a
	case OpMatrixLoad, OpMatrixStore:
		a := &MatrixAccess{Space: Space(p.oneOf(spaceNames[:])), Kind: p.scalar()}
		p.want("]")
		return a
	}
	return p.access()
}

// oneOf reads one of some names, and returns its number.
func (p *textParser) oneOf(names []string) int {
	n := named(names, p.word())
	if n < 0 {
		p.fail("one of %s is wanted here", strings.Join(names, ", "))
	}
	return n
}

func (p *textParser) access() *Access {
	a := &Access{Space: Space(p.oneOf(spaceNames[:])), Kind: p.scalar()}
	p.want("x")
	a.Count = p.count(maxText)
	for !p.has("]") {
		switch {
		case p.next("+"), p.next("-"):
			a.Offset = p.number()
		case p.hasWord("whole"):
			a.Whole = p.count(maxText)
		case p.hasWord("site"):
			a.Site = p.position()
		case p.hasWord("checked"):
			a.Checked = true
		case p.hasWord("bits"):
			a.Bits = true
		case p.hasWord("packed"):
			a.Packed = true
		case p.hasWord("unit"):
			a.Unit = true
		case p.hasWord("signed"):
			a.Signed = true
		default:
			a.Index = p.typeName()
			p.want("*")
			a.Scale = int32(p.count(maxText))
		}
	}
	return a
}
