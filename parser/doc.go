// Package parser turns the tokens of a source into a [Tree] of declarations and,
// on demand, into the statements and expressions of a function's body.
//
// What comes in is the Unit that package preprocess makes of a text. What goes out
// is a Tree and an [ErrorList]; a mistake in one declaration leaves the others
// whole. Generating must take milliseconds, so [Parse] looks only at what bindings
// are made of. The rest waits until it is asked for: what is after the head of a
// template ([Tree.Templated]), the heads of functions that are no kernels
// ([Tree.ParseFunction]), and bodies ([Tree.ParseBody]).
//
// All that is parsed by hand is read through the cursor of cursor.go. brackets.go matches
// brackets. Where a list of template arguments ends is decided in angles.go, and nowhere
// else.
//
// Declarations: span.go delimits one and classifies it by its shape, and split.go cuts
// a unit into them. collapse.go makes one token of what the grammar does not look
// into. grammar.go has the grammar and the syntax tree, with what it leaves as tokens in
// grammartokens.go; lexer.go hands it tokens, and errors.go puts its errors into words. The heads of templates
// (template.go) and explicit instantiations (instantiation.go), which libraries have by the thousand, are parsed by
// hand; declname.go finds the names after them. member.go has the members of structs that wait, function.go the
// heads of functions.
//
// Expressions: expr.go climbs precedences, with names in exprname.go, types in
// exprtype.go and typename.go, braces in initlist.go and lambdas in lambda.go.
// exprtree.go has their syntax tree. Package notation parses what comments state, with the same expressions.
//
// Statements: statement.go has the syntax tree; body.go, bodystmt.go and declstmt.go
// parse it. scope.go knows which names are types, without which C++ cannot be parsed.
//
// Read parse.go first, then span.go and grammar.go.
package parser
