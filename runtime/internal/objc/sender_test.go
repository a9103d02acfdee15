//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

func TestSendWords(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	args := []uintptr{1, 1 << 63, ^uintptr(0), 4, 5, 6}
	var want []message
	for n, sel := range selWords {
		id.Send(sel, args[:n]...)
		want = append(want, message{sel, id, args[:n]})
	}
	id.Send(selRange, 7, 8)
	want = append(want, message{selRange, id, []uintptr{7, 8}})
	wantMessages(t, want)
	if sum := id.Send(selSum, 40, 2); sum != 42 {
		t.Errorf("sum:: returned %d", sum)
	}
}

func TestSendSizes(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	s := NewSender()
	defer s.Free()
	s.SendSizes(id, selSizes, [3]uintptr{1, 2, 3}, [3]uintptr{4, 5, 1 << 40})
	s.SendSizes(id, selSizes, [3]uintptr{6, 5, 4}, [3]uintptr{3, 2, 1})
	wantMessages(t, []message{
		{selSizes, id, []uintptr{1, 2, 3, 4, 5, 1 << 40}},
		{selSizes, id, []uintptr{6, 5, 4, 3, 2, 1}},
	})
}

func TestSendStructs(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	s := NewSender()
	defer s.Free()
	w := func(words ...uintptr) []uintptr { return words }
	region := w(1, 2, 3, 4, 5, 1<<40)
	s.SendStructs(id, selRegion, region, w(6), w(7), w(8), w(9), w(10))
	s.SendStructs(id, selInside, w(6), w(7), w(8), region, w(9), w(10))
	s.SendStructs(id, selBlit, w(1), w(2), w(3), w(4), w(5, 6, 7), w(8), w(9), w(10), w(11, 12, 13))
	id.SendFloat(selFloat, 1.5)
	wantMessages(t, []message{
		{selRegion, id, w(1, 2, 3, 4, 5, 1<<40, 6, 7, 8, 9, 10)},
		{selInside, id, w(6, 7, 8, 1, 2, 3, 4, 5, 1<<40, 9, 10)},
		{selBlit, id, w(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)},
		{selFloat, id, w(1500)},
	})
}

func TestSendBool(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	for _, c := range [][2]uintptr{{0, 0}, {1, 1}, {0x80, 1}} {
		if have := id.Send(selFlag, c[0]); have != c[1] {
			t.Errorf("flag: %#x returned %#x", c[0], have)
		}
	}
	if !id.Responds(selHalf) || id.Responds(selMissing) {
		t.Error("respondsToSelector:")
	}
}

func TestSendTooMany(t *testing.T) {
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "sum::: 14 argument words") {
			t.Error(r)
		}
	}()
	ID(1).Send(selSum, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
}

func TestResults(t *testing.T) {
	withFake(t)
	id := fake.object(7)
	if have := id.Double(selHalf); have != 3.5 {
		t.Errorf("double: %v", have)
	}
	if have := id.Size(selExtent); have != [3]uintptr{7, 8, 9} {
		t.Errorf("MTLSize: %v", have)
	}
}

// deepen makes the stack grow, so that what is on it moves.
func deepen(n int) byte {
	var space [1024]byte
	if n > 0 {
		space[n] = deepen(n - 1)
	}
	return space[n/2]
}

func TestHold(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	done := make(chan bool)
	go func() { // with a small stack
		defer close(done)
		s := NewSender()
		defer s.Free()
		ids, offsets := [2]ID{id, id + 1}, [2]uintptr{8, 9}
		a, b := s.Hold(unsafe.Pointer(&ids)), s.Hold(unsafe.Pointer(&offsets))
		deepen(100)
		runtime.GC()
		s.Send(id, selArrays, a, b, 0, 2)
	}()
	<-done
	wantMessages(t, []message{{selArrays, id, []uintptr{0, 2, uintptr(id), uintptr(id + 1), 8, 9}}})
}

