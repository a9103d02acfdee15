package binding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// errNoFormula stands for text that is no formula at all: prose that happens
// to begin like one.
var errNoFormula = errors.New("no formula")

var errDivision = errors.New("division by zero")

// binder turns the formulas of one kernel into expressions over its arguments.
type binder struct {
	b       *sourceBuilder
	program *msl.Program
	kernel  *Kernel
	source  *tree.Kernel   // what messages call the kernel; of a family what the instances have in common
	group   []*tree.Kernel // the kernel, or the instances of a family
	params  map[string]*tree.Param
	args    map[string]*Arg
	leaves  map[string]*Leaf // by text
	floats  map[string]*Leaf // those of requirements of floats
	terms   int              // of the formula that is being bound
}

// formula is where an expression comes from and what it may use.
type formula struct {
	// prose allows the bare name of a field where just one params struct has
	// it: people write [rows * dim] for [params.rows * params.dim].
	prose bool
	// threads forbids tg_size, which the expression itself determines.
	threads bool
	// locals are variables of the body with their initial values.
	locals map[string]parser.Expr
}

// component returns the argument w of a local variable size = uint2(w, h) for size.x, or nil.
func (f formula) component(e *parser.MemberExpr) parser.Expr {
	name, ok := e.X.(*parser.Name)
	if !ok {
		return nil
	}
	call, ok := f.locals[strings.Join(name.Path, "::")].(*parser.CallExpr)
	if !ok {
		return nil
	}
	to, ok := call.Func.(*parser.Name)
	if !ok || !strings.HasSuffix(to.Path[len(to.Path)-1], strconv.Itoa(len(call.Args))) {
		return nil
	}
	if i := slices.Index(components[:], e.Name); i >= 0 && i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// maxTerms bounds formulas: locals that are made of locals multiply.
const maxTerms = 256

var errTerms = fmt.Errorf("the expression has more than %d terms", maxTerms)

// unknownName is the error of a formula that names what does not exist, or has no number for formulas.
type unknownName struct {
	name string
	is   string // what it is instead: "a float, and formulas have integers only", "" for nothing
	hint string
	pos  parser.Pos
}

func (e *unknownName) Error() string {
	if e.is != "" {
		return e.name + " is " + e.is
	}
	return fmt.Sprintf("%s is neither a scalar argument nor a constant%s", e.name, e.hint)
}

// bind binds one formula.
func (b *binder) bind(e parser.Expr, f formula) (Expr, error) {
	b.terms = 0
	return b.term(e, f)
}

func (b *binder) term(e parser.Expr, f formula) (Expr, error) {
	if b.terms++; b.terms > maxTerms {
		return nil, errTerms
	}
	switch e := e.(type) {
	case *parser.Number:
		v, _, _, err := parser.Integer(e.Text)
		if err != nil || v > 1<<62 {
			return nil, fmt.Errorf("%s is not an integer of at most 62 bits", e.Text)
		}
		return Lit(v), nil
	case *parser.Name:
		return b.name(e, f)
	case *parser.MemberExpr:
		if x := f.component(e); x != nil {
			return b.term(x, f)
		}
		return b.field(e, f)
	case *parser.Index:
		return b.field(e, f)
	case *parser.Binary:
		return b.binary(e, f)
	case *parser.CallExpr:
		return b.call(e, f)
	case *parser.Cast:
		return b.term(e.X, f) // (uint)dim
	}
	return nil, errNoFormula
}

func (b *binder) binary(e *parser.Binary, f formula) (Expr, error) {
	if len(e.Op) != 1 || !strings.Contains("+-*/%", e.Op) {
		return nil, errNoFormula
	}
	x, err := b.term(e.X, f)
	if err != nil {
		return nil, err
	}
	y, err := b.term(e.Y, f)
	if err != nil {
		return nil, err
	}
	if is(y, 0) && (e.Op == "/" || e.Op == "%") {
		return nil, errDivision
	}
	return &Binary{Op: e.Op[0], X: x, Y: y}, nil
}

// functions are what formulas may call, with the number of arguments.
var functions = map[string]int{"min": 2, "max": 2, "ceil_div": 2, "next_pow2": 1}

func (b *binder) call(e *parser.CallExpr, f formula) (Expr, error) {
	if m, ok := e.Func.(*parser.MemberExpr); ok {
		return b.method(m, e.Args)
	}
	name, ok := e.Func.(*parser.Name)
	if !ok {
		return nil, errNoFormula
	}
	word := name.Path[len(name.Path)-1]
	switch {
	case word == "len" && len(e.Args) == 1:
		return b.length(e.Args[0])
	case dimensions[word] != "" && len(e.Args) == 1:
		return b.dimension(word, e.Args[0])
	case word == "ceil" && len(e.Args) == 1: // ceil(a / b), as people write it
		if d, ok := e.Args[0].(*parser.Binary); ok && d.Op == "/" {
			ceilDiv := &parser.Name{Path: []string{"ceil_div"}}
			return b.term(&parser.CallExpr{Func: ceilDiv, Args: []parser.Expr{d.X, d.Y}}, f)
		}
		return nil, errNoFormula
	case len(e.Args) == 1 && integerType(word): // uint(dim)
		return b.term(e.Args[0], f)
	}
	n, ok := functions[word]
	if !ok {
		return nil, errNoFormula
	}
	if n != len(e.Args) {
		return nil, fmt.Errorf("%s takes %d arguments", word, n)
	}
	c := &Call{Func: word}
	for _, a := range e.Args {
		x, err := b.term(a, f)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, x)
	}
	if word == "ceil_div" && is(c.Args[1], 0) {
		return nil, errDivision
	}
	return c, nil
}

