package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/watch"
)

// again does work at once, and again after each change in the directories that sources are read from, until Ctrl-C. The
// work reports whether it wrote anything, or failed while it did, and says in a line what it did, which is printed
// unless quiet.
func (f *sourceFlags) again(stderr io.Writer, quiet bool, work func(w io.Writer) (bool, string, error)) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends work that does not end
	roots := append([]string{f.in}, f.include...)
	if !quiet {
		fmt.Fprintf(stderr, "metalgen: watching %s; Ctrl-C ends it\n", strings.Join(roots, ", "))
	}
	colored := colors(stderr)
	return watch.Run(ctx, roots, stderr, func(w io.Writer) watch.Result {
		if colored {
			w = colorful{w}
		}
		changed, summary, err := work(w)
		if err != nil {
			printError(w, err)
			summary = "metalgen: nothing was written"
			if changed {
				summary = "metalgen: not all was written"
			}
		}
		if quiet {
			summary = ""
		}
		return watch.Result{Failed: err != nil, Changed: changed, Summary: summary}
	})
}
