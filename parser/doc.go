// Package parser turns the tokens of a source into a [Tree] of declarations and,
// on demand, into the statements and expressions of a function's body.
//
// What comes in is the Unit that package preprocess makes of a text. What goes out
// is a Tree and an [ErrorList]; a mistake in one declaration leaves the others
// whole. Generating must take milliseconds, so [Parse] looks only at what bindings
// are made of. The rest waits until it is asked for: what is behind the head of a
// template ([Tree.Templated]), the heads of functions that are no kernels
// ([Tree.ParseFunction]), and bodies ([Tree.ParseBody]).
//
// Declarations: split.go cuts the tokens of a unit into declarations and says what
// each is by its shape. fold.go makes one token of what the grammar does not look
// into. grammar.go has the grammar and the syntax tree, lexer.go hands it tokens.
// The heads of templates (template.go) and explicit instantiations
// (instantiation.go), of which libraries have thousands, are read by hand.
//
// Expressions: expr.go climbs precedences, with names in exprname.go, types in
// exprtype.go, braces in initlist.go and lambdas in lambda.go. formula.go reads the
// expressions in comments.
//
// Statements: statement.go has the syntax tree, body.go, bodystmt.go and declstmt.go
// parse it, scope.go knows which names are types.
//
// Read parse.go first, then split.go and grammar.go.
package parser
