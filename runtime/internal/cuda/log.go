package cuda

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/logtext"
)

// logged is memory for what a call logs. That of the GPU is shared by the calls of a batch, which log one after the
// other.
type logged struct {
	gpu, host *memory
	room      int // for so many messages
	size      int
}

// useLog gives a call memory for its messages, if somebody reads one of them.
func (r *recorder) useLog(i *item) error {
	logger := r.device.options.Logger()
	reads := func(l tree.LogLevel) bool { return logger.Enabled(context.Background(), logtext.Levels[l]) }
	if !slices.ContainsFunc(i.Logs, func(s abi.LogSite) bool { return reads(s.Level) }) {
		return nil
	}
	l := &logged{room: i.mostLogged()}
	l.size = abi.LogHeader + l.room*i.LogStride()
	if n := len(r.logging); n == 0 || r.logging[n-1].size < l.size {
		m, err := r.device.NewMemory(l.size, driver.StoragePrivate|driver.StorageOverwritten)
		if err != nil {
			return err
		}
		r.logging = append(r.logging, m.(*memory))
	}
	l.gpu = r.logging[len(r.logging)-1]
	host, err := r.device.NewMemory(l.size, driver.StorageShared)
	if err != nil {
		return err
	}
	l.host = host.(*memory)
	i.log = l
	r.logs = append(r.logs, l)
	i.touchMemory(l.gpu, 0, l.size, true)
	mask := abi.LogMask(reads)
	for _, f := range i.Fields {
		if f.Kind == abi.LogField {
			binary.LittleEndian.PutUint64(i.params[f.Offset:], l.gpu.address)
			binary.LittleEndian.PutUint32(i.params[f.Offset+8:], mask)
		}
	}
	return nil
}

// mostLogged returns how many messages of a call have room.
func (i *item) mostLogged() int {
	if i.MostLogs == 0 || i.indirect.Memory != nil {
		return abi.MostLogged
	}
	n := i.MostLogs
	for d := range 3 {
		n = min(n*i.grid[d]*i.block[d], abi.MostLogged)
	}
	return n
}

// clear is sent before the call.
func (l *logged) clear(d *Device, s libcuda.Stream) error {
	return d.lib.Error("cuMemsetD8Async", d.lib.MemsetD8Async(l.gpu.address, 0, abi.LogHeader, s))
}

// fetch is sent after it.
func (l *logged) fetch(d *Device, s libcuda.Stream) error {
	return d.lib.Error("cuMemcpyAsync", d.lib.MemcpyAsync(l.host.address, l.gpu.address, l.size, s))
}

// message is a message of a call.
type message struct {
	abi.LogRecord
	elements []uint64
}

// sendMessages hands out what the calls of a job have logged. If the job has failed, it may still be recorded.
func (r *recorder) sendMessages() {
	r.mu.Lock()
	pieces := r.pieces[:r.ready]
	r.mu.Unlock()
	for _, p := range pieces {
		for _, i := range p.items {
			if i.log != nil {
				i.sendMessages(r.device.options.Logger())
			}
		}
	}
}

func (i *item) sendMessages(logger *slog.Logger) {
	from := i.log.host.Bytes()
	count := int(binary.LittleEndian.Uint32(from))
	clear(from[:abi.LogHeader]) // so that nothing is read twice
	stride := i.LogStride()
	var list []message
	for n := range min(count, i.log.room) {
		m := message{}
		m.LogRecord, m.elements = abi.GetLog(from[abi.LogHeader+n*stride:][:stride])
		list = append(list, m)
	}
	for _, m := range inOrder(list)[:min(len(list), logtext.MaxMessages)] {
		i.send(&m, logger)
	}
	if n := count - logtext.MaxMessages; n > 0 {
		(&driver.Message{Level: slog.LevelWarn, Kernel: i.Kernel.Name, Text: logtext.Dropped(n)}).Send(logger)
	}
}

func (i *item) send(m *message, logger *slog.Logger) {
	site := &i.Logs[m.Site]
	var args []logtext.Arg
	rest := m.elements
	for n, a := range site.Args {
		args = append(args, logtext.Arg{Bits: rest[:a.Count], Long: site.Long[n]})
		rest = rest[a.Count:]
	}
	log := i.Kernel.Logs[m.Log]
	sent := driver.Message{
		Level: logtext.Levels[site.Level], Text: logtext.Format(site.Format, args), Kernel: i.Kernel.Name,
		Line: fmt.Sprintf("%s:%d", site.Pos.Filename, site.Pos.Line), Thread: &[3]int{}, Group: &[3]int{},
		Subsystem: log.Subsystem, Category: log.Category,
	}
	for n := range 3 {
		sent.Thread[n], sent.Group[n] = int(m.Thread[n]), int(m.Group[n])
	}
	sent.Send(logger)
}

// inOrder sorts messages as the CPU device does: by threadgroups, and in one by simd-groups between barriers. What the
// threads of a simd-group log comes in the order of the source, as if they went through it together.
func inOrder(list []message) []message {
	simdgroup := func(m *message) []uint32 {
		return []uint32{m.Group[2], m.Group[1], m.Group[0], m.Phase, m.Linear / simdWidth}
	}
	slices.SortFunc(list, func(a, b message) int {
		return cmp.Or(slices.Compare(simdgroup(&a), simdgroup(&b)), cmp.Compare(a.Linear, b.Linear),
			cmp.Compare(a.Number, b.Number))
	})
	var out []message
	for len(list) > 0 {
		n := 1
		for n < len(list) && slices.Equal(simdgroup(&list[n]), simdgroup(&list[0])) {
			n++
		}
		out = append(out, together(list[:n])...)
		list = list[n:]
	}
	return out
}

// together merges the messages of the threads of a simd-group, which lie one thread after the other: of those that come
// next, the ones that the source has first.
func together(list []message) []message {
	var threads [][]message
	for n := range list {
		if n == 0 || list[n].Linear != list[n-1].Linear {
			threads = append(threads, nil)
		}
		last := len(threads) - 1
		threads[last] = append(threads[last], list[n])
	}
	var out []message
	for len(out) < len(list) {
		first := ^uint32(0) // of the sites
		for _, t := range threads {
			if len(t) > 0 {
				first = min(first, t[0].Site)
			}
		}
		for n, t := range threads {
			if len(t) > 0 && t[0].Site == first {
				out, threads[n] = append(out, t[0]), t[1:]
			}
		}
	}
	return out
}
