package arm64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// instructions returns the constants of the package by the names of their types.
func instructions(t *testing.T) map[string]map[string]uint64 {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	config := types.Config{Error: func(error) {}} // what is imported is not needed for constants
	p, _ := config.Check("arm64", set, files, nil)
	all := make(map[string]map[string]uint64)
	for _, name := range p.Scope().Names() {
		c, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		shape, ok := c.Type().(*types.Named)
		if !ok || shape.Underlying() != types.Typ[types.Uint64] {
			continue
		}
		value, ok := constant.Uint64Val(c.Val())
		if !ok {
			t.Fatalf("%s has no value", name)
		}
		if all[shape.Obj().Name()] == nil {
			all[shape.Obj().Name()] = make(map[string]uint64)
		}
		all[shape.Obj().Name()][name] = value
	}
	return all
}

// form is an instruction with operands.
type form struct {
	text string // for the system's assembler
	code []uint32
}

// former makes forms of an instruction.
type former struct {
	t     *testing.T
	rand  *rand.Rand
	forms []form

	arrangement Arrangement // of the instruction that is added, where it has some
}

// add assembles what encode appends, and keeps it with its text.
func (f *former) add(encode func(a *Assembler), format string, args ...any) {
	f.t.Helper()
	text := fmt.Sprintf(format, args...)
	var a Assembler
	encode(&a)
	if a.err != nil {
		f.t.Fatalf("%s: %v", text, a.err)
	}
	f.forms = append(f.forms, form{text, a.words})
}

// mnemonic returns the assembler's name of an instruction, and what follows the name.
func mnemonic(name string) (s, ending string) {
	s, ending, _ = strings.Cut(name, "_")
	return strings.ToLower(s), ending
}

// r returns a general-purpose register and its name, by an ending that has a W or an X.
func (f *former) r(ending string) (R, string) {
	r := R(f.rand.IntN(32))
	width := "x"
	if strings.Contains(ending, "W") {
		width = "w"
	}
	if r == ZR {
		return r, width + "zr"
	}
	return r, fmt.Sprintf("%s%d", width, r)
}

// sp is r with SP in the place of ZR.
func (f *former) sp(ending string) (R, string) {
	r, s := f.r(ending)
	switch s {
	case "xzr":
		return SP, "sp"
	case "wzr":
		return SP, "wsp"
	}
	return r, s
}

func (f *former) v() V { return V(f.rand.IntN(32)) }

var arrangements = strings.Fields("8b 16b 4h 8h 2s 4s 1d 2d")

// arrangementsOf returns those that an instruction has.
func arrangementsOf(op uint64) (all []Arrangement) {
	for t := B8; t <= D2; t++ {
		if op>>(32+t)&1 != 0 {
			all = append(all, t)
		}
	}
	return all
}

// of returns the name of a divided register.
func (v V) of(t Arrangement) string { return fmt.Sprintf("v%d.%s", v, arrangements[t]) }

// doubled returns the arrangement of a whole register with elements twice as wide.
func doubled(t Arrangement) Arrangement { return (t>>1+1)<<1 | 1 }

// upper returns the ending of a name for an arrangement of a whole register.
func upper(t Arrangement) string {
	if t.whole() == 1 {
		return "2"
	}
	return ""
}

// element returns the name of an element.
func (v V) element(t Arrangement, i int) string {
	return fmt.Sprintf("v%d.%s[%d]", v, arrangements[t][len(arrangements[t])-1:], i)
}

// zero is the last operand of a comparison with zero.
func zero(name string) string {
	switch {
	case !strings.HasSuffix(name, "_Z"):
		return ""
	case name[0] == 'F':
		return ", #0.0"
	}
	return ", #0"
}

var (
	shiftNames     = strings.Fields("lsl lsr asr ror")
	extendNames    = strings.Fields("uxtb uxth uxtw uxtx sxtb sxth sxtw sxtx")
	conditionNames = strings.Fields("eq ne hs lo mi pl vs vc hi ls ge lt gt le al")
)

// pattern returns a number of ones in a row that repeat.
func (f *former) pattern(wide bool) uint64 {
	size := 2 << f.rand.IntN(6)
	count := 1 + f.rand.IntN(size-1)
	one := ^uint64(0) >> (64 - count)
	turn := f.rand.IntN(size)
	one = (one<<turn | one>>(size-turn)) & (^uint64(0) >> (64 - size))
	for n := size; n < 64; n *= 2 {
		one |= one << n
	}
	if !wide {
		if size == 64 {
			return 0xff << f.rand.IntN(24)
		}
		one &= 1<<32 - 1
	}
	return one
}

