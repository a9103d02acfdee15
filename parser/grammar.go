package parser

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of declarations (MSL specification 2 and 5; C++14 clause 7).
// The splitter has delimited each declaration and collapsed what is not parsed,
// so no token of lookahead is needed but where a group asks for it; an error
// is then reported where it is, not where the last alternative began.

// Function is a function with its parameters; its body stays unparsed.
//
// The name is `f`, `a::f`, `operator+`, `operator()`, `operator float4` or `~P`.
// Constructors, destructors and conversions have no result: of their Result
// only Pre is set.
type Function struct {
	Pos        lexer.Position
	Attributes []string      `parser:"@Attributes*"`
	Result     *Type         `parser:"@@"`
	Pointers   []*Pointer    `parser:"@@*"`
	Name       string        `parser:"@Ident ( @'::' @Ident )*"`
	Args       *TemplateArgs `parser:"@@?"` // of a specialisation, f<half>
	Params     []*Param      `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
	After      []string      `parser:"@( Attributes | Qualifier | '&' | '&&' )*"`
	Trailing   *TypeName     `parser:"( '->' @@ )?"` // the result of `auto f() -> T`
	Inits      []*MemberInit `parser:"( ':' @@ ( ',' @@ )* )?"`
	Defined    string        `parser:"( '=' @( 'default' | 'delete' | Number ) )?"`
	Body       bool          `parser:"( @Body | ';' )"`

	// Scope is the class template in the name of a member that is defined
	// outside of it, the `S<T>` of `S<T>::f`, or nil.
	Scope *Type
}

// MemberInit is one initial value in a constructor, `: x(a), Base<T>{b}`.
type MemberInit struct {
	Pos   lexer.Position
	Name  *Type     `parser:"@@"`
	Brace bool      `parser:"( '(' | @'{' )"`
	Args  []*Tokens `parser:"( @@ ( ',' @@ )* )? ( ')' | '}' ) '...'?"`
}

// Param is one parameter of a function.
type Param struct {
	Pos        lexer.Position
	Before     []string    `parser:"@Attributes*"`
	Type       *Type       `parser:"@@"`
	Pointers   []*Pointer  `parser:"@@*"`
	Pack       bool        `parser:"@'...'?"`
	Declarator *Declarator `parser:"@@?"`
	Default    *Tokens     `parser:"( '=' @@ )?"`
	EndPos     lexer.Position
}

// Path is a possibly qualified name, a::b. One that is looked up from the outermost
// namespace, ::a::b, begins with an empty part.
type Path []string

// Capture implements participle's Capture.
func (p *Path) Capture(parts []string) error {
	for _, part := range parts {
		*p = append(*p, strings.TrimPrefix(part, "::"))
	}
	return nil
}

// Rooted returns the path without the empty part of one that begins with ::, and
// reports whether it does.
func (p Path) Rooted() (rest Path, ok bool) {
	if len(p) > 0 && p[0] == "" {
		return p[1:], true
	}
	return p, false
}

// PathOf returns the path that tokens spell.
func PathOf(tokens []Token) Path {
	var path Path
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Kind == Ident && t.Text != "template":
			path = append(path, t.Text)
		case i == 0 && t.Is("::"):
			path = append(path, "")
		}
	}
	return path
}

// Type is a type with its qualifiers on either side: `device const float`. It
// has a Path, Words or a Decltype.
type Type struct {
	Pos      lexer.Position
	Pre      []string      `parser:"@Qualifier*"`
	Tag      string        `parser:"@Tag?"`
	At       Here          `parser:"@@"`
	Path     Path          `parser:"( @'::'? @Ident ( '::' 'template'? @Ident )*"`
	Args     *TemplateArgs `parser:"  ( @@"`
	Member   []string      `parser:"    ( '::' 'template'? @Ident )*"`
	Rest     []*TypeRest   `parser:"    @@* )?"`
	Words    []string      `parser:"| @IntWord+"`
	Decltype *Operand      `parser:"| Decltype @@ )"`
	Post     []string      `parser:"@Qualifier*"`
}

// TypeRest is what follows a second and further template of a type's name, the
// `<U>::type` in `X<T>::Y<U>::type`.
type TypeRest struct {
	Pos    lexer.Position
	Args   *TemplateArgs `parser:"@@"`
	Member []string      `parser:"( '::' 'template'? @Ident )*"`
}

// Operand is the text in the parentheses of decltype, and the names after it:
// `decltype(x)::type`.
type Operand struct {
	Pos    lexer.Position
	Expr   *Parenthesised `parser:"@@"`
	Member []string       `parser:"( '::' 'template'? @Ident )*"`
}

// Here is the position of the next token; it takes none.
type Here struct{ Pos Pos }

// Parse implements participle's Parseable.
func (h *Here) Parse(lex *lexer.PeekingLexer) error {
	h.Pos = lex.Peek().Pos
	return nil
}

// Pointer is one * or & with the qualifiers after it.
type Pointer struct {
	Pos   lexer.Position
	Op    string   `parser:"@PointerOp"`
	Quals []string `parser:"@Qualifier*"`
}

// Declarator is a name with its array dimensions, bits and attributes.
// Inner is the parenthesised form `(&name)[4]`. A parameter without a name may
// have attributes still, and a bit-field without one bits.
type Declarator struct {
	Pos    lexer.Position
	Name   string           `parser:"( ( @Ident"`
	Inner  *InnerDeclarator `parser:"  | @@"`
	Params *ParamList       `parser:"    @@? )"` // of a function that this points to
	Dims   []*Dim           `parser:"  @@*"`
	Bits   *Tokens          `parser:"  ( ':' @@ )?"`
	After  []string         `parser:"  @Attributes* | @Attributes+ )"`
}

// InnerDeclarator is the parenthesised part of `(&name)[4]`, `(*name)(int)` or,
// where there is no name, `(*)[4]`.
type InnerDeclarator struct {
	Pos  lexer.Position
	Ptr  []*Pointer `parser:"'(' @@*"`
	Name string     `parser:"@Ident?"`
	Dims []*Dim     `parser:"@@* ')'"`
}

// ParamList is the parameters of a function that a declarator points to.
type ParamList struct {
	Pos    lexer.Position
	Params []*Param `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
}

