package asm

// Condition is a condition of the flags, as the encoding numbers them.
type Condition uint8

// Conditions. Below and Above are of numbers without a sign.
const (
	Overflow Condition = iota
	NoOverflow
	Below
	AboveEqual
	Equal
	NotEqual
	BelowEqual
	Above
	Negative
	NotNegative
	Parity
	NoParity
	Less
	GreaterEqual
	LessEqual
	Greater
	Always // of jumps only
)
