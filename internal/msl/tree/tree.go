package tree

import "github.com/metalgen/metalgen/parser"

// Func is a checked function: a kernel or what one calls. Every conversion that
// the language makes by itself is a node of its own in its Body, so whoever
// executes it needs to know no rule.
type Func struct {
	Name   string // qualified
	Pos    parser.Pos
	Kernel *Kernel // nil for a function that kernels call
	Params []*Var  // of a kernel parallel to Kernel.Params
	Result *Type
	Body   *Block
	// End is where the Body ends, if that can be reached without the Result that the
	// function has; else it is the zero Pos. What a thread does there is undefined.
	End parser.Pos
	// Captures is set for lambdas: the Body names variables of the function in
	// which it is called, too.
	Captures bool
	// Volatile is set for kernels that say volatile or coherent, or use what does: others may write what they read.
	Volatile bool
}

// Var is a variable: a parameter, a local variable, or a constant of the program.
type Var struct {
	Name  string
	Type  *Type // of a reference: of what it refers to
	Pos   parser.Pos
	Space string // "thread", "threadgroup", "device", "constant": where its bytes are
	// Ref is set for references: the variable is another name of an lvalue.
	Ref   bool
	Const bool
	// Only is "&" or "&&" for the object of a method that stands for variables or for
	// values only.
	Only string
	// Param is set for parameters, Static for variables of the whole program or
	// threadgroup: program-scope constants, static constants and threadgroup
	// variables of a body. They have no DeclStmt.
	Param, Static bool
	// Addressed is set where the source takes the address of the variable or of
	// a part of it, or lets it decay to a pointer.
	Addressed bool
	// Constant is the function constant that the variable is, or nil.
	Constant *FunctionConstant
	// Init is the value of a Static constant, nil for other variables (they have
	// theirs in DeclStmt).
	Init Expr
}

// Stmt is a statement: *Block, *DeclStmt, *ExprStmt, *If, *Loop, *Switch,
// *Break, *Continue or *Return.
type Stmt interface{ Position() parser.Pos }

// Block is a sequence of statements with a scope of its own.
type Block struct {
	List []Stmt
	Pos  parser.Pos
}

// DeclStmt begins the life of a variable of the body. Init is of the
// variable's type, an lvalue for a Ref, or nil.
type DeclStmt struct {
	Var  *Var
	Init Expr
	Pos  parser.Pos
}

// ExprStmt evaluates X for its effect.
type ExprStmt struct {
	X   Expr
	Pos parser.Pos
}

// If chooses by Cond, a scalar bool. Else may be nil. `if constexpr` leaves
// only the chosen branch, as a Block.
type If struct {
	Cond       Expr
	Then, Else Stmt
	Pos        parser.Pos
}

// Loop is for, while or do: Init; then, unless PostTested, Cond before and with
// PostTested after each run of Body; then Post, which continue leads to. Init,
// Cond (scalar bool) and Post may be nil. What Init declares lives for the loop.
type Loop struct {
	Init       []Stmt
	Cond       Expr
	Post       Expr
	Body       Stmt
	PostTested bool
	Pos        parser.Pos
}

// Switch jumps to the Case whose value X has, an integer; from there on
// execution falls through. A *Break leaves it.
type Switch struct {
	X     Expr
	Cases []SwitchCase
	Pos   parser.Pos
}

// SwitchCase is one or more labels with what follows them up to the next label.
type SwitchCase struct {
	Values  []Value // converted to the type of Switch.X
	Default bool
	List    []Stmt
	Pos     parser.Pos
}

// Break leaves the innermost loop or switch.
type Break struct{ Pos parser.Pos }

// Continue goes on with the innermost loop's Post.
type Continue struct{ Pos parser.Pos }

// Return leaves the function with X, which has its Result type, or nil.
type Return struct {
	X   Expr
	Pos parser.Pos
}

func (s *Block) Position() parser.Pos    { return s.Pos }
func (s *DeclStmt) Position() parser.Pos { return s.Pos }
func (s *ExprStmt) Position() parser.Pos { return s.Pos }
func (s *If) Position() parser.Pos       { return s.Pos }
func (s *Loop) Position() parser.Pos     { return s.Pos }
func (s *Switch) Position() parser.Pos   { return s.Pos }
func (s *Break) Position() parser.Pos    { return s.Pos }
func (s *Continue) Position() parser.Pos { return s.Pos }
func (s *Return) Position() parser.Pos   { return s.Pos }

// Expr is a checked expression. Lvalues are *VarRef, *Deref, *Index, *FieldOf,
// *Elements and *Swizzle of lvalues, and *Assign and prefix *IncDec; where a value is wanted,
// an lvalue stands for its value.
type Expr interface {
	Position() parser.Pos
	// Type is the type of the value. A reference has the type it refers to.
	Type() *Type
}

// Node is what all expressions have.
type Node struct {
	Pos parser.Pos
	Typ *Type
}

// At returns the Node of an expression of a type.
func At(pos parser.Pos, t *Type) Node { return Node{Pos: pos, Typ: t} }

func (n *Node) Position() parser.Pos { return n.Pos }
func (n *Node) Type() *Type          { return n.Typ }

