package text

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/live"
)

// Writer writes the text of a kernel.
type Writer struct {
	// Head is what all threads execute before Code, and Tail is reached by branches alone.
	Head, Code, Tail Part

	Declared []string // outside of the function
	Private  []string // at its beginning

	registers [Classes]int
	labels    int
	known     map[string]string // what Head has computed
	made      map[string]string // what Again has made since the last label
	begun     map[string]bool
}

// NewWriter returns a writer that has written nothing.
func NewWriter() *Writer {
	return &Writer{known: map[string]string{}, made: map[string]string{}, begun: map[string]bool{}}
}

// Part is some lines of the text.
type Part struct{ strings.Builder }

// Line writes an instruction.
func (p *Part) Line(format string, args ...any) {
	p.WriteByte('\t')
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// Fresh returns a new register.
func (w *Writer) Fresh(c Class) string {
	n := w.registers[c]
	w.registers[c]++
	return fmt.Sprintf("%%%s%d", names[c], n)
}

// Op writes an instruction.
func (w *Writer) Op(format string, args ...any) { w.Code.Line(format, args...) }

// First writes an instruction that all threads execute before all others.
func (w *Writer) First(format string, args ...any) { w.Head.Line(format, args...) }

// Declare writes a declaration of the module.
func (w *Writer) Declare(format string, args ...any) {
	w.Declared = append(w.Declared, fmt.Sprintf(format, args...))
}

// Begins reports whether something has not been asked for by this name before: it is declared, or written, once.
func (w *Writer) Begins(name string) bool {
	was := w.begun[name]
	w.begun[name] = true
	return !was
}

// Label returns a new label.
func (w *Writer) Label() string { return w.LabelOf("L", 1) }

// LabelOf returns a new label with some letters before its number, which is so many after the last one.
func (w *Writer) LabelOf(letters string, after int) string {
	name := fmt.Sprint(letters, w.labels+after)
	w.labels++
	return name
}

// Place writes where a label is.
func (w *Writer) Place(label string) {
	w.Code.WriteString(label + ":\n")
	clear(w.made)
}

// Return writes where a label is to which nothing comes but what left the code just before it, and changed nothing.
func (w *Writer) Return(label string) { w.Code.WriteString(label + ":\n") }

// Once returns the register of what all threads compute before all else, which write makes the first time.
func (w *Writer) Once(name string, c Class, write func(r string)) string {
	if r, ok := w.known[name]; ok {
		return r
	}
	r := w.Fresh(c)
	w.known[name] = r
	write(r)
	return r
}

// Computed returns what an instruction makes of the operands, before all else.
func (w *Writer) Computed(op string, operands ...any) string {
	name := fmt.Sprintln(append([]any{op}, operands...)...)
	return w.Once(name, Word, func(r string) {
		line := op + " " + r
		for _, o := range operands {
			line += fmt.Sprintf(", %v", o)
		}
		w.First("%s;", line)
	})
}

// Make writes an instruction, and returns the register of its result.
func (w *Writer) Make(c Class, op string, operands ...string) string {
	r := w.Fresh(c)
	line := op + " " + r
	for _, o := range operands {
		line += ", " + o
	}
	w.Op("%s;", line)
	return r
}

// Again is Make for what stays what it is: where the same instruction has been written since the last label, it returns
// the register of that.
func (w *Writer) Again(c Class, op string, operands ...string) string {
	name := op + " " + strings.Join(operands, ", ")
	r, ok := w.made[name]
	if !ok {
		r = w.Make(c, op, operands...)
		w.made[name] = r
	}
	return r
}

// Test writes a comparison.
func (w *Writer) Test(op, a, b string) string { return w.Make(Pred, "setp."+op, a, b) }

// Both returns a predicate that holds where two do. "" holds always.
func (w *Writer) Both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return w.Make(Pred, "and.pred", a, b)
}

// Either returns a predicate that holds where one of two does.
func (w *Writer) Either(a, b string) string { return w.Make(Pred, "or.pred", a, b) }

// Function returns the body of the function.
func (w *Writer) Function() string {
	var b strings.Builder
	for c := range Classes {
		if n := w.registers[c]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", types[c], names[c], n)
		}
	}
	for _, l := range w.Private {
		b.WriteString("\t" + l + "\n")
	}
	b.WriteString(live.Used(w.Head.String() + w.Code.String() + w.Tail.String()))
	return b.String()
}
