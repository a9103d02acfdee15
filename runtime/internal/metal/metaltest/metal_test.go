//go:build linux && (amd64 || arm64)

package metaltest

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

func TestDevices(t *testing.T) {
	t.Run("two", func(t *testing.T) {
		s := begin(t, Options{Devices: 2})
		all := s.call("MTLCopyAllDevices")
		if n := s.send(all, "count"); n != 2 || s.send(all, "objectAtIndex:", 0) != s.device {
			t.Errorf("%d devices", n)
		}
		s.release(all)
		if name := s.text(s.send(s.device, "name")); name != "Fake GPU" {
			t.Errorf("name %s", name)
		}
		if !s.sendBool(s.device, "hasUnifiedMemory") || !s.sendBool(s.device, "supportsFamily:", 1010) ||
			s.sendBool(s.device, "supportsFamily:", 1011) {
			t.Error("families")
		}
		if s.send(s.device, "hasUnifiedMemory")>>8 == 0 {
			t.Error("a clean BOOL")
		}
		if text := s.text(s.send(s.send(s.device, "architecture"), "name")); text == "" {
			t.Error("no architecture")
		}
		x := s.buffer(100)
		if n := s.send(s.device, "currentAllocatedSize"); n < 100 {
			t.Errorf("allocated %d", n)
		}
		s.release(x)
		if n := s.send(s.device, "currentAllocatedSize"); n != 0 {
			t.Errorf("allocated %d", n)
		}
	})
	t.Run("discrete", func(t *testing.T) {
		s := begin(t, Options{Discrete: true})
		if s.sendBool(s.device, "hasUnifiedMemory") {
			t.Error("unified")
		}
	})
	t.Run("none", func(t *testing.T) {
		s := begin(t, Options{Devices: -1})
		all := s.call("MTLCopyAllDevices")
		if n := s.send(all, "count"); n != 0 || s.device != 0 {
			t.Errorf("%d devices", n)
		}
		s.release(all)
	})
	t.Run("no default", func(t *testing.T) {
		s := begin(t, Options{})
		Fail(NoDevice, Fault{})
		Fail(NoDevices, Fault{Skip: 1})
		if s.call("MTLCreateSystemDefaultDevice") != 0 {
			t.Error("a device")
		}
		for want := uintptr(1); want <= 1; want-- {
			all := s.call("MTLCopyAllDevices")
			if n := s.send(all, "count"); n != want {
				t.Errorf("%d devices, want %d", n, want)
			}
			s.release(all)
		}
	})
}

