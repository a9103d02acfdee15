//go:build (linux || darwin) && amd64 && !purego

package exec

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// load places what write writes, or skips the test where that is not permitted.
func load(t testing.TB, write func(a *asm.Assembler)) *Code {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	a := new(asm.Assembler)
	write(a)
	bytes, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCodeGetsItsArgumentAndReturnsAResult(t *testing.T) {
	offset := func() int { return 0 }
	c := load(t, func(a *asm.Assembler) {
		a.GR(asm.MOVQ, asm.RAX, asm.Mem{Base: asm.RDI})
		a.O(asm.RET)
		second := a.Label()
		a.Bind(second)
		a.GM(asm.LEAQ, asm.RAX, asm.Mem{Base: asm.RDI, Disp: 8})
		a.O(asm.RET)
		offset = func() int { return a.Offset(second) }
	})
	v := [2]uint64{1<<63 | 5, 6}
	if got := c.Call(0, unsafe.Pointer(&v)); got != v[0] {
		t.Errorf("loads %#x", got)
	}
	if got := c.Call(offset(), unsafe.Pointer(&v)); got != uint64(uintptr(unsafe.Pointer(&v[1]))) {
		t.Errorf("computes %#x of %p", got, &v)
	}
}

// features has the bits of CPUID's leaf 7, in EBX.
func features(t testing.TB) uint32 {
	return uint32(load(t, func(a *asm.Assembler) {
		a.Number(asm.RAX, 7)
		a.Number(asm.RCX, 0)
		a.O(asm.CPUID)
		a.GR(asm.MOVL, asm.RAX, asm.RBX)
		a.O(asm.RET)
	}).Call(0, nil))
}

// avx512 reports whether there are AVX-512 F and BW.
func avx512(t testing.TB) bool {
	const f, bw = 1 << 16, 1 << 30
	return features(t)&(f|bw) == f|bw
}

// clobbers is code that writes to all registers, and to the memory that it may have of the stack.
func clobbers(t testing.TB) *Code {
	vectors := avx512(t)
	return load(t, func(a *asm.Assembler) {
		a.Number(asm.RAX, 1<<64-1)
		for i := range int32(Scratch / 8) {
			a.MG(asm.MOVQ_ST, asm.Mem{Base: asm.RSP, Disp: 8 + 8*i}, asm.RAX)
		}
		for range Scratch / 8 {
			a.G(asm.PUSH, asm.RAX)
		}
		a.RI(asm.ADDQ_I, asm.RSP, Scratch)
		for r := asm.RAX; r <= asm.R15; r++ {
			if r != asm.RSP && r != asm.RBP {
				a.Number(r, 0xdead0000+uint64(r))
			}
		}
		if vectors {
			for k := asm.K0; k <= asm.K7; k++ {
				a.KKK(asm.KXNORQ, k, k, k)
			}
			for v := asm.Z0; v <= asm.Z31; v++ {
				a.VXI(asm.VPSRLD, v, a.Uint32(1<<32-1).Broadcast(), 1)
			}
			a.O(asm.VZEROUPPER)
		}
		a.O(asm.RET)
	})
}

// deep calls code below frames of many sizes, whose bytes it checks behind.
func deep(c *Code, n int) string {
	var local [16]uint64
	for i := range local {
		local[i] = uint64(n * i)
	}
	below := ""
	if n > 0 {
		below = deep(c, n-1)
	}
	x := float64(n)
	if got := c.Call(0, unsafe.Pointer(&local)); got != 0xdead0000 {
		return fmt.Sprintf("returned %#x", got)
	}
	if x*2 != float64(2*n) {
		return "a float changed"
	}
	for i := range local {
		if local[i] != uint64(n*i) {
			return fmt.Sprintf("%d frames above, word %d is %#x", n, i, local[i])
		}
	}
	return below
}

func TestGoGoesOnWhenCodeHasUsedAllThatItMay(t *testing.T) {
	c := clobbers(t)
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() {
			if what := deep(c, n); what != "" {
				t.Error(what)
			}
		})
	}
	wg.Wait()
}

// permissions returns those of the pages at an address, or nothing where there are none.
func permissions(t *testing.T, at uintptr) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var permissions string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &permissions); err != nil {
			t.Fatal(err)
		}
		if from <= at && at < to {
			return permissions
		}
	}
	return ""
}

func TestMemoryIsExecutableOrWritableAndGoesWithItsCode(t *testing.T) {
	ends := func(a *asm.Assembler) { a.O(asm.RET) }
	c := load(t, ends)
	at := uintptr(unsafe.Pointer(&c.memory[0]))
	if got := permissions(t, at); got != "r-xp" {
		t.Errorf("memory of code is %s", got)
	}
	c.Call(0, nil)
	runtime.KeepAlive(c)
	for range 1000 {
		runtime.GC() // starts cleanups, which run in their own time
		if permissions(t, at) == "" {
			return
		}
	}
	t.Error("memory of code that nothing refers to stays")
}

func TestNoCodeIsAnError(t *testing.T) {
	if c, err := Load(nil); err == nil {
		t.Errorf("loaded %v", c)
	}
}

// The collector stops goroutines that do nothing but enter code, between two entries.
func TestCodeThatReturnsLetsTheCollectorIn(t *testing.T) {
	c := load(t, func(a *asm.Assembler) {
		a.Number(asm.RAX, 1000)
		loop := a.Label()
		a.Bind(loop)
		a.RO(asm.DECQ, asm.RAX)
		a.Jump(asm.NotEqual, loop)
		a.O(asm.RET)
	})
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		wg.Go(func() {
			for !stop.Load() {
				c.Call(0, nil)
			}
		})
	}
	for range 5 {
		runtime.GC()
	}
	stop.Store(true)
	wg.Wait()
}

// A process may give up the right to make memory executable. This one does so in another one.
func TestWithoutPermissionAnErrorSaysSo(t *testing.T) {
	const (
		variable        = "METALGEN_TEST_REFUSE"
		prctl           = 157 // of Linux on amd64
		setMDWE, refuse = 65, 1
	)
	if os.Getenv(variable) != "" {
		if _, _, errno := syscall.RawSyscall6(prctl, setMDWE, refuse, 0, 0, 0, 0); errno != 0 {
			fmt.Println("skip:", errno)
			return
		}
		fmt.Println(Available())
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("there is no such right")
	}
	c := exec.Command(os.Args[0], "-test.run", t.Name())
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.HasPrefix(string(out), "skip:") {
		t.Skip(string(out))
	}
	if want := "1 bytes of executable memory: permission denied"; !strings.HasPrefix(string(out), want) {
		t.Errorf("%s, want %s", out, want)
	}
}

func BenchmarkCall(b *testing.B) {
	c := load(b, func(a *asm.Assembler) { a.O(asm.RET) })
	for b.Loop() {
		c.Call(0, nil)
	}
}

func TestAProcessHasSoMuchCodeAtMost(t *testing.T) {
	load(t, func(a *asm.Assembler) { a.O(asm.RET) })
	most := maxMapped - mapped.Load()
	mapped.Add(most)
	defer mapped.Add(-most)
	if _, err := Load([]byte{ret}); err != errFull {
		t.Errorf("loads with %v", err)
	}
}