// Dim is one array dimension; Size is nil in `x[]`.
type Dim struct {
	Pos  lexer.Position
	Size *Tokens `parser:"'[' @@? ']'"`
}

// Struct is a struct, class or union with its members.
type Struct struct {
	Pos     lexer.Position
	Quals   []string      `parser:"@Qualifier*"`
	Tag     string        `parser:"@( 'struct' | 'class' | 'union' )"`
	Align   []*AlignAs    `parser:"( @@"`
	Before  []string      `parser:"| @Attributes )*"`
	Name    string        `parser:"@Ident?"`
	Args    *TemplateArgs `parser:"@@?"`
	Final   bool          `parser:"@'final'?"`
	Bases   []*Base       `parser:"( ':' @@ ( ',' @@ )* )?"`
	Members []*Member     `parser:"'{' @@* '}'"`
	After   []string      `parser:"@Attributes*"`
	Vars    []*Init       `parser:"( @@ ( ',' @@ )* )?"`
}

// Base is one class that a struct inherits from.
type Base struct {
	Pos    lexer.Position
	Access string `parser:"'virtual'? @( 'public' | 'private' | 'protected' )?"`
	Type   *Type  `parser:"@@"`
	Pack   bool   `parser:"@'...'?"`
}

// AlignAs is alignas(expression or type).
type AlignAs struct {
	Pos  lexer.Position
	Expr *Tokens `parser:"'alignas' '(' @@ ')'"`
}

// Member is one member of a struct.
type Member struct {
	Pos lexer.Position
	// Skipped is set for a method, a template, a friend or a static_assert,
	// which are parsed on demand: Decl has their tokens, and what is said of
	// those of the unit holds for it.
	Skipped bool     `parser:"( @Skipped"`
	Typedef *Typedef `parser:"| @@ ';'"`
	Using   *Using   `parser:"| @@ ';'"`
	Nested  *Struct  `parser:"| (?= Qualifier* (?! 'enum') Tag ('alignas'|Attributes|'{'|Ident ('{'|'final'|':'))) @@ ';'"`
	Enum    *Enum    `parser:"| (?= 'enum' ( 'class' | 'struct' )? Ident? ( ':' | '{' ) ) @@ ';'"`
	Field   *Field   `parser:"| @@ ';'"`
	Empty   bool     `parser:"| @';' )"`

	Decl   *Decl
	Access string // public, private or protected, where that is all: of the members after
}

// Field is one line of fields, `float x, y[4];`, or a static constant.
type Field struct {
	Pos    lexer.Position
	Before []string   `parser:"( @Attributes"`
	Align  []*AlignAs `parser:"| @@ )*"`
	Type   *Type      `parser:"@@"`
	Vars   []*Init    `parser:"@@ ( ',' @@ )*"`
}

// Init is a declarator with its pointers and initial value.
type Init struct {
	Pos        lexer.Position
	Pointers   []*Pointer  `parser:"@@*"`
	Declarator *Declarator `parser:"(?! Attributes ) @@"`
	Value      *Tokens     `parser:"( '=' @@ | (?= '{' ) @@"`
	// Args are the values in parentheses after the name.
	Args *Parenthesised `parser:"| @@ )?"`
}