// The result of maxThreadsPerThreadgroup goes through memory that the caller
// names: by its own entry on amd64, in a register of its own on arm64.
func TestSizeResult(t *testing.T) {
	s := begin(t, Options{})
	type mtlSize struct{ Width, Height, Depth uint64 }
	var got mtlSize
	sel := s.selector("maxThreadsPerThreadgroup")
	if runtime.GOARCH == "amd64" {
		s.keep = append(s.keep, &got)
		s.call("objc_msgSend_stret", uintptr(unsafe.Pointer(&got)), s.device, sel)
	} else {
		var f func(id, sel uintptr) mtlSize
		purego.RegisterFunc(&f, s.msgSend)
		got = f(s.device, sel)
	}
	if got != (mtlSize{1024, 1024, 1024}) {
		t.Errorf("%v", got)
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	s.send(s.device, "maxThreadsPerThreadgroup")
	s.call("objc_msgSend_stret", uintptr(unsafe.Pointer(&got)), s.device, s.selector("registryID"))
	expectFailures(t, "the result is in memory: objc_msgSend_stret", "objc_msgSend_stret, and the result is not in memory")
}

// compile returns the text of the compiler's error.
func (s *session) compile(text string, options uintptr) (code uintptr, problem string) {
	e := new(uintptr)
	library := s.send(s.device, "newLibraryWithSource:options:error:", s.string(text), options, e)
	if library != 0 {
		s.release(library)
	}
	if *e == 0 {
		return 0, ""
	}
	return s.send(*e, "code"), s.text(s.send(*e, "localizedDescription"))
}

func TestCompile(t *testing.T) {
	s := begin(t, Options{})
	const good = "#include <metal_stdlib>\nusing namespace metal;\n#line 7 \"one.metal\"\n"
	for _, c := range []struct{ text, want string }{
		{good + "kernel void k(device float* x [[buffer(0)]]) { x[0] = 1; }", ""},
		{"kernel void k(device nonsense* x) {}", "program_source:1:22: error: "},
		{good + "kernel void k(device float* x) {\n\tx[0] = y;\n}", "one.metal:8:9: error: "},
		{good + "kernel void k(device float* x) { x[0] = SCALE; }", "one.metal:7:41: error: "},
	} {
		code, text := s.compile(c.text, 0)
		if !strings.HasPrefix(text, c.want) || (c.want != "") != (code == 3) {
			t.Errorf("%s: %d %q, want %q", c.text, code, text, c.want)
		}
	}

	options := s.send(s.class("MTLCompileOptions"), "new")
	number := s.send(s.class("NSNumber"), "numberWithInt:", 3)
	macros := s.send(s.class("NSDictionary"), "dictionaryWithObjects:forKeys:count:", []uintptr{number, s.string("x")},
		[]uintptr{s.string("SCALE"), s.string("NAME")}, 2)
	s.send(options, "setPreprocessorMacros:", macros)
	s.send(options, "setFastMathEnabled:", true)
	s.send(options, "setMathMode:", 2)
	s.send(options, "setLanguageVersion:", 3<<16+1)
	s.send(options, "setOptimizationLevel:", 0)
	if _, text := s.compile(good+"kernel void k(device float* x) { NAME[0] = SCALE; }", options); text != "" {
		t.Error(text)
	}
	s.release(options)

	const old = good + "kernel void k(device bfloat* x) {}"
	for _, language := range []int{0, 3 << 16, 3<<16 + 1} {
		options := s.send(s.class("MTLCompileOptions"), "new")
		if language > 0 {
			s.send(options, "setLanguageVersion:", language)
		}
		if _, text := s.compile(old, options); (text == "") != (language > 3<<16) {
			t.Errorf("bfloat in language %#x: %q", language, text)
		}
		s.release(options)
	}

	Fail(CompileError, Fault{Text: "program_source:1:1: error: of the test"})
	if code, text := s.compile(programText, 0); code != 3 || !strings.Contains(text, "of the test") {
		t.Errorf("%d %s", code, text)
	}
	Fail(CompileWarning, Fault{Text: "program_source:1:1: warning: of the test"})
	e := new(uintptr)
	library := s.send(s.device, "newLibraryWithSource:options:error:", s.string(programText), 0, e)
	if library == 0 || *e == 0 || s.send(*e, "code") != 4 {
		t.Error("a warning is an error beside a library")
	}

	var names []string
	list := s.send(library, "functionNames")
	for i := range int(s.send(list, "count")) {
		names = append(names, s.text(s.send(list, "objectAtIndex:", i)))
	}
	if !slices.Equal(names, []string{"scale", "plus", "twice", "sum"}) {
		t.Errorf("functions %v", names)
	}
	if s.send(library, "newFunctionWithName:", s.string("absent")) != 0 {
		t.Error("a function that does not exist")
	}
	s.release(library)

	bytes := append([]byte("MTLB"), programText...)
	data := s.call("dispatch_data_create", uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(bytes)), 0, 0)
	library = s.send(s.device, "newLibraryWithData:error:", data, e)
	if library == 0 {
		t.Fatal("no library of data")
	}
	s.release(library)
	s.call("dispatch_release", data)
	url := s.send(s.class("NSURL"), "fileURLWithPath:", s.string(filepath.Join(t.TempDir(), "absent.metallib")))
	if s.send(s.device, "newLibraryWithURL:error:", url, e) != 0 || s.send(*e, "code") != 6 {
		t.Error("a library of no file")
	}
}

func TestFunctionConstants(t *testing.T) {
	s := begin(t, Options{})
	library := s.library(programText)
	function := s.send(library, "newFunctionWithName:", s.string("twice"))
	all := s.send(function, "functionConstantsDictionary")
	c := s.send(all, "objectForKey:", s.string("doubled"))
	if s.send(all, "count") != 1 || s.send(c, "index") != 0 || s.send(c, "type") != 53 || !s.sendBool(c, "required") {
		t.Error("constants of twice")
	}
	e := new(uintptr)
	if s.send(s.device, "newComputePipelineStateWithFunction:error:", function, e) != 0 {
		t.Error("a pipeline without its constants")
	}
	values := s.send(s.class("MTLFunctionConstantValues"), "new")
	const make = "newFunctionWithName:constantValues:error:"
	if s.send(library, make, s.string("twice"), values, e) != 0 ||
		!strings.Contains(s.text(s.send(*e, "localizedDescription")), "has no value") {
		t.Error("no value")
	}
	s.send(values, "setConstantValues:type:withRange:", []byte{1, 0, 0, 0, 2, 0, 0, 0}, 33, span{0, 2})
	if s.send(library, make, s.string("twice"), values, e) != 0 ||
		!strings.Contains(s.text(s.send(*e, "localizedDescription")), "another type") {
		t.Error("another type")
	}
	s.release(values, function, library)
}

