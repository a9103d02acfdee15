// Package metaltest stands in for Metal where there is none: a shared library in
// C with an Objective-C runtime and as much of Metal as a compute runtime speaks,
// which checks every message that it is sent and executes what is dispatched.
//
// Messages arrive through objc_msgSend of the library at [Path]. Each method is a C function with the true prototype of
// Apple's, so that a C compiler decides how arguments are passed, and stands in a table with its type encoding. The
// package returns [Failures], which are all that Metal would have asserted, ignored or crashed on, [Leaks], and the
// messages themselves ([Log]). It calls Options.Execute for each dispatch.
//
// Start reading at fake/encoder.c, which checks what a dispatch needs, and at
// dispatch.go, where it arrives in Go, with watchdog.go, which ends what runs for too
// long; fake/fake.h lists what is in which file. What
// is particular to a kind of argument is in fake/arg_*.c and arg_*.go, and the tables
// of kinds are in fake.h and arg.go.
//
// The machines and systems that the fake plays are a table, machine.go, and play.go hands it to the library.
//
// A test begins with [Start], which ends it with an error when a check fired.
// The library is compiled with the C compiler of the system, or with CC and CFLAGS of
// the environment, and kept in the user's cache folder (package clib). Where there is no
// compiler, tests are skipped.
//
// There is no such thing on Windows, and no need of it on macOS: there, this
// package is empty.
package metaltest
