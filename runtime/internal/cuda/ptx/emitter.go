package ptx

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
)

// emitter writes the text of a kernel.
type emitter struct {
	*ir.Kernel
	Options
	module   *Module
	fieldAt  map[fieldKey]int
	declared []string // outside of the function
	locals   []string // thread memory
	// The function: what all threads do first, its code, and faults.
	head, code, tail strings.Builder

	registers [classes]int
	regOf     []string // by value
	by        []*ir.Instr
	uses      []int             // by value, where sums are fused
	known     map[string]string // what head has computed

	addressed []bool // by object: something takes its address
	padded    []bool // by object: it has gaps
	origins   []int  // by value, of pointers
	zeros     []int  // by value, of pointers: how many low bits of the offset are 0
	labels    int
	symbols   map[string]bool
	mask      string       // the active lanes; "" where nothing needs them
	exact     bool         // something needs them
	everyone  string       // those of the simd-group that the threadgroup has
	parting   map[int]bool // the labels of constructs in which they may part
	phase     string       // the register of how many barriers have been passed; "" without barriers
	exit      string       // the register of where a lane that has left goes on
	construct map[int]*construct
	around    *construct
	together  map[*ir.Instr]*together
	fused     map[*ir.Instr]fusedSum
	within    map[*ir.Instr]bool // products that are part of these, or of pairs

	below  map[ir.Value]uint64 // how great counted numbers are at most
	halves map[ir.Value]string // registers with the bits of a value as half, which it was loaded as
	joint  *rounds             // that are being done together; nil elsewhere

	routines  routines
	resources resources
	logs      logs

	noted string     // the predicate of what goes wrong in rounds that are done together; "" elsewhere
	sides []ir.Value // in these, the conditions of branches on whose first sides it is
	only  string     // in these, the predicate of the side of a branch; "" outside of such

	tensor  bool // products of matrices go to tensor cores
	layouts map[ir.Value]layout
	packs   map[ir.Value]string  // registers with both elements of a lane, by the first one
	splits  map[string][2]string // what floats are the sums of, by their registers, in this region since a construct
	pairs   map[*ir.Instr]*ir.Instr
	chained map[*ir.Instr]*ir.Instr // pairs that are computed with the one whose sums they go on from
}

// class is the kind of a register.
type class uint8

const (
	predClass class = iota
	halfClass
	wordClass
	longClass
	floatClass
	doubleClass
	classes
)

var (
	classNames = [classes]string{"p", "h", "r", "l", "f", "q"}
	classTypes = [classes]string{"pred", "b16", "b32", "b64", "f32", "f64"}
)

func newEmitter(k *ir.Kernel, o Options) *emitter {
	e := &emitter{
		Kernel: k, Options: o, module: &Module{Kernel: k, Entry: entryName(k.Name)}, fieldAt: map[fieldKey]int{},
		regOf: make([]string, k.Values()), by: make([]*ir.Instr, k.Values()), known: map[string]string{},
		symbols: map[string]bool{}, construct: map[int]*construct{}, together: map[*ir.Instr]*together{},
		fused: map[*ir.Instr]fusedSum{}, within: map[*ir.Instr]bool{},
		below: map[ir.Value]uint64{}, halves: map[ir.Value]string{},
		layouts: map[ir.Value]layout{}, packs: map[ir.Value]string{}, splits: map[string][2]string{},
		pairs: map[*ir.Instr]*ir.Instr{}, chained: map[*ir.Instr]*ir.Instr{},
	}
	e.Align, e.Threads = max(o.Align, 1), cmp.Or(o.Threads, 1024)
	for in := range k.All() {
		for _, v := range in.Results {
			e.by[v] = in
		}
	}
	return e
}

// classOf returns which registers hold values of a type.
func classOf(t ir.Type) class {
	switch t.Held() {
	case ir.Bool:
		return predClass
	case ir.I64, ir.Ptr:
		return longClass
	case ir.F32:
		return floatClass
	}
	return wordClass
}

// fresh returns a new register.
func (e *emitter) fresh(c class) string {
	n := e.registers[c]
	e.registers[c]++
	return fmt.Sprintf("%%%s%d", classNames[c], n)
}