func TestPipelineErrorsAndLimits(t *testing.T) {
	s := begin(t, Options{})
	library := s.library(programText)
	Fail(FunctionError, Fault{Name: "sum", Text: "of the test"})
	if s.send(library, "newFunctionWithName:", s.string("sum")) != 0 {
		t.Error("a function")
	}
	function := s.send(library, "newFunctionWithName:", s.string("sum"))
	descriptor := s.send(s.class("MTLComputePipelineDescriptor"), "new")
	s.send(descriptor, "setComputeFunction:", function)
	s.send(descriptor, "setLabel:", s.string("a label"))
	e := new(uintptr)
	const make = "newComputePipelineStateWithDescriptor:options:reflection:error:"
	Fail(PipelineError, Fault{Name: "plus", Text: "of another"})
	Fail(PipelineError, Fault{Name: "sum", Text: "of the test"})
	if s.send(s.device, make, descriptor, 0, 0, e) != 0 || s.text(s.send(*e, "localizedDescription")) != "of the test" {
		t.Error("a pipeline")
	}
	s.send(descriptor, "setMaxTotalThreadsPerThreadgroup:", 65)
	if s.send(s.device, make, descriptor, 0, 0, e) != 0 {
		t.Error("more threads than the kernel allows")
	}
	s.send(descriptor, "setMaxTotalThreadsPerThreadgroup:", 32)
	p := s.send(s.device, make, descriptor, 0, 0, e)
	if n := s.send(p, "maxTotalThreadsPerThreadgroup"); n != 32 || s.send(p, "threadExecutionWidth") != 32 {
		t.Errorf("threads %d", n)
	}
	if s.text(s.send(p, "label")) != "a label" {
		t.Error("label")
	}
	Fail(OutOfMemory, Fault{})
	if s.buffer(16) != 0 {
		t.Error("a buffer")
	}
	s.release(p, descriptor, function, library)
}

func TestNothingReturned(t *testing.T) {
	s := begin(t, Options{})
	Fail(NoCommandQueue, Fault{})
	if s.send(s.device, "newCommandQueue") != 0 {
		t.Error("a queue")
	}
	queue := s.send(s.device, "newCommandQueue")
	Fail(NoCommandBuffer, Fault{})
	if s.send(queue, "commandBuffer") != 0 {
		t.Error("a command buffer")
	}
	commands := s.send(queue, "commandBuffer")
	Fail(NoEncoder, Fault{Times: 2})
	if s.send(commands, "computeCommandEncoder") != 0 || s.send(commands, "blitCommandEncoder") != 0 {
		t.Error("an encoder")
	}
	Fail(ArchiveError, Fault{Text: "of the test"})
	d, e := s.send(s.class("MTLBinaryArchiveDescriptor"), "new"), new(uintptr)
	if s.send(s.device, "newBinaryArchiveWithDescriptor:error:", d, e) != 0 ||
		s.text(s.send(*e, "localizedDescription")) != "of the test" {
		t.Error("an archive")
	}
	s.release(queue, d)
}

// reflect writes down what a pipeline says of its kernel.
func (s *session) reflect(kernel string) string {
	library := s.library(programText)
	function := s.send(library, "newFunctionWithName:", s.string(kernel))
	descriptor := s.send(s.class("MTLComputePipelineDescriptor"), "new")
	s.send(descriptor, "setComputeFunction:", function)
	reflection := new(uintptr)
	p := s.send(s.device, "newComputePipelineStateWithDescriptor:options:reflection:error:", descriptor, 3, reflection, 0)
	var b strings.Builder
	number := func(object uintptr, selectors ...string) {
		for _, name := range selectors {
			b.WriteString(" " + itoa(s.send(object, name)))
		}
	}
	list := s.send(*reflection, "bindings")
	for i := range int(s.send(list, "count")) {
		x := s.send(list, "objectAtIndex:", i)
		b.WriteString(s.text(s.send(x, "name")))
		number(x, "type", "index", "access")
		if s.send(x, "type") == 0 {
			number(x, "bufferDataType", "bufferDataSize", "bufferAlignment")
			if p := s.send(x, "bufferPointerType"); p != 0 {
				b.WriteString(" pointer")
				number(p, "elementType", "dataSize")
			}
		}
		if !s.sendBool(x, "isUsed") {
			b.WriteString(" unused")
		}
		b.WriteString("\n")
		if s.send(x, "type") != 0 || s.send(x, "bufferStructType") == 0 {
			continue
		}
		members := s.send(s.send(x, "bufferStructType"), "members")
		for i := range int(s.send(members, "count")) {
			m := s.send(members, "objectAtIndex:", i)
			b.WriteString("\t" + s.text(s.send(m, "name")))
			number(m, "offset", "dataType")
			if a := s.send(m, "arrayType"); a != 0 {
				number(a, "arrayLength", "stride", "elementType")
			}
			b.WriteString("\n")
		}
	}
	s.release(p, descriptor, function, library)
	return b.String()
}

