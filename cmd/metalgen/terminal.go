package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/parser"
)

// terminal reports whether w is a terminal that obeys escape sequences.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())) && obeys(f)
}

// colorful is a writer whose text reaches a terminal that shows colors.
type colorful struct{ io.Writer }

// colors reports whether what is printed to w may have colors. NO_COLOR ends them: see no-color.org.
func colors(w io.Writer) bool {
	if _, ok := w.(colorful); ok {
		return true
	}
	return os.Getenv("NO_COLOR") == "" && terminal(w)
}

// The escape sequences of the colors that are used.
const (
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	green   = "\x1b[1;32m"
	magenta = "\x1b[1;35m"
	plain   = "\x1b[m"
)

// paint returns the text of an error with its place, its message and its caret in colors.
func paint(e parser.Error, text string) string {
	place, quoted := strings.TrimSuffix(e.Error(), e.Msg), strings.TrimPrefix(text, e.Error())
	message := red + e.Msg + plain
	if e.Warning {
		place = strings.TrimSuffix(place, "warning: ")
		message = magenta + "warning: " + plain + e.Msg
	}
	if above, ok := strings.CutSuffix(quoted, "^"); ok {
		quoted = above + green + "^" + plain
	}
	return bold + place + plain + message + quoted
}

// progress is a line of a terminal that says how far a run is which takes its time.
type progress struct {
	mu          sync.Mutex
	done, total int
	end         func()
}

// Those who wait want to know of it after unhurried, and then as often as tick.
const (
	unhurried = 2 * time.Second
	tick      = 200 * time.Millisecond
)

// showProgress has a terminal show how far reading is, until end is called.
func showProgress(cfg *generate.Config, stderr io.Writer) (end func()) {
	if !terminal(stderr) {
		return func() {}
	}
	p := newProgress(stderr)
	cfg.Progress = p.set
	return p.end
}

// newProgress shows a line on w from some time on until end is called, which erases it.
func newProgress(w io.Writer) *progress {
	p := &progress{}
	stop, stopped := make(chan bool), make(chan bool)
	p.end = func() {
		close(stop)
		<-stopped
	}
	begin := time.Now()
	go func() {
		defer close(stopped)
		next := time.NewTimer(unhurried)
		defer next.Stop()
		for shown := false; ; shown = true {
			select {
			case <-next.C:
				p.mu.Lock()
				seconds := int(time.Since(begin).Seconds())
				fmt.Fprintf(w, "\r\x1b[Kmetalgen: %d of %s, %d s", p.done, count(p.total, "source"), seconds)
				p.mu.Unlock()
				next.Reset(tick)
			case <-stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return p
}

// set takes how many of the sources have been read.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = max(p.done, done), total
}
