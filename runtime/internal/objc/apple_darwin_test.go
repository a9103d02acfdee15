package objc

import (
	"strings"
	"testing"
)

// The tests of this file meet Apple's own runtime.

const (
	foundation = "/System/Library/Frameworks/Foundation.framework/Foundation"
	graphics   = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
	metal      = "/System/Library/Frameworks/Metal.framework/Metal"
)

var (
	selNew               = Selector("new", "@")
	selAddObject         = Selector("addObject:", "v@")
	selMutableCopy       = Selector("mutableCopy", "@")
	selDeleteCharacters  = Selector("deleteCharactersInRange:", "v{_NSRange=QQ}")
	selDoubleValue       = Selector("doubleValue", "d")
	selIsEqualToString   = Selector("isEqualToString:", "B@")
	selStringWithFile    = Selector("initWithContentsOfFile:encoding:error:", "@@Q^@")
	selMaxThreads        = Selector("maxThreadsPerThreadgroup", "{?=QQQ}")
	selIntegerValue      = Selector("integerValue", "q")
	selArrayWithObjects  = Selector("initWithObjects:count:", "@r^@Q")
	selRemoveObjectRange = Selector("removeObjectsInRange:", "v{_NSRange=QQ}")
)

func load(t *testing.T) {
	t.Helper()
	if err := Load("", foundation, graphics, metal); err != nil {
		t.Fatal(err)
	}
}

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

func TestApple(t *testing.T) {
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
		class, err := Class("NSString")
		if err != nil {
			t.Fatal(err)
		}
		path := newString(t, "/no/such/file")
		_, err = ID(class.Send(selAlloc)).SendError(selStringWithFile, uintptr(path), utf8)
		if e, ok := err.(*Error); !ok || e.Domain != "NSCocoaErrorDomain" || e.Code != 260 ||
			!strings.Contains(e.Description, "file") {
			t.Errorf("a missing file: %v", err)
		}
	})
}

func TestAppleEncodings(t *testing.T) {
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
		if err := c.sel.Check(c.id); err != nil {
			t.Error(err)
		}
	}
}

func TestAppleReplay(t *testing.T) {
	load(t)
	for name, replay := range map[string]func(*Tape){"Replay": (*Tape).Replay, "ReplayEach": (*Tape).ReplayEach} {
		array := newObject(t, "NSMutableArray")
		text := ID(newString(t, "0123456789").Send(selMutableCopy))
		var tape Tape
		for range 1000 {
			tape.Message(array, selAddObject, uintptr(text))
		}
		tape.Message(array, selRemoveObjectRange, 10, 900)
		tape.Message(text, selDeleteCharacters, 2, 6)
		WithPool(func() { replay(&tape) })
		if n := len(Elements(array)); n != 100 {
			t.Errorf("%s: %d elements", name, n)
		}
		if have := String(text); have != "0189" {
			t.Errorf("%s: %q", name, have)
		}
		text.Release()
	}
}

func TestAppleWords(t *testing.T) {
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

func TestAppleSize(t *testing.T) {
	load(t)
	create, err := Symbol("MTLCreateSystemDefaultDevice")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSender()
	defer s.Free()
	device := ID(s.Call(create))
	if device == 0 {
		t.Skip("no Metal device")
	}
	defer device.Release()
	if err := selMaxThreads.Check(device); err != nil {
		t.Error(err)
	}
	if have := device.Size(selMaxThreads); have[0] == 0 || have[0] > 1<<20 || have[1] == 0 || have[2] == 0 {
		t.Errorf("maxThreadsPerThreadgroup: %v", have)
	}
}