func itoa(n uintptr) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestReflection(t *testing.T) {
	s := begin(t, Options{})
	const scale = "in 0 0 0 3 4 4 pointer 3 4\nout 0 1 2 3 4 4 pointer 3 4\np 0 2 0 1 28 4\n" +
		"\tn 0 33\n\tfactor 4 2 3 4 3\n\tmore 16 5\n"
	if got := s.reflect("scale"); got != scale {
		t.Errorf("scale:\n%s", got)
	}
	const sum = "x 0 0 0 3 4 4 pointer 3 4\ny 0 1 2 3 4 4 pointer 3 4\npart 1 0 0\n"
	if got := s.reflect("sum"); got != sum {
		t.Errorf("sum:\n%s", got)
	}
	Fail(RenamedBinding, Fault{Name: "out", Text: "renamed"})
	Fail(MovedMember, Fault{Name: "factor", Code: 4})
	want := strings.NewReplacer("out", "renamed", "factor 4", "factor 8").Replace(scale)
	if got := s.reflect("scale"); got != want {
		t.Errorf("drifted:\n%s", got)
	}
}

func TestArchive(t *testing.T) {
	s := begin(t, Options{})
	library := s.library(programText)
	function := s.send(library, "newFunctionWithName:", s.string("plus"))
	descriptor := s.send(s.class("MTLComputePipelineDescriptor"), "new")
	s.send(descriptor, "setComputeFunction:", function)
	url := s.send(s.class("NSURL"), "fileURLWithPath:", s.string(filepath.Join(t.TempDir(), "archive")))
	e := new(uintptr)
	of := s.send(s.class("MTLBinaryArchiveDescriptor"), "new")
	archive := s.send(s.device, "newBinaryArchiveWithDescriptor:error:", of, e)
	const make = "newComputePipelineStateWithDescriptor:options:reflection:error:"
	list := s.send(s.class("NSArray"), "arrayWithObjects:count:", []uintptr{archive}, 1)
	s.send(descriptor, "setBinaryArchives:", list)
	if s.send(s.device, make, descriptor, 4, 0, e) != 0 {
		t.Error("found in an empty archive")
	}
	if !s.sendBool(archive, "addComputePipelineFunctionsWithDescriptor:error:", descriptor, e) ||
		!s.sendBool(archive, "serializeToURL:error:", url, e) {
		t.Error("not written")
	}
	s.send(of, "setUrl:", url)
	second := s.send(s.device, "newBinaryArchiveWithDescriptor:error:", of, e)
	s.send(descriptor, "setBinaryArchives:", s.send(s.class("NSArray"), "arrayWithObjects:count:", []uintptr{second}, 1))
	p := s.send(s.device, make, descriptor, 4, 0, e)
	if p == 0 {
		t.Error("not found in the archive")
	}
	s.release(p, second, archive, of, descriptor, function, library)
}

func TestCapture(t *testing.T) {
	s := begin(t, Options{})
	manager := s.send(s.class("MTLCaptureManager"), "sharedCaptureManager")
	d := s.send(s.class("MTLCaptureDescriptor"), "new")
	e := new(uintptr)
	if s.sendBool(manager, "startCaptureWithDescriptor:error:", d, e) {
		t.Error("captures nothing")
	}
	s.send(d, "setCaptureObject:", s.device)
	s.send(d, "setDestination:", 2)
	s.send(d, "setOutputURL:", s.send(s.class("NSURL"), "fileURLWithPath:", s.string("trace.gputrace")))
	if !s.sendBool(manager, "startCaptureWithDescriptor:error:", d, e) {
		t.Error("does not capture")
	}
	s.send(manager, "stopCapture")
	s.release(d)
}

func TestStrings(t *testing.T) {
	s := begin(t, Options{})
	make := func(b []byte) uintptr {
		return s.send(s.send(s.class("NSString"), "alloc"), "initWithBytes:length:encoding:", b, len(b), 4)
	}
	for _, text := range []string{"", "x", "ü — 𝄞"} {
		made := make([]byte(text))
		if got := s.text(made); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		s.release(made)
	}
	for _, text := range []string{"\xff", "\xc3", "\xe2\x82"} {
		if make([]byte(text)) != 0 {
			t.Errorf("%q is a string", text)
		}
	}
}