// memory returns memory that an access of 1<<power bytes reaches, and its text.
func (f *former) memory(power uint32) (Mem, string) {
	base, name := f.sp("X")
	m := Mem{Base: base}
	switch f.rand.IntN(4) {
	case 0:
		m.Disp = int32(f.rand.IntN(1<<12)) << power
	case 1:
		m.Disp = int32(f.rand.IntN(512)) - 256
	case 2:
		m.Indexed, m.Scaled = true, f.rand.IntN(2) == 0
		m.Extend = []Extend{UXTW, UXTX, SXTW, SXTX}[f.rand.IntN(4)]
		ending := "W"
		if m.Extend&3 == 3 {
			ending = "X"
		}
		index, indexName := f.r(ending)
		m.Index = index
		how := extendNames[m.Extend]
		if m.Extend == UXTX {
			how = "lsl"
		}
		switch {
		case m.Scaled:
			return m, fmt.Sprintf("[%s, %s, %s #%d]", name, indexName, how, power)
		case m.Extend == UXTX:
			return m, fmt.Sprintf("[%s, %s]", name, indexName)
		}
		return m, fmt.Sprintf("[%s, %s, %s]", name, indexName, how)
	}
	return m, fmt.Sprintf("[%s, #%d]", name, m.Disp)
}

func TestEveryInstructionIsEncodedAsTheSystemsAssemblerDoes(t *testing.T) {
	f := &former{t: t, rand: rand.New(rand.NewPCG(1, 2))}
	all := instructions(t)
	for _, shape := range slices.Sorted(maps.Keys(all)) {
		add := shapes[shape]
		if add == nil {
			t.Errorf("nothing tests instructions of type %s", shape)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(all[shape])) {
			op := all[shape][name]
			for range 12 {
				if types := arrangementsOf(op); strings.Contains(shape, "V") && len(types) > 0 && shape != "VI" {
					for _, arrangement := range types {
						f.arrangement = arrangement
						add(f, name, op)
					}
					continue
				}
				add(f, name, op)
			}
		}
	}
	f.others()
	f.compare()
}

// compare assembles the texts of all forms.
func (f *former) compare() {
	var text strings.Builder
	for _, form := range f.forms {
		text.WriteString(form.text + "\n")
	}
	code := assemble(f.t, text.String())
	wrong := 0
	for _, form := range f.forms {
		var got []byte
		for _, w := range form.code {
			got = binary.LittleEndian.AppendUint32(got, w)
		}
		n := min(len(got), len(code))
		if !bytes.Equal(got, code[:n]) || n == 0 {
			f.t.Errorf("%s\n got % x\nwant % x", form.text, got, code[:n])
			if wrong++; wrong > 40 {
				f.t.Fatal("and so on")
			}
		}
		code = code[n:]
	}
	if len(code) != 0 {
		f.t.Errorf("%d bytes are left", len(code))
	}
	f.t.Logf("%d forms", len(f.forms))
}

// assemble returns what the GNU assembler makes of a text.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	return section(t, object(t, text))
}

// link is assemble for a text whose parts refer to each other by pages.
func link(t *testing.T, text string) []byte {
	t.Helper()
	from := object(t, text)
	to := from + "ut"
	ld := exec.Command("aarch64-linux-gnu-ld", "-Ttext=0x1000000", "-e", "0", "-o", to, from)
	if out, err := ld.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return section(t, to)
}

// object returns the file that the GNU assembler makes of a text.
func object(t *testing.T, text string) string {
	t.Helper()
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("there is no GNU assembler for arm64")
	}
	object := filepath.Join(t.TempDir(), "x.o")
	c := exec.Command(as, "-march=armv8.2-a+dotprod", "-o", object, "-")
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		all := strings.Split(text, "\n")
		lines := strings.Split(string(out), "\n")
		for _, line := range lines[:min(len(lines), 40)] {
			var n int
			if _, err := fmt.Sscanf(line, "{standard input}:%d:", &n); err == nil && n >= 1 {
				t.Logf("%s: %s", line, all[n-1])
			}
		}
		t.Fatalf("%s: %v", as, err)
	}
	return object
}

// section returns the code of an object.
func section(t *testing.T, object string) []byte {
	t.Helper()
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code, err := file.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
