package interp

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What a dispatch logs is kept until its end, so that messages have the same order in every
// run: that of threadgroups, and in one of simd-groups between barriers. Under a schedule it
// is the order in which they were written.

// MaxMessages bounds the messages of a dispatch: the first are kept. maxMessage bounds
// the bytes of one. Metal has such limits too.
const (
	MaxMessages = 4096
	MaxMessage  = 1024
)

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
	if len(ms.kept) < MaxMessages || at.compare(ms.kept[0].at) < 0 {
		return true
	}
	ms.dropped++
	return false
}

// add keeps a message, in place of the last one where there are too many.
func (ms *messages) add(m message) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if len(ms.kept) < MaxMessages {
		heap.Push(&ms.kept, m)
		return
	}
	ms.dropped++
	if m.at.compare(ms.kept[0].at) < 0 {
		ms.kept[0] = m
		heap.Fix(&ms.kept, 0)
	}
}

// logLevels are the levels as package slog has them.
var logLevels = [...]slog.Level{
	tree.LogDebug: slog.LevelDebug, tree.LogInfo: slog.LevelInfo, tree.LogDefault: slog.LevelInfo,
	tree.LogError: slog.LevelError, tree.LogFault: slog.LevelError,
}

// log keeps the messages of the active lanes.
func log(f *Frame, in *program.Instruction) {
	g, site := f.Group, &f.Code.LogSites[in.Imm]
	d := g.Dispatch
	if !d.Logger().Enabled(context.Background(), logLevels[site.Level]) {
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
			at: at, site: site, log: f.Code.Logs[at32(f, site.Log, lane)], text: f.format(site, lane),
			pos: f.Code.Positions[in.Pos], lane: g.Thread(f, lane), group: g.Position,
		})
	}
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
			Level: logLevels[m.site.Level], Text: m.text, Kernel: d.Code.Name,
			Line: fmt.Sprintf("%s:%d", m.pos.Filename, m.pos.Line), Thread: &m.lane, Group: &m.group,
			Subsystem: m.log.Subsystem, Category: m.log.Category,
		}).Send(logger)
	}
	if ms.dropped > 0 {
		(&driver.Message{
			Level: slog.LevelWarn, Kernel: d.Code.Name,
			Text: fmt.Sprintf("%d more messages of this call were dropped: %d are kept", ms.dropped, MaxMessages),
		}).Send(logger)
	}
	ms.kept, ms.dropped = nil, 0
}
