//go:build linux && (amd64 || arm64)

package metaltest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options say what kind of Metal a test wants. The zero Options are one device
// with unified memory, where work is done when somebody waits for it.
type Options struct {
	// Execute does the work of a dispatch, and may be called from any thread. An
	// error is a failure of the test, unless AllowFaults is set, and the one of the command buffer. Without
	// it dispatches do nothing. [CPU] returns one that does all.
	//
	// The context ends when the watchdog bites. An error that wraps that of the context
	// becomes a timeout of the command buffer, which is no failure of the test.
	Execute func(ctx context.Context, d Dispatch) error

	// Watchdog is how long a dispatch may run; 0 means 10 s.
	Watchdog time.Duration

	Quiet         bool     // no log
	Bench         bool     // no checks either, and no work: methods do next to nothing
	Abort         bool     // a failure ends the process, so that its place is seen
	AllowLeaks    bool     // what is alive at the end is not an error
	AllowFaults   bool     // nor is what Execute returns, which is the error of the command buffer
	Devices       int      // 0 means 1; -1 means none
	Discrete      bool     // no unified memory
	Integrated    bool     // unified memory, and not one of Apple's GPUs: one of Intel's
	Tier1         bool     // no Metal 3, and so no addresses of buffers
	Machine       Machine  // that is played; mistakes in descriptors end the process on all but AnyMachine
	System        System   // that is played
	ConstantAlign int      // of offsets of constant arguments; 0 means 256
	PageSize      int      // 0 means that of the system
	SimdWidth     int      // threads of a simd-group; 0 means those of the machine
	Hide          []string // selectors and classes that the system is too old for
}

var world struct {
	sync.Mutex
	serial  sync.Mutex // held while a test has the world
	holder  string     // the name of that test
	options Options
	sources map[uint64]*source
	pumping chan struct{}
	watch   context.Context    // see watchdog.go
	bite    context.CancelFunc // ends it
}

// Start begins a test in a new world, which no other test has until this one
// ends; it fails where this one has a world already, or a test that this one is part
// of. Its end is an error when a check fired that [Failures] did not return, or
// when something leaks. What the test closes in cleanups of its own, called after
// Start, is closed by then. Where there is no C compiler, the test is skipped.
func Start(t testing.TB, o Options) {
	t.Helper()
	if _, err := Load(); errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if !world.serial.TryLock() {
		if holder := held(); holder != "" && strings.HasPrefix(t.Name()+"/", holder+"/") {
			t.Fatalf("%s has the fake of Metal already, until it ends: there is one for each test", holder)
		}
		world.serial.Lock()
	}
	hold(t.Name())
	reset(o)
	t.Cleanup(func() {
		defer world.serial.Unlock()
		defer hold("")
		stop()
		for _, text := range Failures() {
			t.Errorf("metal: %s", text)
		}
		if o.AllowLeaks || o.Bench {
			return
		}
		for _, text := range Leaks() {
			t.Errorf("metal: leaked: %s", text)
		}
	})
}

// hold sets which test has the world, "" for none.
func hold(name string) {
	world.Lock()
	defer world.Unlock()
	world.holder = name
}

func held() string {
	world.Lock()
	defer world.Unlock()
	return world.holder
}

// stop ends what runs.
func stop() {
	bite()
	fake.stop()
	if world.pumping != nil {
		<-world.pumping
		world.pumping = nil
	}
}

func reset(o Options) {
	stop()
	s := &settings{
		devices:       uint64(max(o.Devices, 0)),
		constantAlign: uint64(o.ConstantAlign),
		pageSize:      uint64(o.PageSize),
		bench:         word(o.Bench),
		quiet:         word(o.Quiet || o.Bench),
		abort:         word(o.Abort),
		faults:        word(o.AllowFaults),
		formats:       &formats[0],
	}
	if o.Devices == 0 {
		s.devices = 1
	}
	if s.constantAlign == 0 {
		s.constantAlign = 256
	}
	if s.pageSize == 0 {
		s.pageSize = uint64(os.Getpagesize())
	}
	s.play(&o)
	world.Lock()
	world.options = o
	world.sources = map[uint64]*source{}
	world.Unlock()
	watch()
	fake.reset(s)
	if !o.Bench {
		done := make(chan struct{})
		world.pumping = done
		go func() {
			defer close(done)
			fake.pump()
		}()
	}
}
