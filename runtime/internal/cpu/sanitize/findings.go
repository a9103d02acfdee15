package sanitize

import (
	"cmp"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
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
	way   shadow.Kind // of a race: which threads the finding is about
	ways  ways        // all between which the same places race
}

// maxFindings bounds the mistakes of a dispatch that are kept.
const maxFindings = 100

// add counts a mistake. describe is called where it is new, or where it is to be kept in place of the one before, so
// that what is kept is the same in every run: of a race the one between the closest threads, of these the one of the
// earliest threadgroup.
func (fs *findings) add(key findingKey, group int64, describe func() driver.Finding) {
	fs.addRace(key, group, 0, describe)
}

// addRace is add for a race, of threads that a way names.
func (fs *findings) addRace(key findingKey, group int64, way shadow.Kind, describe func() driver.Finding) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	old := fs.byKey[key]
	if old == nil && len(fs.byKey) >= maxFindings {
		fs.more++
		return
	}
	if old == nil || way < old.way || way == old.way && group < old.group {
		count, known := 0, ways(0)
		if old != nil {
			count, known = old.Count, old.ways
		}
		old = &found{describe(), group, way, known}
		old.Count = count
		if fs.byKey == nil {
			fs.byKey = map[findingKey]*found{}
		}
		fs.byKey[key] = old
	}
	old.Count++
	old.ways |= 1 << way
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

// follows reports whether another finding says more than one of a key: of what is read of an object that races, and of
// lanes that only lockstep orders where the same places race in ways that lockstep does not.
func (fs *findings) follows(key findingKey) bool {
	switch key.kind {
	case driver.CheckUninit:
		return fs.races(key.object)
	case driver.CheckRaceSimdgroup:
		key.kind = driver.CheckRace
		return fs.byKey[key] != nil
	}
	return false
}

// list returns the findings of the dispatch by their places in the source.
func (s *Sanitizer) list() []driver.Finding {
	fs := &s.found
	var list []driver.Finding
	for key, f := range fs.byKey {
		if !fs.follows(key) {
			list = append(list, s.advise(f, key))
		}
	}
	slices.SortFunc(list, func(a, b driver.Finding) int {
		return cmp.Or(cmp.Compare(a.Places[0].Pos, b.Places[0].Pos), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}

// FindingsIn adds what was found in a dispatch to the error of a batch.
func (s *Sanitizer) FindingsIn(err *driver.Findings, call int) *driver.Findings {
	if s == nil {
		return err
	}
	list := s.list()
	if len(list) == 0 {
		return err
	}
	if err == nil {
		err = &driver.Findings{}
	}
	for _, f := range list {
		f.Call = call
		err.List = append(err.List, f)
	}
	err.More += s.found.more
	return err
}

// place returns a place in the source with its line.
func (s *Sanitizer) place(pos parser.Pos, thread, group [3]int) driver.Place {
	source := frontend.Source{File: pos.Filename, Text: *s.text}
	return driver.Place{
		Pos: program.Position(pos), Column: pos.Column, Thread: thread, Group: group, Line: source.Line(pos),
	}
}