func TestLog(t *testing.T) {
	s := begin(t, Options{})
	x := s.buffer(1024)
	s.send(x, "setLabel:", s.string("weights"))
	plus := s.pipeline("plus")
	e := s.encode(1)
	ResetLog()
	e.send(e.encoder, "setComputePipelineState:", plus)
	e.send(e.encoder, "setBuffers:offsets:withRange:", []uintptr{x, x}, []uintptr{0, 512}, span{0, 2})
	e.send(e.encoder, "dispatchThreads:threadsPerThreadgroup:", size{8, 2, 1}, size{4, 1, 1})
	e.send(e.encoder, "memoryBarrierWithScope:", 1)
	e.send(e.encoder, "endEncoding")
	Failures() // the views overlap
	var got []string
	for _, m := range Log() {
		got = append(got, m.String())
	}
	want := []string{
		`MTLComputeCommandEncoder#1 setComputePipelineState: MTLComputePipelineState#1 "plus"`,
		`MTLComputeCommandEncoder#1 setBuffers: {MTLBuffer#1 "weights", MTLBuffer#1 "weights"} offsets: {0, 512} ` +
			`withRange: [0, 2]`,
		`MTLComputeCommandEncoder#1 dispatchThreads: (8, 2, 1) threadsPerThreadgroup: (4, 1, 1)`,
		`MTLComputeCommandEncoder#1 memoryBarrierWithScope: 1`,
		`MTLComputeCommandEncoder#1 endEncoding`,
		`needless barrier 1: nothing after it uses what was written before it`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("log:\n%s", strings.Join(got, "\n"))
	}
	e.send(e.commands, "commit")
	e.send(e.commands, "waitUntilCompleted")
	s.release(x, plus, e.queue)
}

// An address for a result is no list, though a list has nearly its type.
func TestLogOfAnAddressForAnError(t *testing.T) {
	s := begin(t, Options{})
	plus := s.pipeline("plus")
	log := Log()
	last := log[len(log)-1]
	want := `MTLDevice#1 "Fake GPU" newComputePipelineStateWithFunction: MTLFunction#1 "plus" error: pointer`
	if !slices.ContainsFunc(log, func(m Message) bool { return m.String() == want }) {
		t.Errorf("the log ends with %s", last)
	}
	s.release(plus)
}

// Encodings have the form that a true runtime gives them, and each takes as many
// arguments as its selector has colons.
func TestEncodings(t *testing.T) {
	s := begin(t, Options{})
	for _, m := range Methods() {
		if n := len(typesOf(m.Types)) - 1; n != strings.Count(m.Selector, ":") {
			t.Errorf("%s %s: %d arguments in %s", m.Class, m.Selector, n, m.Types)
		}
	}
	x := s.buffer(16)
	of := func(object uintptr, selector string) string {
		method := s.call("class_getInstanceMethod", s.call("object_getClass", object), s.selector(selector))
		at := s.call("method_getTypeEncoding", method)
		if at == 0 {
			return ""
		}
		return goString(*(**byte)(unsafe.Pointer(&at)))
	}
	e := s.encode(0)
	for _, c := range []struct {
		object         uintptr
		selector, want string
	}{
		{x, "length", "Q16@0:8"},
		{x, "didModifyRange:", "v32@0:8{_NSRange=QQ}16"},
		{e.encoder, "dispatchThreads:threadsPerThreadgroup:", "v64@0:8{?=QQQ}16{?=QQQ}40"},
		{s.device, "newBufferWithBytesNoCopy:length:options:deallocator:", "@48@0:8^v16Q24Q32@?40"},
		{s.class("NSString"), "stringWithUTF8String:", "@24@0:8r*16"},
		{x, "commit", ""},
	} {
		if got := of(c.object, c.selector); got != c.want {
			t.Errorf("%s: %q, want %q", c.selector, got, c.want)
		}
	}
	e.run()
	s.release(x, e.queue)
}

// typesOf cuts an encoding of the table apart.
func typesOf(encoding string) []string {
	var list []string
	start, depth := 0, 0
	for i := range len(encoding) {
		switch encoding[i] {
		case '{':
			depth++
		case '}':
			depth--
		case 'r', '^':
			continue
		}
		if depth > 0 || (encoding[i] == '@' && strings.HasPrefix(encoding[i+1:], "?")) {
			continue
		}
		list = append(list, encoding[start:i+1])
		start = i + 1
	}
	return list
}
