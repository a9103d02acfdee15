package metal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The tests of this file meet Apple's own Metal. What the fake of the other tests
// takes for granted is what they are about.

func openApple(t *testing.T, o driver.Options) *Device {
	t.Helper()
	d, err := Open(-1, o)
	if errors.Is(err, ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestAppleRunsAKernel(t *testing.T) {
	checkScale(t, openApple(t, driver.Options{Math: driver.MathSafe}))
}

func TestAppleRunsEverythingElseInABatch(t *testing.T) {
	for _, o := range []driver.Options{{}, {Labels: true}} {
		checkExecution(t, openApple(t, o))
	}
}

func TestAppleTexturesHoldAndComputeWhatTheyShould(t *testing.T) {
	checkTextures(t, openApple(t, driver.Options{}))
}

func TestApplePointersInMemoryLeadWhereTheyShould(t *testing.T) {
	d := openApple(t, driver.Options{})
	if !d.Limits().Addresses {
		t.Skip("no Metal 3")
	}
	checkPointers(t, d)
}

func TestAppleSharesItsBatchesWithCodeBeside(t *testing.T) {
	checkNative(t, openApple(t, driver.Options{}))
}

func TestAppleFindsDriftAndNoFalseOne(t *testing.T) {
	checkDrift(t, openApple(t, driver.Options{}))
}

func TestAppleMissesAConstant(t *testing.T) {
	d := openApple(t, driver.Options{})
	if err := d.Prepare(fixtureKernel(), nil); err == nil || !strings.Contains(err.Error(), "factor has no value") {
		t.Errorf("got %v", err)
	}
}

func TestAppleNamesTheLinesOfTheSource(t *testing.T) {
	d := openApple(t, driver.Options{})
	for _, c := range []struct{ source, pos string }{
		{"kernel void k() {\n\tint n = nothing;\n}\n", "k.metal:2:10"},
		{"// made\n#line 7 \"orig.metal\"\nkernel void k() {\n\tint n = nothing;\n}\n", "orig.metal:8:10"},
	} {
		err := d.Prepare(&driver.Kernel{Name: "k", Library: &driver.Library{File: "k.metal", Source: &c.source}}, nil)
		var e *driver.CompileError
		if !errors.As(err, &e) || e.Diagnostics[0].Pos != c.pos || !strings.Contains(e.Diagnostics[0].Msg, "nothing") {
			t.Errorf("got %#v, want it at %s", err, c.pos)
		}
	}
}

func TestAppleTakesAllOptions(t *testing.T) {
	for _, o := range []driver.Options{
		{Math: driver.MathSafe}, {Math: driver.MathRelaxed}, {Math: driver.MathFast},
		{Language: driver.MSL(2, 4)}, {Macros: map[string]string{"NAME": "k", "EMPTY": ""}},
	} {
		d := openApple(t, o)
		source := "#ifndef NAME\n#define NAME k\n#endif\nkernel void NAME(device float* x [[buffer(0)]]) { x[0] = 1; }\n"
		k := &driver.Kernel{
			Name: "k", Library: &driver.Library{File: "k.metal", Source: &source},
			Buffers: []*driver.Arg{{Name: "x", Type: "float", Size: 4, Writes: true}},
		}
		if err := d.Prepare(k, nil); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestAppleRefusesWhatIsNoMetallib(t *testing.T) {
	d := openApple(t, driver.Options{Metallibs: map[string][]byte{"apple.metal": []byte("not one at all")}})
	if err := d.Prepare(fixtureKernel(), nil); err == nil ||
		!strings.HasPrefix(err.Error(), "the metallib for apple.metal: ") {
		t.Errorf("got %v", err)
	}
}

func TestAppleListsItsDevices(t *testing.T) {
	openApple(t, driver.Options{})
	names, err := Devices()
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for i, name := range names {
		d, err := Open(i, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d.name != name {
			t.Errorf("metal:%d is %s, listed as %s", i, d.name, name)
		}
		d.Close()
	}
	if _, err := Open(len(names), driver.Options{}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("one more: %v", err)
	}
}

func TestAppleCapturesABatch(t *testing.T) {
	d := openApple(t, driver.Options{})
	path := filepath.Join(t.TempDir(), "a.gputrace")
	stop, err := d.Capture(path)
	if os.Getenv("MTL_CAPTURE_ENABLED") != "1" {
		if err == nil || !strings.Contains(err.Error(), "MTL_CAPTURE_ENABLED=1") {
			t.Errorf("got %v", err)
		}
		if err == nil {
			stop()
		}
		return
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("allowed by the environment, and not by the system: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkScale(t, d)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestAppleMethodsHaveTheDeclaredTypes(t *testing.T) {
	checkMethods(t, openApple(t, driver.Options{}))
}
