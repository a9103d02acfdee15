//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

var replays = []struct {
	name   string
	replay func(*Tape, ID)
}{
	{"Replay", (*Tape).Replay},
	{"ReplayEach", (*Tape).ReplayEach},
}

// record records messages of all shapes, and returns what has to arrive.
func recordAll(t *Tape, id ID, rounds int) (want []message) {
	args := []uintptr{1, 1 << 63, ^uintptr(0), 4, 5, 6}
	for i := range uintptr(rounds) {
		args[0] = i
		for n, sel := range selWords {
			t.Message(id, sel, args[:n]...)
			want = append(want, message{sel, id, append([]uintptr{}, args[:n]...)})
		}
		t.Message(id, selScramble)
		t.Message(id, selRange, i, 8)
		want = append(want, message{selRange, id, []uintptr{i, 8}})

		t.MessageSizes(id, selSizes, [3]uintptr{1, 2, i}, [3]uintptr{4, 5, 6})
		want = append(want, message{selSizes, id, []uintptr{1, 2, i, 4, 5, 6}})

		t.MessageMixed(id, selMixed, 7, ^i, [3]uintptr{1, i, 3})
		want = append(want, message{selMixed, id, []uintptr{7, ^i, 1, i, 3}})

		ids, idsAt := t.Words(3)
		offsets, offsetsAt := t.Words(3)
		copy(ids, []uintptr{10, 11, i})
		copy(offsets, []uintptr{20, 21, i})
		t.Message(id, selArrays, idsAt, offsetsAt, 5, 3)
		want = append(want, message{selArrays, id, []uintptr{5, 3, 10, 11, i, 20, 21, i}})
	}
	return want
}

func TestReplay(t *testing.T) {
	for _, r := range replays {
		t.Run(r.name, func(t *testing.T) {
			withFake(t)
			id := fake.object(1)
			var tape Tape
			r.replay(&tape, 0)
			wantMessages(t, nil)
			for _, rounds := range []int{1, 300, 2} {
				tape.Reset()
				fake.reset()
				want := recordAll(&tape, id, rounds)
				runtime.GC()
				r.replay(&tape, 0)
				wantMessages(t, want)
				r.replay(&tape, 0)
				wantMessages(t, append(want, want...))
			}
		})
	}
}

func TestMessagesWithoutReceiverGoToTheTargetOfEachReplay(t *testing.T) {
	for _, r := range replays {
		t.Run(r.name, func(t *testing.T) {
			withFake(t)
			own := fake.object(1)
			var tape Tape
			for range 3 {
				tape.Message(0, selWords[2], 5, 6)
				tape.MessageSizes(0, selSizes, [3]uintptr{1, 2, 3}, [3]uintptr{4, 5, 6})
				tape.Message(own, selWords[1], 7)
				tape.MessageMixed(0, selMixed, 7, 8, [3]uintptr{1, 2, 3})
			}
			for n := range uintptr(2) {
				to := fake.object(n + 2)
				fake.reset()
				r.replay(&tape, to)
				var want []message
				for range 3 {
					want = append(want, message{selWords[2], to, []uintptr{5, 6}},
						message{selSizes, to, []uintptr{1, 2, 3, 4, 5, 6}}, message{selWords[1], own, []uintptr{7}},
						message{selMixed, to, []uintptr{7, 8, 1, 2, 3}})
				}
				wantMessages(t, want)
			}
		})
	}
}

func TestReplayTooMany(t *testing.T) {
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "w6::::::: 7 argument words") {
			t.Error(r)
		}
	}()
	new(Tape).Message(1, selWords[6], 1, 2, 3, 4, 5, 6, 7)
}

// The replay routine is called by C, to which it owes registers and stack pointer.
func TestReplaySavesRegisters(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	var tape Tape
	last := new(float64)
	for _, to := range []*float64{nil, last} {
		recordAll(&tape, id, 1)
		tape.Message(id, selHalf)
		first := uintptr(unsafe.Pointer(&tape.records[0]))
		end := first + uintptr(tape.Len())*unsafe.Sizeof(record{})
		if changed := fake.saved(replayAddress, first, end, c.msgSend, uintptr(unsafe.Pointer(to))); changed != 0 {
			t.Errorf("registers changed: %#b", changed)
		}
		runtime.KeepAlive(&tape)
		runtime.KeepAlive(last)
	}
}

