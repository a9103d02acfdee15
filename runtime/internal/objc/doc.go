// Package objc sends Objective-C messages without cgo and, where it counts,
// without allocation and in bulk.
//
// It takes addresses and plain words, and returns words. A program declares its selectors as package variables, opens
// the libraries once, and then has two ways to send:
//
//	var selCommit = objc.Selector("commit", "v")
//
//	objc.Load("", "/System/Library/Frameworks/Metal.framework/Metal")
//
//	buffer.Send(selCommit)            // one call into C: about 0.1 µs, its result at once
//	tape.Message(encoder, selCommit)  // recorded: a few ns
//	tape.Replay()                     // all recorded messages in one call, results ignored
//
// # What a word may hold
//
// Arguments are integers, pointers, object and selector addresses, one word each.
// An NSRange is two words; on amd64 it has to be whole within the first four words
// or whole after them, because the System V ABI (3.2.3) does not split a struct
// between registers and stack. MTLSize and other structs are passed by the methods
// that say so, and a float by [ID.SendFloat].
//
// # Memory
//
// A word keeps nothing alive, and a stack that grows moves what is on it. Memory
// of Go whose address is in a word must be on the heap and reachable until the
// call, or the replay, is over: [Sender.Hold] and [Tape.Words] see to both.
// Objects are counted by hand ([ID.Retain], [ID.Release]), and a message
// that returns an autoreleased object is sent within [WithPool].
//
// # Platforms
//
// Messages are sent on macOS and iOS, and on Linux to a library of the tests that
// stands in for Objective-C's; both on amd64 and arm64. Elsewhere the package
// compiles and [Load] returns an error. On Linux a program that imports purego is
// linked dynamically, against glibc, so there nothing but tests should import
// this package.
package objc