func integerType(name string) bool {
	switch name {
	case "int", "uint", "short", "ushort", "long", "ulong", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t":
		return true
	}
	return false
}

// length binds len(x).
func (b *binder) length(e parser.Expr) (Expr, error) {
	name, ok := e.(*parser.Name)
	if !ok {
		return nil, fmt.Errorf("len takes the name of a buffer argument")
	}
	arg := b.args[name.Path[0]]
	if arg == nil || !arg.Kind.rules().length || len(name.Path) != 1 {
		return nil, fmt.Errorf("len takes the name of a buffer argument, not %s", name.Path[0])
	}
	return b.leaf("len("+arg.Name+")", func() *Leaf {
		return &Leaf{Go: "len" + cmp.Or(goName(arg.Name), arg.Go), Arg: arg, Method: "Len", GoType: Int}
	}), nil
}

// dimensions are the functions for sizes of textures, with the methods that return them in Go.
var dimensions = map[string]string{"width": "Width", "height": "Height", "depth": "Depth", "length": "Length"}

// dimensionMethods are those that return them in Metal.
var dimensionMethods = map[string]string{"get_width": "width", "get_height": "height", "get_depth": "depth",
	"get_array_size": "length"}

// dimension binds width(img) and the like.
func (b *binder) dimension(word string, e parser.Expr) (Expr, error) {
	name, ok := e.(*parser.Name)
	if !ok {
		return nil, fmt.Errorf("%s takes the name of a texture argument", word)
	}
	arg := b.args[name.Path[0]]
	if arg == nil || !arg.Kind.rules().sizes || len(name.Path) != 1 || arg.Count > 0 {
		return nil, fmt.Errorf("%s takes the name of a texture argument, not %s", word, strings.Join(name.Path, "::"))
	}
	return b.leaf(word+"("+arg.Name+")", func() *Leaf {
		return &Leaf{Go: word + cmp.Or(goName(arg.Name), arg.Go), Arg: arg, Method: dimensions[word], GoType: Int}
	}), nil
}

// method binds img.get_width(), as the body of a kernel has it, of the first level.
func (b *binder) method(m *parser.MemberExpr, args []parser.Expr) (Expr, error) {
	word := dimensionMethods[m.Name]
	if word == "" || len(args) > 1 {
		return nil, errNoFormula
	}
	if len(args) == 1 {
		if level, ok := args[0].(*parser.Number); !ok || level.Text != "0" {
			return nil, errNoFormula
		}
	}
	return b.dimension(word, m.X)
}

// leaf returns the leaf with a text, made when it is first asked for.
func (b *binder) leaf(text string, make func() *Leaf) *Leaf {
	if l := b.leaves[text]; l != nil {
		return l
	}
	l := make()
	l.Text = text
	b.leaves[text] = l
	b.kernel.Leaves = append(b.kernel.Leaves, l)
	return l
}

