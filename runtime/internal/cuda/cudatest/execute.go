//go:build linux && (amd64 || arm64)

package cudatest

import (
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/ptxtest"
)

// programs are the modules that were compiled, from 1 on.
var programs struct {
	sync.Mutex
	all    []*ptxtest.Program
	errors []string // of kernels that a card would not execute as they are meant
}

func forgetPrograms() {
	programs.Lock()
	defer programs.Unlock()
	programs.all, programs.errors = nil, nil
}

// Errors returns why kernels ended that a card would not have executed as they are meant.
func Errors() []string {
	programs.Lock()
	defer programs.Unlock()
	return programs.errors
}

// compileCallback verifies a module. It returns its number and three facts, or 0 and what is wrong in log.
func compileCallback(text, log *byte, size uint64, facts *[3]uint64) uint64 {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	module, err := ptxtest.Parse(string(unsafe.Slice(text, n)))
	if err == nil {
		err = ptxtest.Verify(module)
	}
	var p *ptxtest.Program
	if err == nil {
		p, err = ptxtest.New(module)
	}
	if err != nil {
		to := unsafe.Slice(log, size)
		copied := copy(to[:len(to)-1], err.Error())
		to[copied] = 0
		return 0
	}
	*facts = [3]uint64{uint64(module.Params), uint64(module.Threads), uint64(p.Static())}
	programs.Lock()
	defer programs.Unlock()
	programs.all = append(programs.all, p)
	return uint64(len(programs.all))
}

// launchCallback executes a kernel. It returns 1 where a card would end all work.
func launchCallback(number uint64, numbers *[7]uint32, params *byte, size uint64) uint64 {
	programs.Lock()
	p := programs.all[number-1]
	programs.Unlock()
	err := p.Run(&ptxtest.Launch{
		Grid: [3]uint32(numbers[:3]), Block: [3]uint32(numbers[3:6]), Dynamic: int(numbers[6]),
		Params: unsafe.Slice(params, size), Reach: (&reached{}).reach, Seed: world.options.Seed,
	})
	if err == nil {
		return 0
	}
	programs.Lock()
	defer programs.Unlock()
	programs.errors = append(programs.errors, p.Entry+": "+err.Error())
	return 1
}

// reached finds memory of the device, and keeps what it has found: it stays while a kernel runs.
type reached struct{ known [][2]uint64 }

func (r *reached) reach(address uint64, size int) unsafe.Pointer {
	end := address + uint64(size)
	for _, k := range r.known {
		if address >= k[0] && end <= k[1] {
			return pointerTo(address)
		}
	}
	var bounds [2]uint64
	if fake.reach(uintptr(address), uint64(size), &bounds) == 0 {
		return nil
	}
	r.known = append(r.known, bounds)
	return pointerTo(address)
}

func pointerTo(address uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