func TestTapeWords(t *testing.T) {
	var tape Tape
	for range 3 {
		type piece struct {
			words   []uintptr
			address uintptr
		}
		var pieces []piece
		for i, n := range []int{1, 62, blockWords - 10, 30, 3 * blockWords, 0, 5, blockWords} {
			words, address := tape.Words(n)
			if len(words) != n || cap(words) != n {
				t.Fatalf("%d words: %d of %d", n, len(words), cap(words))
			}
			for k := range words {
				words[k] = uintptr(i)
			}
			pieces = append(pieces, piece{words, address})
		}
		deepen(100)
		runtime.GC()
		for i, p := range pieces {
			if p.address != uintptr(unsafe.Pointer(unsafe.SliceData(p.words))) {
				t.Errorf("piece %d moved", i)
			}
			for _, w := range p.words {
				if w != uintptr(i) {
					t.Fatalf("piece %d was overwritten by %d", i, w)
				}
			}
		}
		blocks := len(tape.blocks)
		defer func() {
			if len(tape.blocks) != blocks {
				t.Errorf("%d blocks became %d", blocks, len(tape.blocks))
			}
		}()
		tape.Reset()
	}
}

var callback struct {
	sync.Once
	address uintptr
	called  func(id ID, a, b uintptr)
}

func callbackAddress() uintptr {
	callback.Do(func() {
		callback.address = purego.NewCallback(func(id ID, a, b uintptr) uintptr {
			callback.called(id, a, b)
			return 0
		})
	})
	return callback.address
}

// Go code that a replayed method calls may do what Go code does: move its stack,
// collect garbage, change threads, and send messages itself.
func TestReplayCallback(t *testing.T) {
	for _, r := range replays {
		t.Run(r.name, func(t *testing.T) {
			withFake(t)
			id := fake.object(1)
			var inner Tape
			calls := uintptr(0)
			callback.called = func(self ID, a, b uintptr) {
				if self != id || a != calls || b != calls*calls {
					t.Errorf("callback %d: %x %d %d", calls, self, a, b)
				}
				calls++
				deepen(20)
				if calls%64 == 0 {
					runtime.GC()
				}
				if sum := id.Send(selSum, a, b); sum != a+b {
					t.Errorf("sum:: returned %d", sum)
				}
				inner.Reset()
				inner.Message(id, selWords[2], a, b)
				r.replay(&inner, 0)
				done := make(chan bool)
				go close(done)
				<-done
			}
			var tape Tape
			var want []message
			for i := range uintptr(200) {
				tape.Message(id, selCallback, callbackAddress(), i, i*i)
				tape.MessageSizes(id, selSizes, [3]uintptr{i}, [3]uintptr{i})
				want = append(want, message{selWords[2], id, []uintptr{i, i * i}},
					message{selSizes, id, []uintptr{i, 0, 0, i, 0, 0}})
			}
			done := make(chan bool)
			go func() { // with a small stack, which the callbacks outgrow
				defer close(done)
				r.replay(&tape, 0)
			}()
			<-done
			wantMessages(t, want)
		})
	}
}

func TestReplayConcurrently(t *testing.T) {
	withFake(t)
	fake.quiet(true)
	defer fake.quiet(false)
	id := fake.object(1)
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var tape Tape
			for range 200 {
				tape.Reset()
				recordAll(&tape, id, 20)
				tape.Replay(0)
			}
		})
	}
	group.Wait()
	close(stop)
}

func TestTapeAllocations(t *testing.T) {
	withFake(t)
	fake.quiet(true)
	defer fake.quiet(false)
	id := fake.object(1)
	var tape Tape
	for _, r := range replays {
		if raceEnabled && r.name == "ReplayEach" {
			continue // the race detector makes pools forget
		}
		if n := testing.AllocsPerRun(100, func() {
			tape.Reset()
			recordDispatches(&tape, id)
			r.replay(&tape, 0)
		}); n != 0 {
			t.Errorf("%s: %v allocations", r.name, n)
		}
	}
}

// recordDispatches records what a batch of 64 dispatches sends.
func recordDispatches(t *Tape, id ID) {
	for i := range uintptr(64) {
		t.Message(id, selWords[1], i)
		words, address := t.Words(10)
		for k := range words {
			words[k] = i
		}
		t.Message(id, selArrays, address, address+5*8, 0, 5)
		t.Message(id, selWords[2], i, 0)
		t.MessageSizes(id, selSizes, [3]uintptr{i, 1, 1}, [3]uintptr{256, 1, 1})
	}
}
