package objc

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// ErrNotFound is wrapped by the errors of libraries, symbols and classes that do
// not exist, and of platforms that have none.
var ErrNotFound = errors.New("not found")

// appleLibrary is where every macOS and iOS has its runtime, if only in dyld's
// shared cache: there is no such file, and yet dlopen finds it.
const appleLibrary = "/usr/lib/libobjc.A.dylib"

// functions are the addresses of what this package calls.
type functions struct {
	msgSend, msgSendStret       uintptr // objc/message.h
	registerName                uintptr // objc/runtime.h
	getClass, objectClass       uintptr // objc/runtime.h
	instanceMethod, methodTypes uintptr // objc/runtime.h
	retain, release             uintptr // objc4, runtime/objc-internal.h; ABI of ARC
	poolPush, poolPop           uintptr // the same
	sendSize                    func(id ID, sel uintptr) size
	sendFloat                   func(id ID, sel uintptr, v float32)
}

type symbol struct {
	name     string
	address  *uintptr
	optional bool
}

func (f *functions) symbols() []symbol {
	return []symbol{
		{"objc_msgSend", &f.msgSend, false},
		{"objc_msgSend_stret", &f.msgSendStret, true}, // arm64 has none
		{"sel_registerName", &f.registerName, false},
		{"objc_getClass", &f.getClass, false},
		{"objc_retain", &f.retain, false},
		{"objc_release", &f.release, false},
		{"objc_autoreleasePoolPush", &f.poolPush, false},
		{"objc_autoreleasePoolPop", &f.poolPop, false},
		{"object_getClass", &f.objectClass, true}, // this and the rest: SEL.Check only
		{"class_getInstanceMethod", &f.instanceMethod, true},
		{"method_getTypeEncoding", &f.methodTypes, true},
	}
}

// c is written once, by Load, and read without a lock: there are no IDs to send
// messages to before Load.
var c functions

var loaded struct {
	sync.Mutex
	path    string
	opened  []string
	handles []uintptr
}

// Load opens the Objective-C runtime library and others, such as frameworks by
// the path of their binary, and resolves all selectors declared so far and later.
// An empty objcLibrary is Apple's. Further calls open the others that are not open
// yet and cost nothing where there are none; there is one Objective-C runtime in
// a process, so naming a different one is an error. A call that failed may be
// repeated. Libraries stay open.
func Load(objcLibrary string, others ...string) error {
	if objcLibrary == "" {
		if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
			return fmt.Errorf("objc: Objective-C runtime of %s: %w", runtime.GOOS, ErrNotFound)
		}
		objcLibrary = appleLibrary
	}
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.path != "" && loaded.path != objcLibrary {
		return fmt.Errorf("objc: %s: the Objective-C runtime of this process is %s", objcLibrary, loaded.path)
	}
	if loaded.path == "" {
		handle, found, err := open(objcLibrary)
		if err != nil {
			return err
		}
		c = found
		loaded.path = objcLibrary
		loaded.opened = []string{objcLibrary}
		loaded.handles = []uintptr{handle}
		registry.resolve()
	}
	for _, path := range others {
		if slices.Contains(loaded.opened, path) {
			continue
		}
		handle, err := dlopen(path)
		if err != nil {
			return fmt.Errorf("objc: %s: %w: %w", path, ErrNotFound, err)
		}
		loaded.opened = append(loaded.opened, path)
		loaded.handles = append(loaded.handles, handle)
	}
	return nil
}

func open(path string) (handle uintptr, f functions, err error) {
	handle, err = dlopen(path)
	if err != nil {
		return 0, f, fmt.Errorf("objc: %s: %w: %w", path, ErrNotFound, err)
	}
	var missing []string
	for _, s := range f.symbols() {
		*s.address = dlsym(handle, s.name)
		if *s.address == 0 && !s.optional {
			missing = append(missing, s.name)
		}
	}
	if len(missing) > 0 {
		return 0, f, fmt.Errorf("objc: %s in %s: %w", strings.Join(missing, ", "), path, ErrNotFound)
	}
	register(&f.sendFloat, f.msgSend)
	if sizeSender := *f.sizeSender(); sizeSender != 0 {
		register(&f.sendSize, sizeSender)
	}
	return handle, f, nil
}

// Symbol returns the address of a function or of data, looked for in the loaded
// libraries in the order in which they were opened.
func Symbol(name string) (uintptr, error) {
	loaded.Lock()
	defer loaded.Unlock()
	for _, handle := range loaded.handles {
		if address := dlsym(handle, name); address != 0 {
			return address, nil
		}
	}
	return 0, fmt.Errorf("objc: %s in %d loaded libraries: %w", name, len(loaded.handles), ErrNotFound)
}
