// Package drivertest holds what the tests of all devices need.
package drivertest

import (
	"context"
	"log/slog"
	"sync"
)

// Log is a handler that keeps records, as "LEVEL message key=value ...".
type Log struct {
	Level slog.Level // the least that it keeps
	mu    sync.Mutex
	Lines []string // the records; not to be read while devices log
}

func (l *Log) Enabled(_ context.Context, level slog.Level) bool { return level >= l.Level }
func (l *Log) WithAttrs([]slog.Attr) slog.Handler               { panic("devices log without attributes") }
func (l *Log) WithGroup(string) slog.Handler                    { panic("devices log without groups") }

// Len returns how many records there are, also while devices log.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.Lines)
}

func (l *Log) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Lines = append(l.Lines, line)
	return nil
}
