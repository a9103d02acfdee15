package interp

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/logtext"
)

// What a dispatch logs is kept until its end, so that messages have the same order in every
// run: that of threadgroups, and in one of simd-groups between barriers. Under a schedule it
// is the order in which they were written.

// messages are those of a dispatch that are kept.
type messages struct {
	mu      sync.Mutex
	kept    latestFirst
	dropped int
}

// message is a message with what it is sorted by.
type message struct {
	at    messageOrder
	site  *program.LogSite
	log   program.LogObject
	text  string
	pos   parser.Pos
	lane  [3]int
	group [3]int
}

// messageOrder is where a message stands among those of its dispatch.
type messageOrder struct {
	group     int64
	phase     int // barriers before it
	simdgroup int
	number    int // of its threadgroup, or under a schedule of the dispatch
}

func (a messageOrder) compare(b messageOrder) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.phase, b.phase),
		cmp.Compare(a.simdgroup, b.simdgroup), cmp.Compare(a.number, b.number))
}

// latestFirst is a heap of messages.
type latestFirst []message

func (h latestFirst) Len() int           { return len(h) }
func (h latestFirst) Less(i, j int) bool { return h[i].at.compare(h[j].at) > 0 }
func (h latestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *latestFirst) Push(m any)        { *h = append(*h, m.(message)) }
func (h *latestFirst) Pop() any          { panic("unreachable") }

// has reports whether a message is among the first. One that is not is dropped.
func (ms *messages) has(at messageOrder) bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if len(ms.kept) < logtext.MaxMessages || at.compare(ms.kept[0].at) < 0 {
		return true
	}
	ms.dropped++
	return false
}

// add keeps a message, in place of the last one where there are too many.
func (ms *messages) add(m message) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if len(ms.kept) < logtext.MaxMessages {
		heap.Push(&ms.kept, m)
		return
	}
	ms.dropped++
	if m.at.compare(ms.kept[0].at) < 0 {
		ms.kept[0] = m
		heap.Fix(&ms.kept, 0)
	}
}

// log keeps the messages of the active lanes.
func log(f *Frame, in *program.Instruction) {
	g, site := f.Group, &f.Code.LogSites[in.Imm]
	d := g.Dispatch
	if !d.Logger().Enabled(context.Background(), logtext.Levels[site.Level]) {
		return
	}
	number := g.Number()
	for lane := range width {
		if f.Mask>>lane&1 == 0 {
			continue
		}
		at := messageOrder{number, g.phase, f.Index, g.logged}
		g.logged++
		if g.Turns != nil {
			at = messageOrder{number: g.Turns.logged}
			g.Turns.logged++
		}
		if !d.messages.has(at) {
			continue
		}
		d.messages.add(message{
			at: at, site: site, log: f.Code.Logs[at32(f, site.Log, lane)],
			text: logtext.Format(site.Format, f.logged(site, lane)),
			pos:  f.Code.Positions[in.Pos], lane: g.Thread(f, lane), group: g.Position,
		})
	}
}

// logged returns the arguments of a message of a lane.
func (f *Frame) logged(site *program.LogSite, lane int) []logtext.Arg {
	args := make([]logtext.Arg, len(site.Args))
	for i, a := range site.Args {
		args[i].Long = a.Class == program.LongClass
		for _, r := range a.Regs {
			if args[i].Long {
				args[i].Bits = append(args[i].Bits, At[uint64](f, r).Value(lane))
			} else {
				args[i].Bits = append(args[i].Bits, uint64(at32(f, r, lane)))
			}
		}
	}
	return args
}

// at32 returns what a lane has in a register of 32 bits.
func at32(f *Frame, register int32, lane int) uint32 { return At[uint32](f, register).Value(lane) }

// SendMessages hands out what the dispatch has logged, and forgets it.
func (d *Dispatch) SendMessages() {
	ms := &d.messages
	if len(ms.kept) == 0 {
		return
	}
	logger := d.Logger()
	slices.SortFunc(ms.kept, func(a, b message) int { return a.at.compare(b.at) })
	for i := range ms.kept {
		m := &ms.kept[i]
		(&driver.Message{
			Level: logtext.Levels[m.site.Level], Text: m.text, Kernel: d.Code.Name,
			Line: fmt.Sprintf("%s:%d", m.pos.Filename, m.pos.Line), Thread: &m.lane, Group: &m.group,
			Subsystem: m.log.Subsystem, Category: m.log.Category,
		}).Send(logger)
	}
	if ms.dropped > 0 {
		(&driver.Message{
			Level: slog.LevelWarn, Kernel: d.Code.Name, Text: logtext.Dropped(ms.dropped),
		}).Send(logger)
	}
	ms.kept, ms.dropped = nil, 0
}
