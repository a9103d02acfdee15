//go:build (darwin || (linux && !android)) && (amd64 || arm64)

package objc

import (
	"slices"
	"strings"
	"testing"
)

// The tests of this file meet a runtime that is not ours: Apple's on macOS, and elsewhere the one of GNUstep that
// LIBOBJC2 names.

var (
	selNew               = Selector("new", "@")
	selAddObject         = Selector("addObject:", "v@")
	selMutableCopy       = Selector("mutableCopy", "@")
	selDeleteCharacters  = Selector("deleteCharactersInRange:", "v{_NSRange=QQ}")
	selDoubleValue       = Selector("doubleValue", "d")
	selIsEqualToString   = Selector("isEqualToString:", "B@")
	selDirectory         = Selector("contentsOfDirectoryAtPath:error:", "@@^@")
	selIntegerValue      = Selector("integerValue", "q")
	selArrayWithObjects  = Selector("initWithObjects:count:", "@r^@Q")
	selRemoveObjectRange = Selector("removeObjectsInRange:", "v{_NSRange=QQ}")
)

func newObject(t *testing.T, class string) ID {
	t.Helper()
	id, err := Class(class)
	if err != nil {
		t.Fatal(err)
	}
	object := ID(id.Send(selNew))
	t.Cleanup(func() { WithPool(object.Release) })
	return object
}

func newString(t *testing.T, text string) ID {
	t.Helper()
	id, err := NewString(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { WithPool(id.Release) })
	return id
}

func TestRealStringsAndErrors(t *testing.T) {
	load(t)
	text := newString(t, "1.5 größe")
	if have := String(text); have != "1.5 größe" {
		t.Errorf("a string came back as %q", have)
	}
	if have := text.Double(selDoubleValue); have != 1.5 {
		t.Errorf("doubleValue: %v", have)
	}
	if text.Send(selIsEqualToString, uintptr(text)) != 1 {
		t.Error("isEqualToString:")
	}
	if !text.Responds(selDoubleValue) || text.Responds(selAddObject) {
		t.Error("respondsToSelector:")
	}
	if _, err := NewString("\xff"); err == nil {
		t.Error("no error for what is not UTF-8")
	}
	WithPool(func() {
		path := newString(t, "/no/such/file")
		_, err := newObject(t, "NSFileManager").SendError(selDirectory, uintptr(path))
		if e, ok := err.(*Error); !ok || e.Domain != missing.Domain || e.Code != missing.Code ||
			!strings.Contains(e.Description, missing.Description) {
			t.Errorf("a missing directory: %#v", err)
		}
	})
}

func TestRealEncodings(t *testing.T) {
	load(t)
	text := newString(t, "a text that is too long for a tagged pointer")
	array := newObject(t, "NSMutableArray")
	class, err := Class("NSString")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id  ID
		sel *SEL
	}{
		{text, selRespondsToSelector}, {class, selAlloc}, {text, selInitWithBytes}, {text, selUTF8String},
		{array, selCount}, {array, selObjectAtIndex}, {array, selAddObject}, {text, selDoubleValue},
	} {
		if err := c.sel.Check(c.id); (err != nil) != slices.Contains(foreign, c.sel) {
			t.Errorf("%s: %v", c.sel, err)
		}
	}
}

func TestRealReplay(t *testing.T) {
	load(t)
	for name, replay := range map[string]func(*Tape, ID){"Replay": (*Tape).Replay, "ReplayEach": (*Tape).ReplayEach} {
		array := newObject(t, "NSMutableArray")
		text := ID(newString(t, "0123456789").Send(selMutableCopy))
		var tape Tape
		for range 1000 {
			tape.Message(array, selAddObject, uintptr(text))
		}
		tape.Message(array, selRemoveObjectRange, 10, 900)
		tape.Message(text, selDeleteCharacters, 2, 6)
		WithPool(func() { replay(&tape, 0) })
		if n := len(Elements(array)); n != 100 {
			t.Errorf("%s: %d elements", name, n)
		}
		if have := String(text); have != "0189" {
			t.Errorf("%s: %q", name, have)
		}
		text.Release()
	}
}

func TestRealWords(t *testing.T) {
	load(t)
	var tape Tape
	words, address := tape.Words(2)
	words[0], words[1] = uintptr(newString(t, "7")), uintptr(newString(t, "8"))
	class, err := Class("NSArray")
	if err != nil {
		t.Fatal(err)
	}
	array := ID(ID(class.Send(selAlloc)).Send(selArrayWithObjects, address, 2))
	defer array.Release()
	sum := uintptr(0)
	for _, id := range Elements(array) {
		sum += id.Send(selIntegerValue)
	}
	if sum != 15 {
		t.Errorf("the elements add up to %d", sum)
	}
}