func TestSendAllocations(t *testing.T) {
	withFake(t)
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	fake.quiet(true)
	defer fake.quiet(false)
	id := fake.object(1)
	s := NewSender()
	defer s.Free()
	var data [4]uintptr
	for name, f := range map[string]func(){
		"Sender.Send":      func() { s.Send(id, selWords[6], 1, 2, 3, 4, 5, 6) },
		"Sender.SendSizes": func() { s.SendSizes(id, selSizes, [3]uintptr{1, 2, 3}, [3]uintptr{4, 5, 6}) },
		"ID.Send":          func() { id.Send(selWords[2], 1, 2) },
		"Hold":             func() { s.Send(id, selWords[1], s.Hold(unsafe.Pointer(&data))) },
		"Retain":           func() { id.Retain().Release() },
		"Double":           func() { id.Double(selHalf) },
		"WithPool":         func() { WithPool(func() { id.Send(selSum, 1, 2) }) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestReferences(t *testing.T) {
	withFake(t)
	id := fake.object(1)
	if id.Retain() != id || fake.retains(id) != 2 {
		t.Errorf("%d references after Retain", fake.retains(id))
	}
	if id.Release(); fake.retains(id) != 1 {
		t.Errorf("%d references after Release", fake.retains(id))
	}
}

func TestWithPool(t *testing.T) {
	withFake(t)
	depth := func(want uintptr) {
		t.Helper()
		if n := fake.pools(); n != want {
			t.Errorf("%d pools, want %d", n, want)
		}
	}
	before := fake.offThread()
	func() {
		defer func() { recover() }()
		WithPool(func() {
			depth(1)
			WithPool(func() { depth(2) })
			depth(1)
			panic("unwound")
		})
	}()
	depth(0)
	for range 50 {
		WithPool(func() {
			go runtime.Gosched()
			runtime.Gosched()
		})
	}
	depth(0)
	if n := fake.offThread() - before; n != 0 {
		t.Errorf("%d pools popped on another thread", n)
	}
}

func TestString(t *testing.T) {
	withFake(t)
	for _, text := range []string{"", "x", "kernel void größe()", strings.Repeat("long ", 5000)} {
		id, err := NewString(text)
		if err != nil {
			t.Fatal(err)
		}
		if have := String(id); have != text {
			t.Errorf("%.20q came back as %.20q", text, have)
		}
	}
	if String(0) != "" {
		t.Error("nil is not empty")
	}
	if _, err := NewString("\xff"); err == nil {
		t.Error("no error for what is not UTF-8")
	}
	if _, err := Class("NSNothing"); err == nil || err.Error() != "objc: class NSNothing: not found" {
		t.Errorf("missing class: %v", err)
	}
}

func TestElements(t *testing.T) {
	withFake(t)
	array := fake.object(3)
	want := []ID{fake.object(1), fake.object(2), fake.object(3)}
	for i, id := range want {
		fake.link(array, uintptr(i), id)
	}
	if have := Elements(array); !slices.Equal(have, want) {
		t.Errorf("have %x, want %x", have, want)
	}
	if have := Elements(0); len(have) != 0 {
		t.Errorf("nil: %x", have)
	}
}

// What a message points to stays where it is until the message returns, whatever the garbage collector does.
func TestTextIsKeptWhileAStringIsMade(t *testing.T) {
	withFake(t)
	var garbage [][]byte
	fake.beforeText(purego.NewCallback(func() uintptr {
		runtime.GC()
		for range 10_000 { // takes the place of what was freed
			garbage = append(garbage, bytes.Repeat([]byte{'!'}, 48))
		}
		return 0
	}))
	defer fake.beforeText(0)
	for i := range 20 {
		want := fmt.Sprintf("text %d that nothing else refers to", i)
		id, err := NewString(strings.Clone(want))
		if err != nil {
			t.Fatal(err)
		}
		if got := String(id); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		id.Release()
	}
}

func TestSendError(t *testing.T) {
	withFake(t)
	domain, _ := NewString("MTLLibraryErrorDomain")
	description, _ := NewString("1:1: unknown type")
	nsError := fake.object(^uintptr(2)) // -3
	fake.link(nsError, 0, domain)
	fake.link(nsError, 1, description)
	id := fake.object(1)
	fake.link(id, 0, nsError)

	if err := NewError(0); err != nil {
		t.Errorf("nil: %v", err)
	}
	if result, err := id.SendError(selHow, 0); ID(result) != id || err != nil {
		t.Errorf("success: %x, %v", result, err)
	}
	s := NewSender()
	defer s.Free()
	_, err := s.SendError(id, selHow, 1)
	want := Error{-3, "MTLLibraryErrorDomain", "1:1: unknown type"}
	if have, ok := err.(*Error); !ok || *have != want || have.Error() != "1:1: unknown type (MTLLibraryErrorDomain -3)" {
		t.Errorf("failure: %#v", err)
	}
	if _, err := s.SendError(id, selHow, 2); err == nil || !strings.Contains(err.Error(), "how:error:") {
		t.Errorf("failure without a reason: %v", err)
	}
}
