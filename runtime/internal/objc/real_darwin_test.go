package objc

import "testing"

const (
	foundation = "/System/Library/Frameworks/Foundation.framework/Foundation"
	graphics   = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
	metal      = "/System/Library/Frameworks/Metal.framework/Metal"
)

// missing is the error of a directory that does not exist.
var missing = Error{Domain: "NSCocoaErrorDomain", Code: 260, Description: "file"}

// foreign are the methods whose types are not those that Apple's have.
var foreign []*SEL

// load loads Apple's runtime.
func load(t *testing.T) {
	t.Helper()
	if err := Load("", foundation, graphics, metal); err != nil {
		t.Fatal(err)
	}
}

var selMaxThreads = Selector("maxThreadsPerThreadgroup", "{?=QQQ}")

func TestRealSize(t *testing.T) {
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
