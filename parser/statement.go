package parser

// Stmt is a statement of a function's body: *Block, *DeclStmt, *ExprStmt, *If,
// *For, *RangeFor, *While, *Do, *Switch, *Case, *Break, *Continue, *Return or
// *StaticAssert.
type Stmt interface{ Position() Pos }

// Block is { ... }. The empty statement is a Block of nothing.
type Block struct {
	List []Stmt
	Pos  Pos
	End  Pos // of the closing brace
}

// DeclStmt declares variables, or with Struct, Enum, Typedef or Using a type.
// A struct or enum may come with variables, Vars, whose type it is.
type DeclStmt struct {
	Before []string   // attributes
	Align  []*AlignAs // alignas(...) in front
	Type   *Type      // of Vars; nil where they are of Struct or Enum
	Vars   []*LocalVar

	Struct  *Struct
	Enum    *Enum
	Typedef *Typedef
	Using   *Using
	Pos     Pos
}

// LocalVar is one variable of a declaration in a body.
type LocalVar struct {
	Pointers   []*Pointer
	Declarator *Declarator
	// Bindings are the names in `auto [a, b] = pair`, whose Declarator has none.
	Bindings []string
	// Init is the initial value or nil: an *InitList for `v = {a}`, `v{a}` and,
	// with Paren set, `v(a)`.
	Init Expr
	Pos  Pos
}

// ExprStmt is an expression whose value nobody uses.
type ExprStmt struct {
	X   Expr
	Pos Pos
}

// If is if (Cond) Then else Else; Else may be nil. Init is a declaration or
// expression before the condition, `if (init; cond)`, or nil. Var is set instead
// of Cond where the condition declares a variable, whose value counts.
type If struct {
	Constexpr  bool
	Init       Stmt
	Var        *DeclStmt
	Cond       Expr
	Then, Else Stmt
	Pos        Pos
}

// For is for (Init; Cond; Post) Body; all but Body may be nil.
type For struct {
	Init Stmt // *DeclStmt or *ExprStmt
	Cond Expr
	Post Expr
	Body Stmt
	Pos  Pos
}

// RangeFor is for (Init; Var : Range) Body; Init may be nil.
type RangeFor struct {
	Init  Stmt
	Var   *DeclStmt // of one variable without an initial value
	Range Expr
	Body  Stmt
	Pos   Pos
}

// While is while (Cond) Body, with Var as in an If.
type While struct {
	Var  *DeclStmt
	Cond Expr
	Body Stmt
	Pos  Pos
}

// Do is do Body while (Cond).
type Do struct {
	Body Stmt
	Cond Expr
	Pos  Pos
}

// Switch is switch (X) Body, with Init and Var as in an If. Its labels are
// statements in Body.
type Switch struct {
	Init Stmt
	Var  *DeclStmt
	X    Expr
	Body *Block
	Pos  Pos
}

// Case is a label `case X:`, or with X nil `default:`; what it labels follows it.
type Case struct {
	X   Expr
	Pos Pos
}

// StaticAssert is static_assert(Cond), whose message is dropped.
type StaticAssert struct {
	Cond Expr
	Pos  Pos
}

// Break is break.
type Break struct{ Pos Pos }

// Continue is continue.
type Continue struct{ Pos Pos }

// Return is return X; X may be nil.
type Return struct {
	X   Expr
	Pos Pos
}

func (s *Block) Position() Pos        { return s.Pos }
func (s *DeclStmt) Position() Pos     { return s.Pos }
func (s *ExprStmt) Position() Pos     { return s.Pos }
func (s *If) Position() Pos           { return s.Pos }
func (s *For) Position() Pos          { return s.Pos }
func (s *RangeFor) Position() Pos     { return s.Pos }
func (s *While) Position() Pos        { return s.Pos }
func (s *Do) Position() Pos           { return s.Pos }
func (s *Switch) Position() Pos       { return s.Pos }
func (s *Case) Position() Pos         { return s.Pos }
func (s *Break) Position() Pos        { return s.Pos }
func (s *Continue) Position() Pos     { return s.Pos }
func (s *Return) Position() Pos       { return s.Pos }
func (s *StaticAssert) Position() Pos { return s.Pos }
