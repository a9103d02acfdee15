//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestCardPage prints what holds on the card of this machine, as a page of the guide has it: which kernels of shaders/
// the driver's compiler takes. The commit comes from METALGEN_COMMIT, since test binaries have none.
func TestCardPage(t *testing.T) {
	if !onCard() {
		t.Skip("METALGEN_CARD is not set: there is no card")
	}
	dev := open(t, cudatest.Options{}, driver.Options{})
	lib, err := libcuda.Open("")
	if err != nil {
		t.Fatal(err)
	}
	version, _ := lib.DriverGetVersion()
	fmt.Printf("| card | driver's API | date | commit |\n|---|---|---|---|\n"+
		"| %v | %d.%d | %s | %s |\n\n", dev, version/1000,
		version%1000/10, time.Now().UTC().Format(time.DateOnly), os.Getenv("METALGEN_COMMIT"))
	const dir = "../../../gen"
	files, err := filepath.Glob(filepath.Join(dir, "*.metal"))
	if err != nil || len(files) == 0 {
		t.Fatal("no sources in ", dir)
	}
	taken, all := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := string(text)
		program, err := frontend.NewLibrary(frontend.Source{File: file, Text: source, Version: 400}).Program(nil)
		if err != nil {
			t.Fatal(err)
		}
		library := &driver.Library{File: filepath.Base(file), Source: &source}
		for _, k := range program.Kernels {
			all++
			if err := dev.Prepare(&driver.Kernel{Name: k.Name, Library: library}, nil); err != nil {
				t.Errorf("%s: %v", k.Name, err)
				continue
			}
			taken++
		}
	}
	fmt.Printf("The driver's compiler takes %d of the %d kernels of shaders/.\n", taken, all)
}
