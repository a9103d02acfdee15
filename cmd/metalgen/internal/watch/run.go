package watch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Pass does the work once. It prints what is wrong with what it reads to w.
type Pass func(w io.Writer) Result

// Result is how a pass ended.
type Result struct {
	Failed  bool   // what it read has errors
	Changed bool   // it wrote something
	Summary string // how it ended, in a line; "" where nobody wants to know
}

// Run calls pass, and again after each change below any of the directories roots, until ctx is done. A directory need
// not exist. What lies in directories whose names begin with a dot is not watched, unless they are among the roots.
//
// A pass that changes nothing, and prints what the one before it has printed, says nothing. Of the others w gets all
// they print and their summaries, each after a line that says there was a change.
func Run(ctx context.Context, roots []string, w io.Writer, pass Pass) error {
	clean := make([]string, len(roots))
	for i, root := range roots {
		clean[i] = filepath.Clean(root)
	}
	said := says{w: w}
	for ctx.Err() == nil {
		// All directories are watched from before they are read, and anew when there are others: what systems report of
		// directories that have been moved differs too much.
		t, err := watchTrees(clean)
		if err != nil {
			return fmt.Errorf("watching for changes: %w", err)
		}
		for moved := false; !moved && ctx.Err() == nil; moved = t.wait(ctx) {
			var messages bytes.Buffer
			result := pass(&messages)
			if err := said.say(messages.Bytes(), result); err != nil {
				t.Close()
				return err
			}
		}
		t.Close()
	}
	return nil
}

// A pass follows a change once there was none for as long as settle, for editors and git change several files at a
// time. Where changes do not end, it follows the first of them after patience. A file that is empty is mostly one of
// which the rest is still to be written: such a one is waited for as long as doubt.
const (
	settle   = 20 * time.Millisecond
	patience = 100 * time.Millisecond
	doubt    = time.Second
)

// wait waits for a change, and reports whether there may be other directories now. It returns also when ctx is done.
func (t *trees) wait(ctx context.Context) (moved bool) {
	var settled, late <-chan time.Time
	var first time.Time
	changed := map[string]bool{}
	complete := func() bool { return !anyEmpty(changed) || time.Since(first) >= doubt }
	for {
		select {
		case <-ctx.Done():
			return false
		case e := <-t.Events:
			if !t.matters(e) {
				continue
			}
			changed[e.Name] = true
			moved = moved || t.moves(e)
		case <-t.Errors: // events were lost
			moved = true
		case <-settled:
			if complete() {
				return moved
			}
		case <-late:
			if complete() {
				return moved
			}
			late = time.After(patience)
		}
		settled = time.After(settle)
		if late == nil {
			first, late = time.Now(), time.After(patience)
		}
	}
}

// anyEmpty reports whether any of the files is empty.
func anyEmpty(names map[string]bool) bool {
	for name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			return true
		}
	}
	return false
}

// says is what the last pass said.
type says struct {
	w        io.Writer
	any      bool // there was a pass
	messages []byte
	failed   bool
}

// sourcesChanged is the line before what a pass says. Editors forget at it what they know.
const sourcesChanged = "metalgen: the sources have changed\n"

func (s *says) say(messages []byte, r Result) error {
	before := *s
	s.any, s.messages, s.failed = true, messages, r.Failed
	if before.any && bytes.Equal(messages, before.messages) && r.Failed == before.failed && !r.Changed {
		return nil
	}
	var text []byte
	if before.any && r.Summary != "" {
		text = append(text, sourcesChanged...)
	}
	text = append(text, messages...)
	if r.Summary != "" {
		if before.failed && !r.Failed {
			text = append(text, "mended; "...)
		}
		text = append(text, r.Summary+"\n"...)
	}
	_, err := s.w.Write(text)
	return err
}
