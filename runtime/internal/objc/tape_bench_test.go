//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// All benchmarks send the messages of 64 dispatches, 256 in all.

func BenchmarkTape(b *testing.B) {
	for _, r := range replays {
		b.Run(r.name, func(b *testing.B) {
			withFake(b)
			fake.quiet(true)
			defer fake.quiet(false)
			id := fake.object(1)
			var tape Tape
			b.ReportAllocs()
			for b.Loop() {
				tape.Reset()
				recordDispatches(&tape, id)
				r.replay(&tape, 0)
			}
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	var tape Tape
	b.ReportAllocs()
	for b.Loop() {
		tape.Reset()
		recordDispatches(&tape, 1)
	}
}

func BenchmarkSender(b *testing.B) {
	withFake(b)
	fake.quiet(true)
	defer fake.quiet(false)
	id := fake.object(1)
	s := NewSender()
	defer s.Free()
	arrays := new([10]uintptr)
	b.ReportAllocs()
	for b.Loop() {
		for i := range uintptr(64) {
			s.Send(id, selWords[1], i)
			at := s.Hold(unsafe.Pointer(arrays))
			s.Send(id, selArrays, at, at+5*8, 0, 5)
			s.Send(id, selWords[2], i, 0)
			s.SendSizes(id, selSizes, [3]uintptr{i, 1, 1}, [3]uintptr{256, 1, 1})
		}
	}
}

// BenchmarkPuregoSend is the yardstick: a message as purego's own package objc
// sends it, by a registered function with arguments of any type.
func BenchmarkPuregoSend(b *testing.B) {
	withFake(b)
	fake.quiet(true)
	defer fake.quiet(false)
	id := fake.object(1)
	var send func(id ID, sel uintptr, args ...any) ID
	purego.RegisterFunc(&send, c.msgSend)
	arrays := new([10]uintptr)
	at := uintptr(unsafe.Pointer(arrays))
	b.ReportAllocs()
	for b.Loop() {
		for i := range uintptr(64) {
			send(id, selWords[1].word, i)
			send(id, selArrays.word, at, at+5*8, uintptr(0), uintptr(5))
			send(id, selWords[2].word, i, uintptr(0))
			send(id, selSizes.word, size{width: i, height: 1, depth: 1}, size{width: 256, height: 1, depth: 1})
		}
	}
	runtime.KeepAlive(arrays)
}
