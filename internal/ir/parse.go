package ir

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Limits of what is read, so that no text takes more memory than its length warrants.
const (
	maxText   = 1 << 24 // of a number of something
	maxSize   = 1 << 50 // of the bytes of an object, which nobody allocates
	maxNested = 1 << 14 // regions
)

// Parse returns the kernel of a text as [Kernel.String] prints it. Errors have the name of the text, line and column.
// The kernel is as the text says: [Verify] reports whether it makes sense.
func Parse(name, text string) (k *Kernel, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case syntaxError:
			k, err = nil, r.error
		default:
			panic(r)
		}
	}()
	p := &textParser{lexer: lexer{name: name, text: text}, values: map[int]Value{}}
	p.kernel()
	return p.Kernel, nil
}

// textParser reads a kernel.
type textParser struct {
	lexer
	*Kernel
	values map[int]Value // by their numbers in the text
	depth  int
}

func (p *textParser) kernel() {
	p.want("kernel")
	name := p.quoted()
	p.Kernel = NewKernel(name, parser.Pos{})
	p.Pos = p.position()
	p.want("{")
	for !p.has("}") {
		switch what := p.word(); what {
		case "volatile":
			p.Volatile = true
		case "object":
			p.object()
		case "input":
			p.same(len(p.Inputs))
			p.Inputs = append(p.Inputs, Input{Attribute: p.word(), Component: p.count(2)})
		case "constant":
			p.constant()
		case "log":
			p.same(len(p.Logs))
			p.Logs = append(p.Logs, LogObject{p.quoted(), p.quoted()})
		case "local":
			p.same(len(p.Locals))
			p.Locals = append(p.Locals, Local{Name: p.quoted(), Type: p.typeName()})
		case "body":
			p.want("{")
			p.region(p.Body)
			p.want("}")
		case "routine":
			p.routine()
		default:
			p.fail("volatile, an object, input, constant, log, local, body or routine is wanted here, not %q", what)
		}
	}
	p.space()
	if p.at < len(p.text) {
		p.fail("the text goes on after the kernel")
	}
}

// same reads the number of something, which is how many there are so far.
func (p *textParser) same(n int) {
	if p.count(maxText) != n {
		p.fail("number %d is wanted here", n)
	}
}

func (p *textParser) typeName() Type {
	t, ok := TypeNamed(p.word())
	if !ok {
		p.fail("a type is wanted here")
	}
	return t
}

// position reads "@line:column" or "@"file":line:column"; there may be none.
func (p *textParser) position() parser.Pos {
	if !p.has("@") {
		return parser.Pos{}
	}
	at := parser.Pos{Filename: p.Pos.Filename}
	if p.next(`"`) {
		at.Filename = p.quoted()
		p.want(":")
	}
	at.Line = p.count(math.MaxInt32)
	p.want(":")
	at.Column = p.count(math.MaxInt32)
	return at
}

func (p *textParser) object() {
	p.same(len(p.Objects))
	kind := named(objectKindNames[:], p.word())
	if kind < 0 {
		p.fail("a kind of object is wanted here")
	}
	o := &Object{Kind: ObjectKind(kind), Name: p.quoted(), Routine: -1}
	o.Pos = p.position()
	for {
		switch {
		case p.hasWord("index"):
			o.Index = p.count(maxText)
		case p.hasWord("size"):
			o.Size = p.count(maxSize)
		case p.hasWord("of"):
			o.Routine = p.count(maxText)
		case p.hasWord("readonly"):
			o.ReadOnly = true
		case p.hasWord("optional"):
			o.Optional = true
		case p.hasWord("zeroed"):
			o.Zeroed = true
		case p.hasWord("bytes"):
			o.Bytes = []byte(p.quoted())
		case p.next("{"):
			o.Sampler = &tree.SamplerState{}
			p.decode(o.Sampler)
		default:
			p.AddObject(o)
			return
		}
	}
}

// decode reads what encode has printed.
func (p *textParser) decode(to any) {
	d := json.NewDecoder(strings.NewReader(p.text[p.at:]))
	if err := d.Decode(to); err != nil {
		p.fail("%s", err)
	}
	p.at += int(d.InputOffset())
}

// named returns the number of a name, or -1.
func named(names []string, name string) int {
	for i, n := range names {
		if n == name && n != "" {
			return i
		}
	}
	return -1
}

func (p *textParser) constant() {
	p.same(len(p.Constants))
	c := FunctionConstant{Name: p.quoted(), Kind: p.scalar()}
	p.want("index")
	c.Index = p.count(maxText)
	p.want("component")
	c.Component = p.count(3)
	p.Constants = append(p.Constants, c)
}

func (p *textParser) scalar() Scalar {
	name := p.word()
	for s, info := range scalarInfos {
		if info.name == name {
			return Scalar(s)
		}
	}
	p.fail("a scalar in memory is wanted here, not %q", name)
	return 0
}

func (p *textParser) routine() {
	p.same(len(p.Routines))
	r := &Routine{Name: p.quoted(), Body: &Region{}}
	r.Pos = p.position()
	p.want("(")
	r.Body.Params = p.params(")")
	p.want(":")
	p.want("(")
	for !p.has(")") {
		r.Results = append(r.Results, p.typeName())
		p.has(",")
	}
	p.Routines = append(p.Routines, r)
	p.want("{")
	p.region(r.Body)
	p.want("}")
}

// params reads parameters with their types, up to a mark.
func (p *textParser) params(end string) []Value {
	var list []Value
	for !p.has(end) {
		n := p.valueNumber()
		list = append(list, p.assigned(n, p.typeName()))
		p.has(",")
	}
	return list
}

func (p *textParser) valueNumber() int {
	p.want("%")
	return p.count(maxText)
}

// assigned returns a new value for a number in the text.
func (p *textParser) assigned(n int, t Type) Value {
	v := p.NewValue(t)
	if _, ok := p.values[n]; ok {
		p.fail("%%%d is assigned twice", n)
	}
	p.values[n] = v
	return v
}

// operand reads an operand.
func (p *textParser) operand() Value {
	p.space()
	switch {
	case p.hasWord("_"):
		return 0
	case p.hasWord("true"):
		return p.Known(Bool, 1)
	case p.hasWord("false"):
		return p.Known(Bool, 0)
	case p.hasWord("null"):
		return p.Known(Ptr, 0)
	case p.next("%"):
		n := p.valueNumber()
		v, ok := p.values[n]
		if !ok {
			p.fail("%%%d is not assigned before it is used", n)
		}
		return v
	}
	t, bits := p.literal()
	return p.Known(t, bits)
}

// literal reads a number and its type.
func (p *textParser) literal() (Type, uint64) {
	p.space()
	s := p.rest(func(c byte) bool { return isLetter(c) || c == '-' || c == '+' || c == '.' })
	at := p.at
	p.at += len(s)
	p.want(":")
	t := p.typeName()
	p.at, at = at, p.at
	bits, ok := bitsIn(s, t)
	if !ok {
		p.fail("%q is no %s", s, t)
	}
	p.at = at
	return t, bits
}

func bitsIn(s string, t Type) (uint64, bool) {
	if t == F32 && !strings.HasPrefix(s, "0x7") && !strings.HasPrefix(s, "0xf") {
		f, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(f))), err == nil
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil && t != F32 {
		return uint64(n), true
	}
	n, err := strconv.ParseUint(s, 0, 64)
	return n, err == nil && t.Bits() >= 32
}
