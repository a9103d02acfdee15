package cpu

import (
	"cmp"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// findings are what was found in a dispatch: each mistake once.
type findings struct {
	mu    sync.Mutex
	byKey map[findingKey]*found
	more  int // mistakes beyond maxFindings
}

// findingKey is what findings that are one mistake have in common.
type findingKey struct {
	kind          driver.Checks
	object        string
	first, second parser.Pos
}

// found is a finding with the number of the threadgroup that it is from.
type found struct {
	driver.Finding
	group int64
}

// maxFindings bounds the mistakes of a dispatch that are kept.
const maxFindings = 100

// add counts a mistake. describe is called where it is new, or where it is from an earlier
// threadgroup than before, so that what is kept is the same in every run.
func (fs *findings) add(key findingKey, group int64, describe func() driver.Finding) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	old := fs.byKey[key]
	if old == nil && len(fs.byKey) >= maxFindings {
		fs.more++
		return
	}
	if old == nil || group < old.group {
		count := 0
		if old != nil {
			count = old.Count
		}
		old = &found{describe(), group}
		old.Count = count
		if fs.byKey == nil {
			fs.byKey = map[findingKey]*found{}
		}
		fs.byKey[key] = old
	}
	old.Count++
}

// races reports whether an object races. What is read of it may be uninitialised in one order of its
// accesses alone, which the race says already.
func (fs *findings) races(object string) bool {
	for key := range fs.byKey {
		if key.object == object && (key.kind == driver.CheckRace || key.kind == driver.CheckRaceSimdgroup) {
			return true
		}
	}
	return false
}

// list returns the findings by their places in the source.
func (fs *findings) list() []driver.Finding {
	var list []driver.Finding
	for key, f := range fs.byKey {
		if key.kind != driver.CheckUninit || !fs.races(key.object) {
			list = append(list, f.Finding)
		}
	}
	slices.SortFunc(list, func(a, b driver.Finding) int {
		return cmp.Or(cmp.Compare(a.Places[0].Pos, b.Places[0].Pos), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}

// findingsIn adds what was found in a dispatch to the error of a batch.
func (d *dispatch) findingsIn(err *driver.Findings) *driver.Findings {
	if d.sanitizer == nil {
		return err
	}
	list := d.sanitizer.found.list()
	if len(list) == 0 {
		return err
	}
	if err == nil {
		err = &driver.Findings{}
	}
	err.List = append(err.List, list...)
	err.More += d.sanitizer.found.more
	return err
}

// place returns a place in the source with its line.
func (d *dispatch) place(pos parser.Pos, thread, group [3]int) driver.Place {
	p := driver.Place{Pos: position(pos), Column: pos.Column, Thread: thread, Group: group}
	for name, line := range namedLines(*d.kernel.text, pos.Filename) {
		if name == (lineName{pos.Filename, pos.Line}) {
			p.Line = line
		}
	}
	return p
}
