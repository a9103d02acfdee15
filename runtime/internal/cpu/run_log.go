package cpu

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
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What a dispatch logs is kept until its end, so that messages have the same order in every
// run: that of threadgroups, and in one of simd-groups between barriers. Under a schedule it
// is the order in which they were written.

// maxMessages bounds the messages of a dispatch, of which the first are kept, and maxMessage
// the bytes of one. Metal has such limits too.
const (
	maxMessages = 4096
	maxMessage  = 1024
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
	site  *logSite
	log   logObject
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
	if len(ms.kept) < maxMessages || at.compare(ms.kept[0].at) < 0 {
		return true
	}
	ms.dropped++
	return false
}

// add keeps a message, in place of the last one where there are too many.
func (ms *messages) add(m message) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if len(ms.kept) < maxMessages {
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
func log(f *frame, in *instruction) {
	g, site := f.group, &f.program.logSites[in.imm]
	d := g.dispatch
	if !d.logger().Enabled(context.Background(), logLevels[site.level]) {
		return
	}
	number := g.number()
	for lane := range width {
		if f.mask>>lane&1 == 0 {
			continue
		}
		at := messageOrder{number, g.phase, f.index, g.logged}
		g.logged++
		if g.turns != nil {
			at = messageOrder{number: g.turns.logged}
			g.turns.logged++
		}
		if !d.messages.has(at) {
			continue
		}
		d.messages.add(message{
			at: at, site: site, log: f.program.logs[at32(f, site.log, lane)], text: f.format(site, lane),
			pos: f.program.positions[in.pos], lane: g.thread(f, lane), group: g.position,
		})
	}
}

// at32 returns what a lane has in a register of 32 bits.
func at32(f *frame, register int32, lane int) uint32 { return at[uint32](f, register).value(lane) }

// sendMessages hands out what the dispatch has logged, and forgets it.
func (d *dispatch) sendMessages() {
	ms := &d.messages
	if len(ms.kept) == 0 {
		return
	}
	logger := d.logger()
	slices.SortFunc(ms.kept, func(a, b message) int { return a.at.compare(b.at) })
	for i := range ms.kept {
		m := &ms.kept[i]
		(&driver.Message{
			Level: logLevels[m.site.level], Text: m.text, Kernel: d.program.name,
			Line: fmt.Sprintf("%s:%d", m.pos.Filename, m.pos.Line), Thread: &m.lane, Group: &m.group,
			Subsystem: m.log.subsystem, Category: m.log.category,
		}).Send(logger)
	}
	if ms.dropped > 0 {
		(&driver.Message{
			Level: slog.LevelWarn, Kernel: d.program.name,
			Text: fmt.Sprintf("%d more messages of this call were dropped: %d are kept", ms.dropped, maxMessages),
		}).Send(logger)
	}
	ms.kept, ms.dropped = nil, 0
}
