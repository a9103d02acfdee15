package preprocess

// evaluation is the evaluation of one condition, by recursive descent.
type evaluation struct {
	p      *preprocessor
	tokens []Token
	next   int
	end    Pos
	depth  int
	unused int // > 0 where the value does not count, as after 0 &&
	failed bool
}

// number is the value of a condition: 64 bits, read as signed or unsigned.
type number struct {
	bits     uint64
	unsigned bool
}

// binaryOperator is an operator of conditions between two operands.
type binaryOperator struct {
	precedence int
	do         func(a, b number) uint64
	kind       operatorKind
}

type operatorKind uint8

const (
	arithmetic operatorKind = iota // unsigned when an operand is
	division                       // unsigned when an operand is, and not by zero
	shift                          // unsigned when the left operand is
	relation                       // 0 or 1
	logical                        // 0 or 1, and the right operand may not count
)

func flag(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// The operands have been made both signed or both unsigned, but for shifts.
var binaryOperators = map[string]binaryOperator{
	"||": {1, func(a, b number) uint64 { return flag(a.bits != 0 || b.bits != 0) }, logical},
	"&&": {2, func(a, b number) uint64 { return flag(a.bits != 0 && b.bits != 0) }, logical},
	"|":  {3, func(a, b number) uint64 { return a.bits | b.bits }, arithmetic},
	"^":  {4, func(a, b number) uint64 { return a.bits ^ b.bits }, arithmetic},
	"&":  {5, func(a, b number) uint64 { return a.bits & b.bits }, arithmetic},
	"==": {6, func(a, b number) uint64 { return flag(a.bits == b.bits) }, relation},
	"!=": {6, func(a, b number) uint64 { return flag(a.bits != b.bits) }, relation},
	"<":  {7, func(a, b number) uint64 { return flag(a.less(b)) }, relation},
	">":  {7, func(a, b number) uint64 { return flag(b.less(a)) }, relation},
	"<=": {7, func(a, b number) uint64 { return flag(!b.less(a)) }, relation},
	">=": {7, func(a, b number) uint64 { return flag(!a.less(b)) }, relation},
	"<<": {8, func(a, b number) uint64 { return a.bits << b.bits }, shift},
	">>": {8, func(a, b number) uint64 { return a.rightShifted(b) }, shift},
	"+":  {9, func(a, b number) uint64 { return a.bits + b.bits }, arithmetic},
	"-":  {9, func(a, b number) uint64 { return a.bits - b.bits }, arithmetic},
	"*":  {10, func(a, b number) uint64 { return a.bits * b.bits }, arithmetic},
	"/": {10, func(a, b number) uint64 {
		if a.unsigned {
			return a.bits / b.bits
		}
		return uint64(int64(a.bits) / int64(b.bits))
	}, division},
	"%": {10, func(a, b number) uint64 {
		if a.unsigned {
			return a.bits % b.bits
		}
		return uint64(int64(a.bits) % int64(b.bits))
	}, division},
}

var unaryOperators = map[string]func(number) number{
	"+": func(a number) number { return a },
	"-": func(a number) number { return number{-a.bits, a.unsigned} },
	"~": func(a number) number { return number{^a.bits, a.unsigned} },
	"!": func(a number) number { return number{bits: flag(a.bits == 0)} },
}

func (a number) less(b number) bool {
	if a.unsigned {
		return a.bits < b.bits
	}
	return int64(a.bits) < int64(b.bits)
}

// rightShifted shifts as clang does: a count that is too large, or negative,
// shifts as far as can be.
func (a number) rightShifted(b number) uint64 {
	if a.unsigned {
		return a.bits >> min(b.bits, 63)
	}
	return uint64(int64(a.bits) >> min(b.bits, 63))
}

// peek returns the operator that is next, or another token's text, or "" at the end.
func (e *evaluation) peek() string {
	if e.next == len(e.tokens) || e.failed {
		return ""
	}
	t := &e.tokens[e.next]
	switch t.Kind {
	case Punct:
		return t.Text
	case Ident:
		return Operator(t.Text)
	}
	return ""
}

// fail reports the first error of the condition, at the token that is next.
func (e *evaluation) fail(format string, args ...any) number {
	if !e.failed {
		pos := e.end
		if e.next < len(e.tokens) {
			pos = e.tokens[e.next].Pos
		}
		e.p.reporter.error(pos, format, args...)
		e.failed = true
	}
	return number{}
}

// nested guards the stack.
func (e *evaluation) nested(parse func() number) number {
	if e.depth == maxNesting {
		return e.fail("the condition is nested more than %d deep", maxNesting)
	}
	e.depth++
	v := parse()
	e.depth--
	return v
}

// choice evaluates a ? b : c and whatever binds closer.
func (e *evaluation) choice() number {
	holds := e.binary(1)
	if e.peek() != "?" {
		return holds
	}
	e.next++
	yes := e.branch(holds.bits == 0)
	if e.peek() != ":" {
		return e.fail("the condition lacks a : for its ?")
	}
	e.next++
	no := e.branch(holds.bits != 0)
	v := no
	if holds.bits != 0 {
		v = yes
	}
	return number{v.bits, yes.unsigned || no.unsigned}
}

func (e *evaluation) branch(unused bool) number {
	e.unused += int(flag(unused))
	v := e.nested(e.choice)
	e.unused -= int(flag(unused))
	return v
}

// binary evaluates operators that bind at least as close as least.
func (e *evaluation) binary(least int) number {
	left := e.unary()
	for {
		name := e.peek()
		op, ok := binaryOperators[name]
		if !ok || op.precedence < least {
			return left
		}
		at := e.next
		e.next++
		unused := op.kind == logical && (left.bits != 0) == (name == "||")
		e.unused += int(flag(unused))
		right := e.binary(op.precedence + 1)
		e.unused -= int(flag(unused))
		if e.failed {
			return number{}
		}
		unsigned := left.unsigned || right.unsigned
		if op.kind != shift {
			left.unsigned, right.unsigned = unsigned, unsigned
		}
		if op.kind == division && right.bits == 0 {
			if e.unused == 0 {
				e.next = at
				return e.fail("division by zero in the condition")
			}
			right.bits = 1
		}
		left.bits = op.do(left, right)
		if op.kind >= relation {
			left.unsigned = false
		}
	}
}

func (e *evaluation) unary() number {
	if op := unaryOperators[e.peek()]; op != nil {
		e.next++
		return op(e.nested(e.unary))
	}
	return e.operand()
}

func (e *evaluation) operand() number {
	if e.failed {
		return number{}
	}
	if e.next == len(e.tokens) {
		return e.fail("the condition ends where a value is expected")
	}
	t := &e.tokens[e.next]
	v, problem := number{}, ""
	switch {
	case t.Is("("):
		e.next++
		v = e.nested(e.choice)
		if e.peek() != ")" {
			return e.fail("the condition lacks a )")
		}
	case t.Kind == Int:
		v, problem = integer(t.Text)
	case t.Kind == Char:
		v, problem = charNumber(t.Text)
	case t.Kind == Float:
		problem = "is not an integer"
	case t.Kind != Ident:
		problem = "stands where a value is expected"
	case t.Text == "true":
		v.bits = 1
	case e.next+1 < len(e.tokens) && e.tokens[e.next+1].Is("("):
		problem = "is not defined as a macro with arguments"
	}
	if problem != "" {
		return e.fail("%s %s", t.Text, problem)
	}
	e.next++
	return v
}

// integer reads an integer literal.
func integer(text string) (v number, problem string) {
	bits, unsigned, _, err := Integer(text)
	if err != nil {
		return number{}, "is not an integer of at most 64 bits"
	}
	return number{bits, unsigned || int64(bits) < 0}, ""
}

// charNumber reads a character literal.
func charNumber(text string) (v number, problem string) {
	value, _, problem := character(text)
	return number{bits: uint64(int64(value))}, problem
}
