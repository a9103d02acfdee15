package parser

// Expr is an expression: *Number, *Text, *Name, *Unary, *Binary, *Conditional,
// *CallExpr, *Index, *MemberExpr, *TypeMember, *Cast, *Construct, *Sizeof, *Lambda, *Fold,
// *InitList, or in a list *Expansion and *Designated.
type Expr interface{ Position() Pos }

// Number is an integer, floating-point or character literal.
type Number struct {
	Kind Kind // Int, Float or Char
	Text string
	Pos  Pos
}

// Text is a string literal, quotes included. Adjacent ones are joined.
type Text struct {
	Text string
	Pos  Pos
}

// Name is a possibly qualified name: `x`, `metal::max`, `as_type<uint>`,
// `numeric_limits<float>::max`. `true`, `false`, `nullptr` and `this` are names
// too.
type Name struct {
	Path Path
	Args *TemplateArgs // of the last of Path, or nil
	// Member is the name after the :: that follows Args, or nil.
	Member *Name
	Pos    Pos
}

// Unary is Op X, or with Postfix set X Op.
type Unary struct {
	Op      string
	Postfix bool
	X       Expr
	Pos     Pos
}

// Binary is X Op Y, assignments and the comma included. Pos is Op's.
type Binary struct {
	Op   string
	X, Y Expr
	Pos  Pos
}

// Conditional is Cond ? Then : Else.
type Conditional struct {
	Cond, Then, Else Expr
	Pos              Pos
}

// CallExpr is Func(Args), or with Brace set Func{Args}; a conversion such as
// float(x) looks the same.
type CallExpr struct {
	Func  Expr
	Args  []Expr
	Brace bool
	Pos   Pos
}

// Index is X[I].
type Index struct {
	X, I Expr
	Pos  Pos
}

// MemberExpr is X.Name or X->Name, with template arguments where it is a
// template's: x.template f<T>.
type MemberExpr struct {
	X     Expr
	Name  string
	Args  *TemplateArgs
	Arrow bool
	Pos   Pos
}

// Cast is (Type)X, or static_cast<Type>(X) and the like, or a conversion to a
// type of several words, unsigned int(X).
type Cast struct {
	Word string // "static_cast", "reinterpret_cast", "const_cast"; "" for (T)x
	Type *TypeName
	X    Expr
	Pos  Pos
}

// Construct is a conversion to a type that is no mere name, with any number of
// arguments: typename T::type(a, b), decltype(x){}.
type Construct struct {
	Type  *TypeName
	Args  []Expr
	Brace bool
	Pos   Pos
}

// TypeMember is a static member of a type that only decltype names:
// decltype(x)::count.
type TypeMember struct {
	Type *TypeName
	Name string
	Args *TemplateArgs
	Pos  Pos
}

// Expansion is `X...`, which stands for X once for each element of the packs in it.
type Expansion struct {
	X      Expr
	Tokens []Token // of X: they name the packs
	Pos    Pos
}

// Fold is (X Op ... Op Y). One of X and Y has the pack, and the other one may be nil:
// (... && xs).
type Fold struct {
	Op   string
	X, Y *Expansion
	Pos  Pos
}

// Sizeof is sizeof(Type) or alignof(Type), or sizeof X, or with Pack set
// sizeof...(X).
type Sizeof struct {
	Align bool
	Pack  bool
	Type  *TypeName
	X     Expr
	Pos   Pos
}

// InitList is { Elems }, the value of a variable, argument or return, or with
// Paren set the ( Elems ) after a variable's name.
type InitList struct {
	Elems []Expr
	Paren bool
	Pos   Pos
}

// TypeName is a type written by itself, as in a cast.
type TypeName struct {
	Type     *Type            `parser:"@@"`
	Pointers []*Pointer       `parser:"@@*"`
	Abstract *InnerDeclarator `parser:"( (?= '(' PointerOp ) @@ )?"` // the `(*)` of `T(*)[4]`
	Params   *ParamList       `parser:"@@?"`                         // of `T(*)(int)` and `T(int)`
	Dims     []*Dim           `parser:"@@*"`
}

func (e *Number) Position() Pos { return e.Pos }

func (e *Text) Position() Pos { return e.Pos }

func (e *Name) Position() Pos { return e.Pos }

func (e *Unary) Position() Pos { return e.Pos }

func (e *Binary) Position() Pos { return e.Pos }

func (e *Conditional) Position() Pos { return e.Pos }

func (e *CallExpr) Position() Pos { return e.Pos }

func (e *Index) Position() Pos { return e.Pos }

func (e *MemberExpr) Position() Pos { return e.Pos }

func (e *Cast) Position() Pos { return e.Pos }

func (e *Sizeof) Position() Pos { return e.Pos }

func (e *InitList) Position() Pos { return e.Pos }

func (e *Construct) Position() Pos { return e.Pos }

func (e *TypeMember) Position() Pos { return e.Pos }

func (e *Fold) Position() Pos { return e.Pos }

func (e *Expansion) Position() Pos { return e.Pos }

func (e *Designated) Position() Pos { return e.Pos }

func (e *Lambda) Position() Pos { return e.Pos }