func (b *binder) name(e *parser.Name, f formula) (Expr, error) {
	name := strings.Join(e.Path, "::")
	if local, ok := f.locals[name]; ok {
		return b.term(local, f)
	}
	param := b.params[name]
	if name == "tg_size" && (param == nil || param.Kind == tree.BuiltinParam) ||
		param != nil && param.Attribute == "threads_per_threadgroup" && param.Type.Kind == tree.Scalar {
		if f.threads {
			return nil, fmt.Errorf("tg_size cannot be used in what determines it")
		}
		return TGSize{}, nil
	}
	if param != nil {
		arg := b.args[name]
		switch {
		case arg == nil || !arg.Kind.rules().number ||
			!arg.Generic() && !(isInteger(param.Type) && isGoInteger(arg.GoType)):
			return nil, &unknownName{name: name, is: notInteger(param.Type), pos: e.Pos}
		case arg.Generic() && !b.alwaysInteger(arg.GoType):
			return nil, &unknownName{name: name, is: "not an integer in every instance", pos: e.Pos}
		}
		return b.leaf(name, func() *Leaf {
			return &Leaf{Go: localName(name), Arg: arg, GoType: leafType(arg)}
		}), nil
	}
	if e := b.templateParam(name); e != nil {
		return e, nil
	}
	if path := b.fieldNamed(name); path != nil {
		if f.prose {
			return b.field(path, f)
		}
		return nil, &unknownName{name: name, hint: "; the field is written " + exprText(path), pos: e.Pos}
	}
	if n, ok := b.b.namedInt(name, b.source.Decl); ok {
		return n, nil
	}
	return nil, &unknownName{name: name, pos: e.Pos}
}

func isInteger(t *tree.Type) bool {
	return t.Kind == tree.Scalar && t.Scalar >= tree.Char && t.Scalar <= tree.ULong
}

// notInteger says what an argument or field is that is not an integer.
func notInteger(t *tree.Type) string {
	if (t.Kind == tree.Vector || t.Kind == tree.PackedVector) && isInteger(t.Elem) {
		return "a " + t.Name + ": write a component, .x"
	}
	return "not an integer, and formulas compute with integers only"
}

// isGoInteger is isInteger for Go: with metalgen:type an integer of MSL may be a float32.
func isGoInteger(t GoType) bool {
	b, ok := t.(*Basic)
	return ok && b.Integer
}

// fieldNamed returns params.name where exactly one params struct has such a
// field.
func (b *binder) fieldNamed(name string) parser.Expr {
	var found parser.Expr
	for _, param := range b.source.Params {
		arg := b.args[param.Name]
		if arg == nil || !arg.Kind.rules().number || arg.Generic() || arg.annotated ||
			param.Type.Kind != tree.StructType {
			continue
		}
		if m := memberOf(param.Type.Struct, name); m != nil {
			if found != nil {
				return nil
			}
			found = &parser.MemberExpr{X: &parser.Name{Path: []string{param.Name}}, Name: name}
		}
	}
	return found
}

// field binds params.dim, params.ne[1] and size.x.
func (b *binder) field(e parser.Expr, f formula) (Expr, error) {
	p, err := b.path(e, f)
	if err != nil {
		return nil, err
	}
	if !isInteger(p.typ) {
		return nil, &unknownName{name: exprText(e), is: notInteger(p.typ), pos: start(e)}
	}
	goType, err := b.b.types.of(p.typ)
	if err != nil {
		return nil, err
	}
	return b.leaf(p.text, func() *Leaf {
		return &Leaf{Go: localName(p.name), Arg: p.arg, Selector: p.selector, Offset: p.offset, GoType: goType}
	}), nil
}

// part is an argument, or what a chain of members and indexes selects of one.
type part struct {
	arg      *Arg
	text     string // as the source calls it, without the locals of its body
	selector string // see Leaf
	name     string // what local variables are named after: "Dim", "Ne[1]", "size.x"
	typ      *tree.Type
	offset   int // bytes
}

// field returns the field m, which Go calls path.
func (p part) field(path []string, m *inner) part {
	p.text += "." + m.field.Name
	p.selector += "." + strings.Join(path, ".")
	p.name, p.typ, p.offset = path[len(path)-1], m.field.Type, p.offset+m.offset
	return p
}

