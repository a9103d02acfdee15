package ir

import (
	"fmt"
	"strings"
)

// Verify returns what is wrong with a kernel, or nil: passes and machines rely on all that it checks. Each instruction
// has the operands that its row in the table says, values are assigned once and before they are used, each region ends
// with one terminator, and what that hands on is what the construct takes.
func Verify(k *Kernel) error {
	v := &verifier{Kernel: k, assigned: make([]bool, k.Values()), in: make([]bool, k.Values()), labels: map[int]*frame{}}
	v.function("the body", k.Body, nil)
	for _, r := range k.Routines {
		v.function("routine "+r.Name, r.Body, r.Results)
	}
	return v.err
}

// verifier checks a kernel and keeps the first mistake.
type verifier struct {
	*Kernel
	err      error
	assigned []bool // by value: an instruction or a region assigns it
	in       []bool // by value: it may be used here
	scope    []Value
	open     []*frame
	labels   map[int]*frame
	results  []Type
}

// frame is a construct that is being checked.
type frame struct {
	in     *Instr
	region int
}

// fail notes a mistake of an instruction.
func (v *verifier) fail(in *Instr, format string, args ...any) {
	if v.err != nil {
		return
	}
	where := ""
	if in != nil {
		where = v.Text(in) + ": "
	}
	v.err = fmt.Errorf("ir: %s: %s%s", v.Name, where, fmt.Sprintf(format, args...))
}

func (v *verifier) function(what string, body *Region, results []Type) {
	v.results = results
	v.region(nil, what, body)
}

// region checks a region of an instruction.
func (v *verifier) region(of *Instr, what string, r *Region) {
	if v.err != nil {
		return
	}
	if r == nil || len(r.Code) == 0 {
		v.fail(of, "%s is empty", what)
		return
	}
	outer := len(v.scope)
	for _, p := range r.Params {
		v.assign(of, p)
	}
	for i, in := range r.Code {
		if in.Op == 0 || in.Op >= ops {
			v.fail(nil, "an instruction has no operation")
			return
		}
		if ends := in.Op.Info().Has(Terminates); ends != (i == len(r.Code)-1) {
			v.fail(in, "a region ends with a terminator, which stands nowhere else")
		}
		v.instruction(in)
		if v.err != nil {
			return
		}
	}
	for _, value := range v.scope[outer:] {
		v.in[value] = false
	}
	v.scope = v.scope[:outer]
}

// assign notes that a value is assigned here.
func (v *verifier) assign(in *Instr, value Value) {
	switch {
	case value <= 0 || int(value) >= v.Values():
		v.fail(in, "there is no value %%%d", value)
	case v.values[value].known:
		v.fail(in, "a constant is assigned")
	case v.assigned[value]:
		v.fail(in, "a value is assigned twice")
	default:
		v.assigned[value], v.in[value] = true, true
		v.scope = append(v.scope, value)
	}
}

func (v *verifier) instruction(in *Instr) {
	info := in.Op.Info()
	if !info.On(in.Type) {
		v.fail(in, "%s does not take %s", in.Op, in.Type)
		return
	}
	for _, a := range in.Args {
		v.use(in, a)
	}
	operands, results, _ := strings.Cut(info.Signature, ":")
	if _, ok := in.Aux.(*Access); in.Op.addresses() && !ok {
		v.fail(in, "it has no access")
		return
	}
	v.match(in, "operands", operands, in.Args)
	v.match(in, "results", results, in.Results)
	if v.err != nil {
		return
	}
	if !imms[in.Op].fits(in.Imm, in.Type) && !(in.Op == OpUnset && in.Imm < 0) {
		v.fail(in, "#%d is not what it takes", in.Imm)
	}
	if in.Pos < 0 || int(in.Pos) >= max(len(v.Positions), 1) {
		v.fail(in, "position %d", in.Pos)
	}
	if info.Has(Constructs) {
		v.construct(in)
	} else if len(in.Regions) > 0 {
		v.fail(in, "%s has regions", in.Op)
	}
	if check := auxChecks[in.Op]; check != nil && v.err == nil {
		check(v, in)
	}
	for _, r := range in.Results {
		v.assign(in, r)
	}
}