// reg returns the register of a value. That of a constant is set first.
func (e *emitter) reg(v ir.Value) string {
	if bits, ok := e.Bits(v); ok {
		c := classOf(e.Type(v))
		r := e.fresh(c)
		e.op("mov.%s %s, %s;", classTypes[c], r, immediate(e.Type(v), bits))
		return r
	}
	if e.regOf[v] == "" {
		e.regOf[v] = e.fresh(classOf(e.Type(v)))
	}
	return e.regOf[v]
}

// operand returns the register of a value, or the text of a constant that is no bool.
func (e *emitter) operand(v ir.Value) string {
	if bits, ok := e.Bits(v); ok && e.Type(v) != ir.Bool {
		return immediate(e.Type(v), bits)
	}
	return e.reg(v)
}

// immediate returns the text of a constant.
func immediate(t ir.Type, bits uint64) string {
	switch t.Held() {
	case ir.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case ir.I64, ir.Ptr:
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(int32(bits))
}

// op writes an instruction.
func (e *emitter) op(format string, args ...any) { write(&e.code, format, args...) }

// first writes an instruction that all threads execute before all others.
func (e *emitter) first(format string, args ...any) { write(&e.head, format, args...) }

func write(to *strings.Builder, format string, args ...any) {
	to.WriteByte('\t')
	fmt.Fprintf(to, format, args...)
	to.WriteByte('\n')
}

// declare writes a declaration of the module.
func (e *emitter) declare(format string, args ...any) {
	e.declared = append(e.declared, fmt.Sprintf(format, args...))
}

// label returns a new label.
func (e *emitter) label() string {
	e.labels++
	return fmt.Sprintf("L%d", e.labels)
}

func (e *emitter) place(label string) { e.code.WriteString(label + ":\n") }

// once returns the register of what all threads compute before all else, which write makes the first time.
func (e *emitter) once(name string, c class, write func(r string)) string {
	if r, ok := e.known[name]; ok {
		return r
	}
	r := e.fresh(c)
	e.known[name] = r
	write(r)
	return r
}

// parameter returns a register with a parameter of a type such as "u64".
func (e *emitter) parameter(kind FieldKind, index, offset int, typ string) string {
	at := e.fieldAt[fieldKey{kind, index}] + offset
	c := wordClass
	if strings.HasSuffix(typ, "64") {
		c = longClass
	}
	return e.once(fmt.Sprintf("parameter %d", at), c, func(r string) {
		e.first("ld.param.%s %s, [args+%d];", typ, r, at)
	})
}

// expand writes a template: lines with {d} for the result, {a} {b} {c} for operands, where {a} is a register, {n} for a
// number, and {r1}, {l2} and so on for registers of the template's own, by their class. < and > stand for PTX's braces.
func (e *emitter) expand(template, d string, operands []string, n int64) {
	own := map[string]string{}
	var out strings.Builder
	for rest := template; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			out.WriteString(rest)
			break
		}
		end := open + strings.IndexByte(rest[open:], '}')
		out.WriteString(rest[:open])
		out.WriteString(e.placeholder(rest[open+1:end], d, operands, n, own))
		rest = rest[end+1:]
	}
	text := strings.NewReplacer("<", "{", ">", "}").Replace(strings.TrimSpace(out.String()))
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") {
			e.place(strings.TrimSuffix(line, ":"))
		} else {
			e.op("%s", line)
		}
	}
}

func (e *emitter) placeholder(name, d string, operands []string, n int64, own map[string]string) string {
	switch name {
	case "d":
		return d
	case "a", "b", "c":
		return operands[name[0]-'a']
	case "n":
		return fmt.Sprint(n)
	case "exp2", "loge", "log2", "log10", "2/pi":
		return e.mathTable(name)
	}
	if r, ok := own[name]; ok {
		return r
	}
	r := ""
	if name[0] == 'L' {
		r = e.label()
	} else {
		c := strings.Index(strings.Join(classNames[:], ""), name[:1])
		r = e.fresh(class(c))
	}
	own[name] = r
	return r
}

// mathTable returns the name of a table of package template, which it declares the first time.
func (e *emitter) mathTable(name string) string {
	symbol := "table_" + strings.TrimPrefix(name, "2/")
	if !e.symbols[symbol] {
		e.symbols[symbol] = true
		typ, list := template.Table(name)
		e.declare(".global .align 16 .%s %s[%d] = {%s};", typ, symbol, len(list), strings.Join(list, ", "))
	}
	return symbol
}
