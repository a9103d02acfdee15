//go:build linux && (amd64 || arm64)

package metaltest

import (
	"strings"
	"structs"
)

// Failures returns what the checks found since the last call, and forgets it. Like
// all that follows, it wants [Start] or [Load] first.
func Failures() []string { return records(take(fake.failures())) }

// Leaks returns what is alive: objects by class, and autorelease pools.
func Leaks() []string { return records(take(fake.leaks())) }

// Message is an entry of the log. One without a Class is a remark of the fake's
// own, its text in Selector.
type Message struct {
	Class    string // of Receiver: "MTLBuffer"
	Receiver string // "MTLBuffer#1 "weights"", or the name of a class
	Selector string
	Args     []string // as a person would write them; addresses are "pointer"
}

// String returns, say, `MTLBuffer#1 setLabel: "weights"`.
func (m Message) String() string {
	if m.Class == "" {
		return m.Selector
	}
	names := strings.SplitAfter(m.Selector, ":")
	parts := []string{m.Receiver}
	for i, name := range names {
		if name != "" {
			parts = append(parts, name)
		}
		if i < len(m.Args) {
			parts = append(parts, m.Args[i])
		}
	}
	return strings.Join(parts, " ")
}

// Log returns the messages since the test or [ResetLog], except those to nil and
// the like, which are failures.
func Log() []Message {
	var list []Message
	for _, record := range records(take(fake.log())) {
		f := strings.Split(record, "\x1f")
		list = append(list, Message{Class: f[0], Receiver: f[1], Selector: f[2], Args: f[3:]})
	}
	return list
}

// Counts are numbers of the log, kept where there is no log too.
type Counts struct {
	_              structs.HostLayout
	Messages       uint64
	CommandBuffers uint64
	Encoders       uint64
	Dispatches     uint64
	Barriers       uint64
	Needless       uint64 // barriers of ended encoders that no two dispatches needed
}

// Count returns the numbers since the test or [ResetLog].
func Count() Counts {
	var c Counts
	fake.counts(&c)
	return c
}

// Number returns n of MTLBuffer#n, as the log has it, and so for every class.
func Number(object uintptr) uint64 { return fake.number(object) }

// ResetLog empties the log and the counts.
func ResetLog() { fake.forgetLog() }

// Method is one that the fake has.
type Method struct {
	Class    string // of protocols their name, though no class has it
	Static   bool
	Selector string
	Types    string // result and arguments, without self and _cmd
}

// Methods returns all that the fake has.
func Methods() []Method {
	var list []Method
	for _, record := range records(take(fake.table())) {
		f := strings.Split(record, "\x1f")
		list = append(list, Method{Class: f[0], Static: f[1] == "+", Selector: f[2], Types: f[3]})
	}
	return list
}
