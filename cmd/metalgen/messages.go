package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// messages prints what kernels write with os_log, a line each, as errors of kernels are printed.
type messages struct {
	mu    *sync.Mutex
	w     io.Writer
	notes *[]note
}

// note is what the sanitizer says of a kernel that is no mistake of every kernel.
type note struct{ kind, kernel, line, text string }

func newMessages(w io.Writer) messages { return messages{&sync.Mutex{}, w, &[]note{}} }

// noteSubsystem is the subsystem of messages that the sanitizer sends; the category is the check.
const noteSubsystem = "metalgen"

func (m messages) Enabled(context.Context, slog.Level) bool { return true }
func (m messages) WithAttrs([]slog.Attr) slog.Handler       { return m }
func (m messages) WithGroup(string) slog.Handler            { return m }

// Handle prints "scale: scale.metal:12: debug: text; thread (3, 0, 0); threadgroup (0, 0, 0); subsystem com.example".
func (m messages) Handle(_ context.Context, r slog.Record) error {
	before, behind := "", ""
	attrs := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		value := a.Value.String()
		if place, ok := a.Value.Any().([3]int); ok {
			value = fmt.Sprintf("(%d, %d, %d)", place[0], place[1], place[2])
		}
		switch a.Key {
		case "kernel", "line":
			before += value + ": "
		default:
			behind += "; " + a.Key + " " + value
		}
		return true
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	if attrs["subsystem"] == noteSubsystem {
		*m.notes = append(*m.notes, note{attrs["category"], attrs["kernel"], attrs["line"], r.Message})
		_, err := fmt.Fprintf(m.w, "%snote: %s\n", before, r.Message)
		return err
	}
	_, err := fmt.Fprintf(m.w, "%s%s: %s%s\n", before, strings.ToLower(r.Level.String()), r.Message, behind)
	return err
}