// element returns an element of an array or a component of a vector, which the source calls name.
func (p part) element(i int, name string) part {
	p.text += name
	if p.typ.Kind == tree.Vector && p.typ.Len == 3 { // a Vec3
		p.selector += "." + strings.ToUpper(components[i])
	} else {
		p.selector += "[" + strconv.Itoa(i) + "]"
	}
	p.name, p.typ, p.offset = p.name+name, p.typ.Elem, p.offset+i*p.typ.Elem.Size
	return p
}

// components are the names of a vector's components (section 2.2.3).
var components = [...]string{"x", "y", "z", "w"}

// path follows a chain of members and constant indexes from an argument.
func (b *binder) path(e parser.Expr, f formula) (part, error) {
	switch e := e.(type) {
	case *parser.Name:
		if local, ok := f.locals[e.Path[0]]; ok && len(e.Path) == 1 {
			if b.terms++; b.terms > maxTerms {
				return part{}, errTerms
			}
			return b.path(local, f)
		}
		param := b.params[e.Path[0]]
		arg := b.args[e.Path[0]]
		if param == nil || arg == nil || !arg.Kind.rules().number || len(e.Path) != 1 {
			return part{}, &unknownName{name: strings.Join(e.Path, "::"), pos: e.Pos}
		}
		if arg.Generic() {
			hint := " (the instances differ in its type)"
			return part{}, &unknownName{name: strings.Join(e.Path, "::"), hint: hint, pos: e.Pos}
		}
		if arg.annotated {
			hint := " (with metalgen:type it has no fields in Go)"
			return part{}, &unknownName{name: strings.Join(e.Path, "::"), hint: hint, pos: e.Pos}
		}
		return part{arg: arg, text: arg.Name, name: arg.Name, typ: param.Type}, nil
	case *parser.MemberExpr:
		p, err := b.path(e.X, f)
		if err != nil {
			return part{}, err
		}
		switch p.typ.Kind {
		case tree.StructType:
			s, err := b.b.types.structFor(p.typ.Struct)
			if err != nil {
				return part{}, err
			}
			if m := memberOf(p.typ.Struct, e.Name); m != nil && m.field.Bits == 0 {
				return p.field(s.selector(m), m), nil
			}
		case tree.Vector, tree.PackedVector:
			if i := slices.Index(components[:p.typ.Len], e.Name); i >= 0 {
				return p.element(i, "."+e.Name), nil
			}
		}
		return part{}, &unknownName{name: exprText(e), pos: start(e)}
	case *parser.Index:
		p, err := b.path(e.X, f)
		if err != nil {
			return part{}, err
		}
		i, err := b.term(e.I, f)
		if err != nil {
			return part{}, err
		}
		n, ok := intOf(i)
		if ok && n >= 0 && int(n) < p.typ.Len {
			switch p.typ.Kind {
			case tree.Array, tree.Vector, tree.PackedVector:
				return p.element(int(n), "["+strconv.Itoa(int(n))+"]"), nil
			}
		}
		return part{}, &unknownName{name: exprText(e), pos: start(e)}
	}
	return part{}, errNoFormula
}

// start returns where a chain of members and indexes begins.
func start(e parser.Expr) parser.Pos {
	switch e := e.(type) {
	case *parser.MemberExpr:
		return start(e.X)
	case *parser.Index:
		return start(e.X)
	}
	return e.Position()
}

// exprText returns a chain of members and indexes as the source writes it.
func exprText(e parser.Expr) string {
	switch e := e.(type) {
	case *parser.Name:
		return strings.Join(e.Path, "::")
	case *parser.MemberExpr:
		return exprText(e.X) + "." + e.Name
	case *parser.Index:
		return exprText(e.X) + "[" + exprText(e.I) + "]"
	case *parser.Number:
		return e.Text
	}
	return "..."
}

// product multiplies the items of a shape.
func (b *binder) product(items []parser.Expr, f formula) (Expr, error) {
	var p Expr
	for _, item := range items {
		x, err := b.bind(item, f)
		if err != nil {
			return nil, err
		}
		if p == nil {
			p = x
		} else {
			p = &Binary{Op: '*', X: p, Y: x}
		}
	}
	return p, nil
}