func (v *verifier) use(in *Instr, a Value) {
	switch {
	case a == 0:
	case a < 0 || int(a) >= v.Values():
		v.fail(in, "there is no value %%%d", a)
	case !v.values[a].known && !v.in[a]:
		v.fail(in, "an operand is used where it has no value")
	}
}

// match compares values with a side of a signature.
func (v *verifier) match(in *Instr, what, signature string, values []Value) {
	for i := 0; i < len(signature); i++ {
		letter := signature[i]
		optional, many := false, false
		for i+1 < len(signature) && (signature[i+1] == '?' || signature[i+1] == '*') {
			i++
			optional, many = optional || signature[i] == '?', many || signature[i] == '*'
		}
		if many {
			for ; len(values) > 0; values = values[1:] {
				v.is(in, what, values[0], letter, optional)
			}
			continue
		}
		if len(values) == 0 {
			if !optional {
				v.fail(in, "too few %s", what)
			}
			continue
		}
		if optional && letter == '.' && in.Op.addresses() && in.Aux.(*Access).Index == Void {
			continue
		}
		v.is(in, what, values[0], letter, optional)
		values = values[1:]
	}
	if len(values) > 0 {
		v.fail(in, "too many %s", what)
	}
}

// addresses reports whether an operation has an Access.
func (op Op) addresses() bool { return op == OpLoad || op == OpStore || op == OpCheck }

func (v *verifier) is(in *Instr, what string, value Value, letter byte, optional bool) {
	if value == 0 {
		if !optional {
			v.fail(in, "one of the %s is missing", what)
		}
		return
	}
	if value < 0 || int(value) >= v.Values() {
		return // has been said
	}
	if want := letterType(letter, in.Type); want != Void && v.Type(value) != want {
		v.fail(in, "one of the %s is %s, not %s", what, v.Type(value), want)
	}
}

// construct checks the regions of an instruction.
func (v *verifier) construct(in *Instr) {
	if v.labels[in.Label()] != nil || in.Label() <= 0 {
		v.fail(in, "two constructs have the label %d", in.Label())
		return
	}
	want := 1
	switch in.Op {
	case OpIf:
		want = 2
	case OpSwitch:
		cases, ok := in.Aux.(*Cases)
		if ok && cases.Default < 0 {
			v.fail(in, "it has no default: a region of its own, of a single leave, is one")
			return
		}
		if !ok || cases.Default >= len(in.Regions) || len(cases.Values) != len(in.Regions) {
			v.fail(in, "its cases are not those of its regions")
			return
		}
		want = len(in.Regions)
	}
	if len(in.Regions) != want {
		v.fail(in, "%d regions, not %d", len(in.Regions), want)
		return
	}
	initial := in.Initial()
	f := &frame{in: in}
	v.labels[in.Label()] = f
	v.open = append(v.open, f)
	for i, r := range in.Regions {
		f.region = i
		if r != nil {
			v.same(in, "parameters", v.typesOf(initial), r.Params)
		}
		v.region(in, in.Op.String(), r)
	}
	v.open = v.open[:len(v.open)-1]
}

// typesOf returns the types of values.
func (v *verifier) typesOf(values []Value) []Type {
	list := make([]Type, len(values))
	for i, value := range values {
		if value >= 0 && int(value) < v.Values() {
			list[i] = v.Type(value)
		}
	}
	return list
}

// same compares the types of values with those that are wanted.
func (v *verifier) same(in *Instr, what string, want []Type, have []Value) {
	if len(want) != len(have) {
		v.fail(in, "%d %s, not %d", len(have), what, len(want))
		return
	}
	for i, t := range v.typesOf(have) {
		if t != want[i].Held() {
			v.fail(in, "one of the %s is %s, not %s", what, t, want[i])
		}
	}
}

// goesOn checks a terminator that leads to a label, and returns the construct.
func (v *verifier) goesOn(in *Instr) *frame {
	for _, f := range v.open {
		if f.in.Label() == in.Label() {
			return f
		}
	}
	v.fail(in, "it is not within a construct with the label %d", in.Label())
	return nil
}
