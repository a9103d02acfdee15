package driver

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// Message is what a kernel wrote by os_log, as far as the device knows it.
type Message struct {
	Level     slog.Level
	Text      string
	Kernel    string // or ""
	Line      string // "norm.metal:12", or ""
	Thread    *[3]int
	Group     *[3]int
	Subsystem string // these are empty for os_log_default
	Category  string
}

// Logger returns what messages of kernels go to.
func (o *Options) Logger() *slog.Logger {
	if o.Log == nil {
		return slog.Default()
	}
	return o.Log
}

// Send sends a message to a logger. A newline at its end, which printf needs, is left out.
func (m *Message) Send(to *slog.Logger) {
	ctx := context.Background()
	if !to.Enabled(ctx, m.Level) {
		return
	}
	// a record of its own: the place in our code from which a Logger's methods are called is of no interest
	r := slog.NewRecord(time.Now(), m.Level, strings.TrimSuffix(m.Text, "\n"), 0)
	add := func(key, value string) {
		if value != "" {
			r.AddAttrs(slog.String(key, value))
		}
	}
	add("kernel", m.Kernel)
	add("line", m.Line)
	if m.Thread != nil {
		r.AddAttrs(slog.Any("thread", *m.Thread), slog.Any("threadgroup", *m.Group))
	}
	add("subsystem", m.Subsystem)
	add("category", m.Category)
	_ = to.Handler().Handle(ctx, r) // as a Logger does
}
