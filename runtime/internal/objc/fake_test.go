//go:build linux && !android && (amd64 || arm64)

package objc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest/clib"
)

// Functions of testdata/fake.c.
var fake struct {
	reset      func()
	misalign   func() uintptr
	logged     func() uintptr
	log        func(uintptr) uintptr
	quiet      func(bool)
	beforeText func(uintptr)
	pools      func() uintptr
	offThread  func() uintptr
	object     func(uintptr) ID
	link       func(ID, uintptr, ID)
	retains    func(ID) int
	saved      func(fn, a, b, c, last uintptr) uintptr
	block      func(block uintptr, a, b ID, c uintptr, d ID)
}

var (
	fakePath string
	noFake   error // why there is none
)

func TestMain(m *testing.M) {
	if realPath != "" {
		noFake = errReal
		loadReal() // before a test loads what has functions of the same names; load reports the error
		os.Exit(m.Run())
	}
	fakePath, noFake = compileFake()
	if noFake == nil {
		noFake = Load(fakePath)
	}
	if noFake == nil {
		bindFake()
	} else if !errors.Is(noFake, clib.ErrNoCompiler) {
		fmt.Fprintln(os.Stderr, noFake)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func compileFake() (path string, err error) {
	l := clib.Library{
		Name:    "objc",
		Sources: os.DirFS("testdata"),
		Compile: []string{"fake.c", "fake_" + runtime.GOARCH + ".S"},
		Flags:   []string{"-O2", "-pthread", "-Wno-unused-parameter"}, // every method has self and _cmd
	}
	return l.Path()
}

func bindFake() {
	for _, b := range []struct {
		name     string
		function any
	}{
		{"fake_reset", &fake.reset},
		{"fake_misaligned", &fake.misalign},
		{"fake_logged", &fake.logged},
		{"fake_log", &fake.log},
		{"fake_set_quiet", &fake.quiet},
		{"fake_set_before_text", &fake.beforeText},
		{"fake_pools", &fake.pools},
		{"fake_off_thread", &fake.offThread},
		{"fake_object", &fake.object},
		{"fake_link", &fake.link},
		{"fake_retains", &fake.retains},
		{"fake_saved", &fake.saved},
		{"fake_call_block", &fake.block},
	} {
		address, err := Symbol(b.name)
		if err != nil {
			panic(err)
		}
		purego.RegisterFunc(b.function, address)
	}
}

// withFake empties the fake's log, and fails the test where a message arrived
// with a stack that is not aligned.
func withFake(t testing.TB) {
	t.Helper()
	if noFake != nil {
		t.Skip(noFake)
	}
	fake.reset()
	t.Cleanup(func() {
		if n := fake.misalign(); n != 0 {
			t.Errorf("%d messages on a misaligned stack", n)
		}
	})
}

// message is one entry of the fake's log.
type message struct {
	sel  *SEL
	id   ID
	args []uintptr
}

func fakeMessages(t testing.TB) []message {
	t.Helper()
	var list []message
	for i, n := uintptr(0), fake.logged(); i < n; {
		m := message{args: make([]uintptr, fake.log(i)), id: ID(fake.log(i + 2))}
		word := fake.log(i + 1)
		for sel := range Selectors() {
			if sel.word == word {
				m.sel = sel
			}
		}
		i += 3
		for k := range m.args {
			m.args[k] = fake.log(i)
			i++
		}
		list = append(list, m)
	}
	return list
}

func wantMessages(t *testing.T, want []message) {
	t.Helper()
	have := fakeMessages(t)
	if len(have) != len(want) {
		t.Fatalf("%d messages arrived, want %d", len(have), len(want))
	}
	for i := range want {
		h, w := have[i], want[i]
		if h.sel != w.sel || h.id != w.id || !slices.Equal(h.args, w.args) {
			t.Fatalf("message %d: [%x %s] %x, want [%x %s] %x", i, h.id, h.sel, h.args, w.id, w.sel, w.args)
		}
	}
}

// The methods of the fake.
var (
	selWords = []*SEL{
		Selector("w0", "v"),
		Selector("w1:", "vQ"),
		Selector("w2::", "vQQ"),
		Selector("w3:::", "vQQQ"),
		Selector("w4::::", "vQQQQ"),
		Selector("w5:::::", "vQQQQQ"),
		Selector("w6::::::", "vQQQQQQ"),
	}
	selRange    = Selector("range:", "v{_NSRange=QQ}")
	selArrays   = Selector("arrays:offsets:range:", "v^@^Q{_NSRange=QQ}")
	selSizes    = Selector("size:size:", "v{?=QQQ}{?=QQQ}")
	selMixed    = Selector("word:word:size:", "vQQ{?=QQQ}")
	selRegion   = Selector("region:a:b:c:d:e:", "v{?={?=QQQ}{?=QQQ}}QQQQQ")
	selInside   = Selector("a:b:c:region:d:e:", "vQQQ{?={?=QQQ}{?=QQQ}}QQ")
	selBlit     = Selector("a:b:c:d:size:e:f:g:size:", "vQQQQ{?=QQQ}QQQ{?=QQQ}")
	selFloat    = Selector("float:", "vf")
	selSum      = Selector("sum::", "QQQ")
	selHalf     = Selector("half", "d")
	selExtent   = Selector("extent", "{?=QQQ}")
	selFlag     = Selector("flag:", "BQ")
	selCallback = Selector("call:with:with:", "v^?QQ")
	selScramble = Selector("scramble", "v")
	selHow      = Selector("how:error:", "@Q^@")
	selMissing  = Selector("missing", "v")
)
