package ptx

import (
	"encoding/binary"
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Threads write what they log to memory of the device, one message after the other as they come, and the host sorts and
// formats it: LogRecord is a message there.

// LogSite is a place in the source that logs.
type LogSite struct {
	*ir.LogCall
	Pos  parser.Pos
	Long []bool // by argument: its elements have 64 bits, not 32
}

// LogRecord is what comes before the elements of all arguments, which take 8 bytes each.
type LogRecord struct {
	Site   uint32
	Number uint32 // of the messages of the thread
	Phase  uint32 // barriers before it
	Linear uint32 // the number of the thread in its threadgroup
	Thread [3]uint32
	Group  [3]uint32
	Log    uint32 // the number of an os_log of the kernel
	_      uint32
}

const (
	// MostLogged is how many messages of a call the memory has room for.
	MostLogged = 1 << 14
	// LogHeader are the bytes before the first message: an uint32 that counts all of them.
	LogHeader = 16

	logRecordSize = 48
)

// LogStride returns the bytes of a message, 0 where the kernel writes none.
func (m *Module) LogStride() int {
	if len(m.Logs) == 0 {
		return 0
	}
	elements := 0
	for i := range m.Logs {
		n := 0
		for _, a := range m.Logs[i].Args {
			n += a.Count
		}
		elements = max(elements, n)
	}
	return logRecordSize + 8*elements
}

// GetLog returns a message that a kernel has written, and the elements of its arguments.
func GetLog(from []byte) (r LogRecord, elements []uint64) {
	if _, err := binary.Decode(from, binary.LittleEndian, &r); err != nil {
		panic(err)
	}
	for at := logRecordSize; at < len(from); at += 8 {
		elements = append(elements, binary.LittleEndian.Uint64(from[at:]))
	}
	return r, elements
}

// LogMask returns what the parameters of a call say of the levels that somebody reads.
func LogMask(reads func(l tree.LogLevel) bool) (mask uint32) {
	for l := tree.LogDebug; l <= tree.LogFault; l++ {
		if reads(l) {
			mask |= 1 << l
		}
	}
	return mask
}

// logs writes messages.
type logs struct {
	e      *emitter
	number string // the register of how many messages the thread has written
	stride int
	sites  map[*ir.Instr]int
}

// find finds the messages of the kernel.
func (l *logs) find(e *emitter) {
	l.e, l.sites = e, map[*ir.Instr]int{}
	for in := range e.All() {
		call, ok := in.Aux.(*ir.LogCall)
		if !ok {
			continue
		}
		s := LogSite{LogCall: call, Pos: e.Position(in)}
		rest := in.Args[1:]
		for _, a := range call.Args {
			s.Long = append(s.Long, a.Count > 0 && classOf(e.Type(rest[0])) == longClass)
			rest = rest[a.Count:]
		}
		l.sites[in] = len(e.module.Logs)
		e.module.Logs = append(e.module.Logs, s)
	}
	if l.stride = e.module.LogStride(); l.stride == 0 {
		return
	}
	e.field(LogField, 0, 16, 8)
	l.number = e.fresh(wordClass)
	e.first("mov.u32 %s, 0;", l.number)
}

// log writes that a thread logs.
func (l *logs) log(in *ir.Instr) {
	e, call := l.e, in.Aux.(*ir.LogCall)
	memory, levels := e.parameter(LogField, 0, 0, "u64"), e.parameter(LogField, 0, 8, "u32")
	end := e.label()
	reads := e.make(wordClass, "and.b32", levels, fmt.Sprint(1<<call.Level))
	e.op("@%s bra %s;", e.test("eq.u32", reads, "0"), end)
	n := e.make(wordClass, "atom.relaxed.gpu.global.add.u32", "["+memory+"]", "1")
	e.op("@%s bra %s;", e.test("ge.u32", n, fmt.Sprint(MostLogged)), end)
	at := e.make(longClass, "mad.wide.u32", n, fmt.Sprint(l.stride), memory)
	at = e.make(longClass, "add.s64", at, fmt.Sprint(LogHeader))
	phase := "0"
	if e.phase != "" {
		phase = e.phase
	}
	words := []string{fmt.Sprint(l.sites[in]), l.number, phase, e.linear()}
	for i := range 3 {
		words = append(words, e.inGrid(i))
	}
	for i := range 3 {
		words = append(words, e.group(i))
	}
	for i, w := range append(words, e.reg(in.Args[0])) {
		e.op("st.global.u32 [%s+%d], %s;", at, 4*i, e.make(wordClass, "mov.u32", w))
	}
	for i, v := range in.Args[1:] {
		r := e.reg(v)
		switch classOf(e.Type(v)) {
		case longClass:
			if e.Type(v) == ir.Ptr {
				r = e.full(v)
			}
		case floatClass:
			r = e.make(longClass, "cvt.u64.u32", e.make(wordClass, "mov.b32", r))
		default:
			r = e.make(longClass, "cvt.u64.u32", r)
		}
		e.op("st.global.u64 [%s+%d], %s;", at, logRecordSize+8*i, r)
	}
	e.op("add.u32 %s, %s, 1;", l.number, l.number)
	e.place(end)
}