// Const is a scalar (also an enum) that is known: a literal, a constant.
type Const struct {
	Node
	Value Value // of kind Type().Scalar
}

// VarRef names a variable.
type VarRef struct {
	Node
	Var *Var
}

// Op is an operator.
type Op uint8

// The operators of Unary and Binary.
const (
	Neg        Op = iota + 1 // -x
	BitNot                   // ~x
	LogicalNot               // !x, on bool or a vector of bool
	Add
	Sub
	Mul
	Div
	Mod
	And
	Or
	Xor
	Shl
	Shr
	Equal
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	LogicalAnd // of scalars with short circuit; on vectors of bool the source's && is And
	LogicalOr
)

// Unary is Op X, of X's own type.
type Unary struct {
	Node
	Op Op
	X  Expr
}

// Binary is X Op Y, on scalars or, element by element, on vectors. X and Y are of
// the same type, but of shifts only X has the type of the result, Y being any
// integer type with as many elements. A comparison is of type bool or a vector of
// bool. Add, Sub and Mul work on matrices too: matrix ± matrix, matrix * matrix,
// matrix * vector, vector * matrix, matrix * scalar (a scalar always is Y).
// Pointers of the same type compare. Pointer arithmetic is PointerAdd and PointerDiff.
type Binary struct {
	Node
	Op   Op
	X, Y Expr
}

// PointerAdd is X + I elements; with Neg set X - I. I is of an integer type.
type PointerAdd struct {
	Node
	X, I Expr
	Neg  bool
}

// PointerDiff is X - Y in elements, of type long.
type PointerDiff struct {
	Node
	X, Y Expr
}

// Cond is If ? Then : Else. If is a scalar bool, and only the chosen side
// is evaluated; Then and Else are of the type of the whole.
type Cond struct {
	Node
	If, Then, Else Expr
}

// Convert is X in another type: a scalar as a scalar, a vector as a vector
// of as many elements (packed ones too), a scalar as a vector or matrix of
// copies (a matrix: on its diagonal), an enum as its integer and back, a pointer
// as another pointer or as a bool or integer, an integer (0 for none) as a
// pointer, a vote of a simd-group as its integer and back, a matrix as a matrix
// of as many columns and rows. To void it drops X.
type Convert struct {
	Node
	X Expr
}

// Decay is an array lvalue as a pointer to its first element.
type Decay struct {
	Node
	X Expr
}

// Bitcast is as_type<T>(X): the same bits.
type Bitcast struct {
	Node
	X Expr
}

// Construct makes a value of its parts: a vector of scalars and vectors that
// have together as many elements; a matrix of its columns; a struct of its
// fields in order, an array of its elements in order (those left out are zero;
// no Args at all: all zero). Of a union it has at most one, for the field First.
type Construct struct {
	Node
	Args  []Expr
	First int
}

// Swizzle picks elements of a vector: v.x, v.zy, v.rgb. One element makes a
// scalar.
type Swizzle struct {
	Node
	X     Expr
	Elems []int
}

// Index is an element of an array, vector or matrix (a column), or with X a
// pointer what it points to. I is of an integer type.
type Index struct {
	Node
	X, I Expr
}

// FieldOf is a field of a struct.
type FieldOf struct {
	Node
	X     Expr
	Field *Field
}

// Elements is X.thread_elements(): the two elements of a simdgroup_matrix that
// the thread holds, as a vector. It is an lvalue where X is one, but has
// no address: a Ref may be another name of it, no pointer leads to it.
type Elements struct {
	Node
	X Expr
}

// Deref is *X.
type Deref struct {
	Node
	X Expr
}

// AddrOf is &X.
type AddrOf struct {
	Node
	X Expr // an lvalue
}

// Assign is L = R, or with an Op L = T(C(L) Op R), where C is the type Calc in
// which the operator computes and R's type (of shifts: Calc is that of L
// promoted). L is evaluated once. Where L is a pointer, Op is Add or Sub, Calc
// nil and R an integer.
type Assign struct {
	Node
	L    Expr
	Op   Op // 0 for =
	Calc *Type
	R    Expr
}

// IncDec is ++X, --X, X++ or X--.
type IncDec struct {
	Node
	X       Expr
	Dec     bool
	Postfix bool
}

// Comma evaluates X, then has the value of Y.
type Comma struct {
	Node
	X, Y Expr
}

// Call calls a function. An argument for a parameter that is a Ref is an
// lvalue in its address space; for a const reference to the thread's memory it
// may be any value, also an lvalue elsewhere or a part of a vector: the
// function gets a copy.
type Call struct {
	Node
	Func *Func
	Args []Expr
}

// Builtin calls a function of the standard library. Name is its name without
// namespace; Fast and Precise are set for metal::fast:: and metal::precise::.
// What each takes is in package library, and for what has no signature in lib_special.go of package msl; Args have the
// very types that the chosen overload takes, arguments left out included. What
// the function writes to is an lvalue of the thread; atomics take a pointer.
type Builtin struct {
	Node
	Name          string
	Fast, Precise bool
	Args          []Expr
}
