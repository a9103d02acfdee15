package ptxtest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Verify returns what NVIDIA's assembler would reject of a module: instructions that there are not, registers that are
// not declared or have another type, labels and variables that are missing. It is nil where there is nothing.
func Verify(m *Module) error {
	var errs []error
	for i := range m.Code {
		if err := m.verify(&m.Code[i]); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s %s: %w", m.Code[i].Line, m.Code[i].Name,
				strings.Join(m.Code[i].Operands, ", "), err))
		}
	}
	if n := len(m.Code); n == 0 || m.Code[n-1].Name != "ret" && m.Code[n-1].Name != "bra" {
		errs = append(errs, fmt.Errorf("the code does not end"))
	}
	for label, at := range m.Labels {
		if at >= len(m.Code) {
			errs = append(errs, fmt.Errorf("nothing follows the label %s", label))
		}
	}
	return errors.Join(errs...)
}

func (m *Module) verify(in *Instruction) error {
	if in.Guard != "" && m.Registers[in.Guard].Type != "pred" {
		return fmt.Errorf("%s is not a predicate", in.Guard)
	}
	f, typ := formOf(in)
	if f == nil {
		return fmt.Errorf("there is no such instruction")
	}
	if len(in.Operands) != len(f.operands) {
		return fmt.Errorf("%d operands, not %d", len(in.Operands), len(f.operands))
	}
	for i, kind := range f.operands {
		if err := m.operand(in, in.Operands[i], kind, typ); err != nil {
			return fmt.Errorf("%s: %w", in.Operands[i], err)
		}
	}
	return nil
}

// kinds are the types of registers that instructions of a type take.
var kinds = map[string]string{
	"pred": "pred", "b16": "b16", "u16": "b16", "s16": "b16", "f16": "b16", "b32": "b32", "u32": "b32", "s32": "b32",
	"b64": "b64", "u64": "b64", "s64": "b64", "f32": "f32", "f64": "f64",
}

func (m *Module) operand(in *Instruction, text string, kind rune, typ string) error {
	want := kinds[typ]
	switch kind {
	case 'l':
		if _, ok := m.Labels[text]; !ok {
			return fmt.Errorf("there is no such label")
		}
		return nil
	case 'n':
		return nil
	case 'F', 'R':
		if want := map[rune]string{'F': "f32", 'R': "b32"}[kind]; !m.allOf(text, want) {
			return fmt.Errorf("not registers of type %s", want)
		}
		return nil
	case 'O':
		if r := m.Registers[strings.Trim(text, "{}")]; !strings.HasPrefix(text, "{") || r.Type != "b32" {
			return fmt.Errorf("not a register of type b32 in braces")
		}
		return nil
	case 'X':
		return m.value(in, text, "b32", true)
	case 'm':
		return m.memory(in, text)
	case 'v', 'V':
		return m.moved(in, text, typ, kind == 'V')
	case 'p', 'P':
		want = "pred"
	case 'w', 'W':
		want = "b32"
	case 'D': // of a conversion, or the wide result of a product
		want = "b64"
		if in.Parts[0] == "cvt" {
			want = kinds[in.Parts[len(in.Parts)-2]]
		}
	case 'b':
		want = "b64"
	}
	sets := strings.ContainsRune("dDPW", kind)
	return m.value(in, text, want, sets)
}

var special = regexp.MustCompile(`^%(tid|ntid|ctaid|nctaid)\.[xyz]$`)

// value checks a register of a type, or a constant.
func (m *Module) value(in *Instruction, text, want string, sets bool) error {
	switch r, declared := m.Registers[text]; {
	case special.MatchString(text) && !sets && in.Parts[0] == "mov" && want == "b32":
		return nil
	case strings.HasPrefix(text, "{"): // two halves of a register
		half := map[string]string{"b64": "b32", "b32": "b16"}[want]
		if in.Parts[0] != "mov" || half == "" || !m.allOf(text, half) {
			return fmt.Errorf("not a pair")
		}
		return nil
	case declared && r.Type == want:
		return nil
	case declared && in.Parts[0] == "mov" && len(r.Type) == 3 && r.Type[1:] == want[1:]:
		return nil // between integers and floats of one size
	case declared:
		return fmt.Errorf("a register of type %s, not %s", r.Type, want)
	case strings.HasPrefix(text, "%"):
		return fmt.Errorf("no such register")
	case sets:
		return fmt.Errorf("not a register")
	case in.Parts[0] == "mov" && m.named(text):
		return nil
	case strings.HasPrefix(text, "0f") && want == "f32", strings.HasPrefix(text, "0d") && want == "f64":
		return nil
	case strings.HasPrefix(text, "0f"), strings.HasPrefix(text, "0d"), want == "f32", want == "f64":
		return fmt.Errorf("not a constant of type %s", want)
	case want == "pred" && (text != "0" && text != "1" || in.Parts[0] != "mov"):
		return fmt.Errorf("not a predicate")
	}
	_, err := number(text)
	return err
}

// named reports whether something is the name of memory.
func (m *Module) named(text string) bool {
	name, _, _ := strings.Cut(text, "+")
	if name == "args" {
		return true
	}
	for _, v := range m.Variables {
		if v.Name == name {
			return true
		}
	}
	return false
}

// memory checks what stands in brackets.
func (m *Module) memory(in *Instruction, text string) error {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok {
		return fmt.Errorf("not memory")
	}
	inner = strings.TrimSuffix(inner, "]")
	base := inner
	if i := strings.IndexByte(inner, '+'); i >= 0 {
		base = inner[:i]
		for part := range strings.SplitSeq(inner[i+1:], "+") {
			if _, err := number(part); err != nil {
				return err
			}
		}
	}
	if r, declared := m.Registers[base]; declared {
		if r.Type != "b64" {
			return fmt.Errorf("an address of type %s", r.Type)
		}
		return nil
	}
	if !m.named(base) {
		return fmt.Errorf("there is no %s", base)
	}
	return nil
}

// moved checks the registers of a load or a store: as many as its vector has, at least as wide as its type.
func (m *Module) moved(in *Instruction, text, typ string, sets bool) error {
	n := 1
	for _, p := range in.Parts {
		switch p {
		case "v2":
			n = 2
		case "v4":
			n = 4
		}
	}
	list := strings.Split(strings.Trim(text, "{}"), ", ")
	if len(list) != n || strings.HasPrefix(text, "{") != (n > 1) {
		return fmt.Errorf("%d registers, not %d", len(list), n)
	}
	for _, name := range list {
		r, declared := m.Registers[name]
		small := strings.HasSuffix(typ, "8") || strings.HasSuffix(typ, "16") && typ != "b16"
		switch {
		case !declared:
			return fmt.Errorf("%s is not a register", name)
		case small && (r.Type == "b32" || r.Type == "b16"), r.Type == kinds[typ]:
		default:
			return fmt.Errorf("a register of type %s for %s", r.Type, typ)
		}
	}
	return nil
}
