//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"
	"strings"
	"structs"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// control is what the library exports for this package.
type control struct {
	register     func(compile, execute uintptr)
	reset        func(*settings)
	stop         func()
	pump         func()
	resume       func()
	fault        func(*faultRecord)
	forgetFaults func()
	failures     func() *byte
	leaks        func() *byte
	log          func() *byte
	table        func() *byte
	forgetLog    func()
	counts       func(*Counts)
	free         func(*byte)
	view         func(address uintptr, kernel string, index, length uint64)
	forgetView   func(address uintptr, kernel string, index, length uint64)
	bytes        func(object uintptr) uintptr
	number       func(object uintptr) uint64
	kernel       func(library uintptr, name string, threads, width, static, simd uint64) uintptr
	binding      func(library, kernel uintptr, name string, numbers *bindingNumbers, structure uintptr)
	structure    func(library uintptr) uintptr
	array        func(library uintptr, length, stride, elementType uint64, element uintptr) uintptr
	texture      func(library uintptr, numbers *textureTypeNumbers) uintptr
	sampler      func(library uintptr) uintptr
	pointer      func(library uintptr, numbers *pointerNumbers, element uintptr) uintptr
	member       func(structure uintptr, name string, offset, dataType uint64, of uintptr)
	constant     func(kernel uintptr, name string, index, dataType, required uint64)
	message      func(state uintptr, subsystem, category string, level uint64, text string)
}

func (c *control) symbols() map[string]any {
	return map[string]any{
		"fakeRegister": &c.register, "fakeReset": &c.reset, "fakeStop": &c.stop, "fakePump": &c.pump, "fakeResume": &c.resume,
		"fakeFault": &c.fault, "fakeForgetFaults": &c.forgetFaults, "fakeFailures": &c.failures, "fakeLeaks": &c.leaks,
		"fakeLog": &c.log, "fakeTable": &c.table, "fakeForgetLog": &c.forgetLog, "fakeCounts": &c.counts, "fakeFree": &c.free,
		"fakeView": &c.view, "fakeForgetView": &c.forgetView, "fakeBytes": &c.bytes,
		"fakeKernel": &c.kernel, "fakeBinding": &c.binding,
		"fakeStruct": &c.structure, "fakeArray": &c.array, "fakeMember": &c.member, "fakeConstant": &c.constant,
		"fakePointer": &c.pointer, "fakeTexture": &c.texture, "fakeSampler": &c.sampler, "fakeNumber": &c.number,
		"fakeMessage": &c.message,
	}
}

// settings are those of fake.h.
type settings struct {
	_             structs.HostLayout
	devices       uint64
	constantAlign uint64
	pageSize      uint64
	bench         uint64
	quiet         uint64
	abort         uint64
	faults        uint64
	hidden        *byte
	formats       *uint16
	name          *byte
	kernel        *byte
	build         *byte
	language      uint64
	machine       uint64
	facts         [factCount]uint64
}

var fake control

// Load loads the library and returns its handle, for purego.Dlsym.
var Load = sync.OnceValues(func() (uintptr, error) {
	path, err := Path()
	if err != nil {
		return 0, err
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return 0, fmt.Errorf("metaltest: %w", err)
	}
	for name, function := range fake.symbols() {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return 0, fmt.Errorf("metaltest: %w", err)
		}
		purego.RegisterFunc(function, address)
	}
	fake.register(purego.NewCallback(compileCallback), purego.NewCallback(executeCallback))
	return handle, nil
})

// take copies a text of the library's and frees it.
func take(text *byte) string {
	if text == nil {
		return ""
	}
	defer fake.free(text)
	return goString(text)
}

func goString(text *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return strings.Clone(unsafe.String(text, n))
}

// records cuts a text of the library's apart.
func records(text string) []string {
	text = strings.TrimSuffix(text, "\x1e")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x1e")
}
