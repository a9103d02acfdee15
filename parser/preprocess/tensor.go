package preprocess

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A kernel takes tensors of the host as handles, tensor<device half, dextents<int, 2>>. Metal binds handles in its
// argument tables, which belong to queues of another kind than all other calls use. A tensor that the kernel makes of a
// pointer and extents is worth the same. So the text of such a kernel is changed where it is read: the argument becomes
// a pointer and a value, and the body begins with the tensor.
//
//	kernel void f(tensor<device half, dextents<int, 2>> a [[buffer(0)]]) { ... }
//
//	/* metalgen:shape a [a_extents.x * a_extents.y] */
//	kernel void f(device half* a [[buffer(0)]], constant int2& a_extents [[buffer(1)]]) {
//		auto a_tensor = metal::tensor(a, dextents<int, 2>(a_extents.x, a_extents.y));
//		{ auto a = a_tensor; ... }
//	}
//
// All that is put in stays on the line of what was there.

// maxTensorRank is the length of the longest vector.
const maxTensorRank = 4

// hostTensors returns a text in which no kernel takes tensors, except those that it does not understand.
func hostTensors(text string) string {
	if !mayTakeTensors(text) {
		return text
	}
	k := kernels{text: text, names: map[string]bool{}}
	s := newScanner(&reporter{}, "", text)
	s.quiet = true
	directive := false
	var open []int
	for {
		var t Token
		if s.next(&t); t.Kind == EOF {
			break
		}
		if t.Line {
			directive = t.Is("#")
		}
		i := len(k.tokens)
		if i == maxTokens {
			return text // which is refused
		}
		k.tokens, k.directive, k.closing = append(k.tokens, t), append(k.directive, directive), append(k.closing, -1)
		switch t.Text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if last := len(open) - 1; last >= 0 {
				k.closing[open[last]] = i
				open = open[:last]
			}
		}
		if t.Kind == Ident {
			k.names[t.Text] = true
		}
	}
	for k.at < len(k.tokens) {
		if t := &k.tokens[k.at]; t.Is("kernel") {
			k.kernel()
		}
		k.at++
	}
	return k.edited()
}

// mayTakeTensors reports whether a type of tensors stands where an argument may. It spares most texts a second scan.
func mayTakeTensors(text string) bool {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], "tensor<")
		if next < 0 {
			return false
		}
		at += next
		before := strings.TrimRight(strings.TrimSuffix(text[:at], "metal::"), " \t\r\n\\")
		line := before[strings.LastIndexByte(before, '\n')+1:]
		switch {
		case strings.HasSuffix(before, "("), strings.HasSuffix(before, ","):
			return true
		case strings.HasSuffix(before, "*/"), strings.Contains(line, "//"): // anything may be before the comment
			return true
		}
	}
}

// kernels are the kernels of a text, and how it changes.
type kernels struct {
	text      string
	tokens    []Token
	directive []bool          // of each token: it is part of one
	closing   []int           // of each bracket: the token that closes it, or -1
	names     map[string]bool // all of the text
	at        int
	last      int // where the last kernel ended
	edits     []edit
}

// edit puts a text in the place of another.
type edit struct {
	from, to int
	text     string
}

