// Package preprocess turns a source text into a [Unit]: the tokens that survive
// preprocessing, the macros that were defined, the comments, and the flattened
// source that Metal compiles at run time.
//
// What comes in is a path, the directories to search for headers and the macros
// of the command line ([Options]). What goes out is a Unit and an [ErrorList]. A
// Unit is never nil: what could be read is in it, whatever the errors.
//
// A text goes through the files in this order. The scanner (scan.go) cuts it into
// tokens and comments; text.go joins lines that end in a backslash. [Run], in
// preprocess.go, copies tokens to the unit, hands lines that begin with # to
// directive.go, and identifiers that name macros to expand.go. Conditions are in
// condition.go and evaluate.go, headers in include.go, the reading of files in
// open.go, definitions in macro.go, calls with arguments in call.go. While headers
// are read, flatten.go writes the flattened source. Comments are data, so they are
// kept with their positions (comment.go).
//
// Read unit.go first, then preprocess.go.
package preprocess
