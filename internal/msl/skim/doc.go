// Package skim reads off the tokens of a kernel what bindings need to know of its body, which nobody has parsed. What it
// does not recognise it takes for the worst: a guard that it does not see bounds nothing, and a buffer that is used in
// another way is read and written.
//
// guard.go reads the conditions that a body begins with, position.go what they compare, stride.go the loops that do the
// same, guard_seen.go what only looks like one. access.go says what is done with a buffer. mention.go knows which names
// a declaration mentions, with what it mentions itself; constants.go and simdgroup.go ask that.
package skim