// Enum is an enum or enum class.
type Enum struct {
	Pos    lexer.Position
	Class  string        `parser:"'enum' @( 'class' | 'struct' )?"`
	Before []string      `parser:"@Attributes*"`
	Name   string        `parser:"@Ident?"`
	Base   *Type         `parser:"( ':' @@ )?"`
	Values []*Enumerator `parser:"'{' ( @@ ( (?= ',' Ident ) ',' @@ )* ','? )? '}'"`
	Vars   []*Init       `parser:"( @@ ( ',' @@ )* )?"`
}

// Enumerator is one constant of an enum.
type Enumerator struct {
	Pos   lexer.Position
	Name  string   `parser:"@Ident"`
	After []string `parser:"@Attributes*"`
	Value *Tokens  `parser:"( '=' @@ )?"`
}

// Typedef is `typedef T name;` or `typedef struct { ... } name;`.
type Typedef struct {
	Pos    lexer.Position
	Struct *Struct `parser:"'typedef' ( (?= Qualifier* (?! 'enum') Tag ('alignas'|Attributes|'{'|Ident ('{'|':'))) @@"`
	Enum   *Enum   `parser:"| (?= 'enum' ( 'class' | 'struct' )? Ident? ( ':' | '{' ) ) @@"`
	Type   *Type   `parser:"| ( @@"`
	Vars   []*Init `parser:"@@ ( ',' @@ )* ) )"`
}

// Using is `using name = T;`, or without a type a using-declaration. Struct is
// set instead of Type for `using name = struct { ... };`, and Namespace alone for
// `using namespace a::b` in a body.
type Using struct {
	Pos      lexer.Position
	Root     bool             `parser:"'using' 'typename'? @'::'?"` // of a using-declaration, ::Base::x
	Name     string           `parser:"@Ident"`
	Args     *TemplateArgs    `parser:"@@?"` // of a using-declaration, Base<T>::x
	Rest     []string         `parser:"( '::' @Ident )*"`
	Before   []string         `parser:"@Attributes*"`
	Struct   *Struct          `parser:"( '=' ( (?= Qualifier* (?! 'enum') Tag (Attributes|Body|Ident Body)) @@"`
	Type     *Type            `parser:"| ( @@"`
	Pointers []*Pointer       `parser:"@@*"`
	Abstract *InnerDeclarator `parser:"( (?= '(' PointerOp ) @@ )?"` // `(*)` of a pointer to a function
	Params   *ParamList       `parser:"@@?"`
	Dims     []*Dim           `parser:"@@*"`
	After    []string         `parser:"@Attributes* ) ) )?"`

	Namespace Path
}

// Variable is a global: a constant, a function constant.
//
// Scope is the class of a static member that is defined outside of it, the
// `X<4>` of `X<4>::table`, and Args those of a specialisation, v<float>.
type Variable struct {
	Pos    lexer.Position
	Before []string   `parser:"( @Attributes"`
	Align  []*AlignAs `parser:"| @@ )*"`
	Type   *Type      `parser:"@@"`
	Vars   []*Init    `parser:"@@ ( ',' @@ )* ';'"`

	Scope *Type
	Args  *TemplateArgs
}

// attributeList is the inside of one [[...]].
type attributeList struct {
	Items []*Attribute `parser:"'[' '[' ( @@ ( ','? @@ )* )? ']' ']'"`
}

// Attribute is one attribute: buffer(0), max_total_threads_per_threadgroup(N).
type Attribute struct {
	Pos  lexer.Position
	Name string    `parser:"( (?= Ident '::' ) Ident '::' )? @( Ident | Qualifier )"`
	Args []*Tokens `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
}

// typedefStatement and usingStatement end in the semicolon that members share.
type typedefStatement struct {
	Typedef *Typedef `parser:"@@ ';'"`
}

type usingStatement struct {
	Using *Using `parser:"@@ ';'"`
}

type structStatement struct {
	Struct *Struct `parser:"@@ ';'"`
}

type enumStatement struct {
	Enum *Enum `parser:"@@ ';'"`
}

// The parsers are built when first used: building one costs a millisecond that
// a program which merely imports this package need not pay.
var (
	functionParser   = sync.OnceValue(build[Function])
	structParser     = sync.OnceValue(build[structStatement])
	enumParser       = sync.OnceValue(build[enumStatement])
	typedefParser    = sync.OnceValue(build[typedefStatement])
	usingParser      = sync.OnceValue(build[usingStatement])
	variableParser   = sync.OnceValue(build[Variable])
	attributesParser = sync.OnceValue(build[attributeList])
	typeNameParser   = sync.OnceValue(build[TypeName])
	paramParser      = sync.OnceValue(build[Param])
	paramListParser  = sync.OnceValue(build[ParamList])
)
