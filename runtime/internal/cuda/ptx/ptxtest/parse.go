package ptxtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Module is the text of a module, taken apart.
type Module struct {
	Version, Target string
	Variables       []*Variable // of the module and of threads
	Entry           string
	Params          int // bytes
	Threads         int // of a block, at most
	Registers       map[string]Register
	Code            []Instruction
	Labels          map[string]int
}

// Variable is a named piece of memory.
type Variable struct {
	Name   string
	Space  string // "global", "shared", "local"
	Size   int    // bytes; 0 of dynamic memory
	Align  int
	Values []uint64 // of elements of Elem bytes
	Elem   int
}

// Register is a register of a thread.
type Register struct {
	Type  string // "pred", "b32", ...
	Index int
}

// Instruction is one instruction.
type Instruction struct {
	Line     int
	Guard    string // the predicate, or ""
	Negated  bool
	Name     string // with all modifiers: "ld.global.v2.f32"
	Parts    []string
	Operands []string // "%r1", "{%r1, %r2}", "[%l1+4]", "0f3F800000", "12", "L4"
}

var (
	variableLine = regexp.MustCompile(`^\.(extern \.)?(global|shared|local) \.align (\d+) \.(\w+) ` +
		`(\w+)\[(\d*)\](?: = \{(.*)\})?$`)
	registerLine = regexp.MustCompile(`^\.reg \.(\w+) (.*)$`)
	paramLine    = regexp.MustCompile(`^\.param \.align \d+ \.b8 args\[(\d+)\]$`)
)

// Parse takes a module apart.
func Parse(text string) (*Module, error) {
	m := &Module{Registers: map[string]Register{}, Labels: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if err := m.line(line, i+1); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	if m.Entry == "" {
		return nil, fmt.Errorf("there is no kernel")
	}
	return m, nil
}

func (m *Module) line(line string, number int) error {
	statement, ended := strings.CutSuffix(line, ";")
	switch {
	case line == "" || line == "{" || line == "}" || line == ")" || line == ".address_size 64":
		return nil
	case strings.HasPrefix(line, ".version "):
		m.Version = line[len(".version "):]
		return nil
	case strings.HasPrefix(line, ".target "):
		m.Target = line[len(".target "):]
		return nil
	case strings.HasPrefix(line, ".visible .entry "):
		m.Entry = strings.TrimSuffix(line[len(".visible .entry "):], "(")
		return nil
	case strings.HasPrefix(line, ".param"):
		found := paramLine.FindStringSubmatch(line)
		if found == nil {
			return fmt.Errorf("not a parameter")
		}
		m.Params, _ = strconv.Atoi(found[1])
		return nil
	case strings.HasPrefix(line, ".maxntid "):
		_, err := fmt.Sscanf(line, ".maxntid %d, 1, 1", &m.Threads)
		return err
	case strings.HasPrefix(line, ".minnctapersm "):
		blocks := 0
		_, err := fmt.Sscanf(line, ".minnctapersm %d", &blocks)
		if err == nil && (blocks < 1 || blocks > 16) {
			err = fmt.Errorf("%d blocks of a multiprocessor, and some have 16 at most", blocks)
		}
		return err
	case strings.HasSuffix(line, ":"):
		label := strings.TrimSuffix(line, ":")
		if _, twice := m.Labels[label]; twice {
			return fmt.Errorf("the label is there already")
		}
		m.Labels[label] = len(m.Code)
		return nil
	case !ended:
		return fmt.Errorf("it does not end with a semicolon")
	case strings.HasPrefix(line, ".reg "):
		return m.registers(statement)
	case strings.HasPrefix(line, "."):
		return m.variable(statement)
	}
	return m.instruction(statement, number)
}

func (m *Module) registers(statement string) error {
	found := registerLine.FindStringSubmatch(statement)
	if found == nil {
		return fmt.Errorf("not registers")
	}
	add := func(name string) error {
		if _, twice := m.Registers[name]; twice {
			return fmt.Errorf("%s is there already", name)
		}
		m.Registers[name] = Register{found[1], len(m.Registers)}
		return nil
	}
	for name := range strings.SplitSeq(found[2], ", ") {
		prefix, count, many := strings.Cut(strings.TrimSuffix(name, ">"), "<")
		if !many {
			if err := add(name); err != nil {
				return err
			}
			continue
		}
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		for i := range n {
			if err := add(prefix + strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Module) variable(statement string) error {
	found := variableLine.FindStringSubmatch(statement)
	if found == nil {
		return fmt.Errorf("not a variable")
	}
	v := &Variable{Space: found[2], Name: found[5]}
	v.Align, _ = strconv.Atoi(found[3])
	bits, err := strconv.Atoi(found[4][1:])
	if err != nil {
		return err
	}
	v.Elem = bits / 8
	count, _ := strconv.Atoi(found[6])
	v.Size = count * v.Elem
	if found[7] != "" {
		for text := range strings.SplitSeq(found[7], ", ") {
			n, err := number(text)
			if err != nil {
				return err
			}
			v.Values = append(v.Values, n)
		}
		if len(v.Values) != count {
			return fmt.Errorf("%d values of %d", len(v.Values), count)
		}
	}
	m.Variables = append(m.Variables, v)
	return nil
}

// number returns the bits of a constant.
func number(text string) (uint64, error) {
	switch {
	case strings.HasPrefix(text, "0f"):
		return strconv.ParseUint(text[2:], 16, 32)
	case strings.HasPrefix(text, "0d"):
		return strconv.ParseUint(text[2:], 16, 64)
	case strings.HasPrefix(text, "-"):
		n, err := strconv.ParseInt(text, 10, 64)
		return uint64(n), err
	}
	return strconv.ParseUint(text, 10, 64)
}

func (m *Module) instruction(statement string, line int) error {
	in := Instruction{Line: line}
	if strings.HasPrefix(statement, "@") {
		guard, rest, _ := strings.Cut(statement[1:], " ")
		in.Guard, in.Negated = strings.CutPrefix(guard, "!")
		if !in.Negated {
			in.Guard = guard
		}
		statement = rest
	}
	name, operands, _ := strings.Cut(statement, " ")
	in.Name, in.Parts = name, strings.Split(name, ".")
	in.Operands = split(operands)
	m.Code = append(m.Code, in)
	return nil
}

// split returns operands, which commas in braces do not end.
func split(text string) []string {
	var list []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		list = append(list, last)
	}
	return list
}