// edited returns the text with all edits.
func (k *kernels) edited() string {
	if len(k.edits) == 0 {
		return k.text
	}
	slices.SortStableFunc(k.edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	done := 0
	for _, e := range k.edits {
		out.WriteString(k.text[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.WriteString(k.text[done:])
	return out.String()
}

// start returns the index of the first token of a declaration that has a token.
func (k *kernels) start(i int) int {
	for ; i > k.last && !k.directive[i-1]; i-- {
		if t := &k.tokens[i-1]; t.Is(";") || t.Is("{") || t.Is("}") {
			break
		}
	}
	return i
}

// kernel reads the kernel that begins at the token kernel, or in an attribute of that name.
func (k *kernels) kernel() {
	open := k.at + 1
	for open < len(k.tokens) && !k.tokens[open].Is("(") {
		t := &k.tokens[open]
		if t.Is(";") || t.Is("{") || t.Is("}") || t.Is("kernel") {
			return
		}
		if t.Is("[") {
			if open = k.closing[open]; open < 0 {
				return
			}
		}
		open++
	}
	end := -1
	if open < len(k.tokens) {
		end = k.closing[open]
	}
	if end < 0 {
		return
	}
	list := slices.DeleteFunc(k.params(open+1, end), func(p tensorParam) bool { return p.rank == 0 })
	first := k.start(k.at)
	k.at, k.last = end, end+1
	free, ok := freeIndex(k.tokens[open:end])
	if !ok || len(list) == 0 || slices.ContainsFunc(list, k.isTaken) {
		return
	}
	var made, names, shapes strings.Builder
	for _, p := range list {
		fmt.Fprintf(&shapes, "/* metalgen:shape %s [%s] */ ", p.name, strings.Join(p.sizes(), " * "))
		k.edits = append(k.edits, edit{p.from, p.to, p.arguments(free)})
		free++
		fmt.Fprintf(&made, " auto %[1]s_tensor = metal::tensor(%[1]s, %[2]s(%[3]s));", p.name, p.extents,
			strings.Join(p.sizes(), ", "))
		fmt.Fprintf(&names, " auto %[1]s = %[1]s_tensor;", p.name)
	}
	body := end + 1
	for body < len(k.tokens) && k.tokens[body].Is("[") { // attributes
		if body = k.closing[body]; body < 0 {
			return
		}
		body++
	}
	if body == len(k.tokens) || !k.tokens[body].Is("{") {
		return // a declaration, or an instance of a template
	}
	if !k.directive[first] {
		at := k.tokens[first].Pos.Offset
		k.edits = append(k.edits, edit{at, at, shapes.String()})
	}
	if last := k.closing[body]; last >= 0 {
		after := k.tokens[body].Pos.Offset + 1
		k.edits = append(k.edits, edit{after, after, made.String() + " {" + names.String()},
			edit{k.tokens[last].Pos.Offset, k.tokens[last].Pos.Offset, "} "})
	}
}

// isTaken reports whether a name of what is put in for an argument is one of the text.
func (k *kernels) isTaken(p tensorParam) bool {
	return k.names[p.name+"_extents"] || k.names[p.name+"_tensor"]
}

// freeIndex returns an index of buffers above all that the arguments name, false where that is not a number.
func freeIndex(params []Token) (index int, ok bool) {
	for i, t := range params {
		if !t.Is("buffer") || i+3 >= len(params) || !params[i+1].Is("(") {
			continue
		}
		n, err := strconv.Atoi(params[i+2].Text)
		if err != nil || !params[i+3].Is(")") {
			return 0, false
		}
		index = max(index, n+1)
	}
	return index, true
}

// tensorParam is an argument, of rank 0 where it is no tensor.
type tensorParam struct {
	from, to               int // in the text
	element, extents, name string
	index                  string // the type of an index: int
	attribute              string // [[buffer(0)]], or ""
	rank                   int
}

// params cuts a list of arguments, from the token after its bracket to that which closes it.
func (k *kernels) params(from, end int) (list []tensorParam) {
	for from < end {
		to, angles := from, 0
		for ; to < end && (angles > 0 || !k.tokens[to].Is(",")); to++ {
			switch t := &k.tokens[to]; {
			case t.Is("("), t.Is("["), t.Is("{"):
				if to = k.closing[to]; to < 0 {
					return nil
				}
			case t.Is("<"):
				angles++
			case t.Is(">"):
				angles--
			case t.Is(">>"):
				angles -= 2
			}
		}
		list = append(list, k.param(k.tokens[from:to]))
		from = to + 1
	}
	return list
}

// param reads an argument.
func (k *kernels) param(tokens []Token) (p tensorParam) {
	if len(tokens) == 0 {
		return p
	}
	first, last := &tokens[0], &tokens[len(tokens)-1]
	p.from, p.to = first.Pos.Offset, last.Pos.Offset+len(last.Text)
	args, rest, ok := k.templateArgs(skipMetal(tokens), "tensor")
	if !ok || len(args) < 2 || len(args) > 3 || len(rest) == 0 || rest[0].Kind != Ident {
		return p
	}
	if len(args) == 3 {
		if handle := skipMetal(args[2]); len(handle) != 1 || !handle[0].Is("tensor_handle") {
			return p
		}
	}
	p.element, p.extents, p.name = k.spelled(args[0]), k.spelled(args[1]), rest[0].Text
	if len(rest) > 1 {
		if p.attribute = k.spelled(rest[1:]); !strings.HasPrefix(p.attribute, "[[buffer(") || len(rest) != 9 {
			return p
		}
	}
	p.index, p.rank = k.extentsOf(skipMetal(args[1]))
	return p
}

// extentsOf returns the type of an index and how many there are: of dextents<int, 2>, or of extents whose sizes are all
// known to the host alone. The rank is 0 of others.
func (k *kernels) extentsOf(tokens []Token) (index string, rank int) {
	args, rest, ok := k.templateArgs(tokens, "dextents")
	switch {
	case ok && len(args) == 2:
		rank, _ = strconv.Atoi(k.spelled(args[1]))
	default:
		if args, rest, ok = k.templateArgs(tokens, "extents"); !ok {
			return "", 0
		}
		for _, size := range args[1:] {
			if known := skipMetal(size); len(known) != 1 || !known[0].Is("dynamic_extent") {
				return "", 0
			}
		}
		rank = len(args) - 1
	}
	index = indexTypes[k.spelled(args[0])]
	if index == "" || len(rest) > 0 || rank > maxTensorRank {
		return "", 0
	}
	return index, rank
}

// indexTypes are the types of indices by their names, as vectors of them begin.
var indexTypes = map[string]string{
	"int": "int", "int32_t": "int", "uint": "uint", "uint32_t": "uint",
	"long": "long", "int64_t": "long", "ulong": "ulong", "uint64_t": "ulong", "size_t": "ulong",
}

// skipMetal leaves out metal:: at the beginning.
func skipMetal(tokens []Token) []Token {
	if len(tokens) > 2 && tokens[0].Is("metal") && tokens[1].Is("::") {
		return tokens[2:]
	}
	return tokens
}

// templateArgs returns the arguments of a template of some name, with which the tokens begin, and what is after them.
func (k *kernels) templateArgs(tokens []Token, name string) (args [][]Token, rest []Token, ok bool) {
	if len(tokens) < 2 || !tokens[0].Is(name) || !tokens[1].Is("<") {
		return nil, nil, false
	}
	from, angles, brackets := 2, 1, 0
	for i := 2; i < len(tokens); i++ {
		switch t := &tokens[i]; t.Text {
		case "(", "[", "{":
			brackets++
		case ")", "]", "}":
			brackets--
		case "<":
			angles++
		case ">":
			angles--
		case ">>":
			if angles == 1 {
				return nil, nil, false
			}
			angles -= 2
		case ",":
			if angles == 1 && brackets == 0 {
				args = append(args, tokens[from:i])
				from = i + 1
			}
		}
		if angles == 0 {
			last := tokens[from:i]
			if tokens[i].Is(">>") { // the first half is that of the last argument
				half := tokens[i]
				half.Text = ">"
				last = append(slices.Clone(last), half)
			}
			return append(args, last), tokens[i+1:], true
		}
	}
	return nil, nil, false
}

// spelled returns tokens as the text has them, on one line.
func (k *kernels) spelled(tokens []Token) string {
	var out strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Space {
			out.WriteByte(' ')
		}
		out.WriteString(t.Text)
	}
	return out.String()
}

// sizes are the extents, as the kernel has them.
func (p *tensorParam) sizes() (list []string) {
	if p.rank == 1 {
		return []string{p.name + "_extents"}
	}
	for _, component := range "xyzw"[:p.rank] {
		list = append(list, fmt.Sprintf("%s_extents.%c", p.name, component))
	}
	return list
}

// arguments are the pointer and the extents. Buffers that name no index follow each other.
func (p *tensorParam) arguments(free int) string {
	vector, attribute := p.index, ""
	if p.rank > 1 {
		vector += strconv.Itoa(p.rank)
	}
	if p.attribute != "" {
		attribute = fmt.Sprintf(" [[buffer(%d)]]", free)
	}
	pointer := p.name
	if p.attribute != "" {
		pointer += " " + p.attribute
	}
	return fmt.Sprintf("%s* %s, constant %s& %s_extents%s", p.element, pointer, vector, p.name, attribute)
}
