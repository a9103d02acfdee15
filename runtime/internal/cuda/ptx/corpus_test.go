package ptx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/ptxtest"
)

// TestCorpus writes the kernels of all sources in a folder, instances of templates included, and logs how many there
// are, and why the others are not written. Folder and flags are METALGEN_CORPUS, as for the test of this name of the
// CPU device. The texts go to the folder METALGEN_PTX, where one is named, for NVIDIA's own assembler:
//
//	for f in *.ptx; do ptxas -arch=sm_90 -o /dev/null $f; done
func TestCorpus(t *testing.T) {
	args := strings.Fields(os.Getenv("METALGEN_CORPUS"))
	if len(args) == 0 {
		t.Skip("METALGEN_CORPUS names no sources")
	}
	options, sample, threads := preprocess.Options{In: args[0]}, 0, 256
	for _, arg := range args[1:] {
		switch {
		case strings.HasPrefix(arg, "-I"):
			options.Include = append(options.Include, arg[2:])
		case strings.HasPrefix(arg, "-D"):
			options.Define = append(options.Define, arg[2:])
		case strings.HasPrefix(arg, "-sample="):
			sample, _ = strconv.Atoi(arg[len("-sample="):])
		case strings.HasPrefix(arg, "-threads="):
			threads, _ = strconv.Atoi(arg[len("-threads="):])
		default:
			t.Fatalf("METALGEN_CORPUS: unknown flag %s", arg)
		}
	}
	written, all, lacking := 0, 0, map[string]int{}
	err := filepath.WalkDir(args[0], func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".metal" {
			return err
		}
		unit, errs := preprocess.Run(filepath.Base(path), path, &options)
		parsed, more := parser.Parse(unit)
		program, last := msl.Analyze(parsed)
		if errs = slices.Concat(errs, more, last); errs.HasErrors() {
			t.Logf("%s: %v", path, errs)
		}
		step := 1
		if sample > 0 {
			step = max(1, len(program.Kernels)/sample)
		}
		for i := 0; i < len(program.Kernels); i += step {
			all++
			m, err := writeKernel(program, program.Kernels[i], threads)
			if err != nil {
				lacking[reason(err)]++
				continue
			}
			written++
			if dir := os.Getenv("METALGEN_PTX"); dir != "" {
				name := strings.TrimSuffix(filepath.Base(path), ".metal") + "-" + m.Entry + ".ptx"
				if err := os.WriteFile(filepath.Join(dir, name), []byte(m.Text), 0o666); err != nil {
					return err
				}
			}
			module, err := ptxtest.Parse(m.Text)
			if err == nil {
				err = ptxtest.Verify(module)
			}
			if err != nil {
				t.Errorf("%s: %v", program.Kernels[i].Name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("PTX: %d of %d kernels", written, all)
	for _, why := range slices.SortedFunc(maps.Keys(lacking), func(a, b string) int { return lacking[b] - lacking[a] }) {
		t.Logf("%5d %s", lacking[why], why)
	}
}

// writeKernel writes a kernel for aligned buffers, and so many threads of a threadgroup.
func writeKernel(program *msl.Program, k *tree.Kernel, threads int) (m *abi.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v", k.Name, r)
		}
	}()
	if k.Errors.HasErrors() {
		return nil, k.Errors
	}
	fn, errs := program.Body(k)
	if errs.HasErrors() {
		return nil, errs
	}
	built, err := build.Kernel(k, fn, build.Options{Device: "the CUDA device"})
	if err != nil {
		return nil, err
	}
	if err := pass.Run(built, pass.Options{}); err != nil {
		return nil, err
	}
	o := optionsFor(built)
	o.Threads = threads
	return ptx.Write(built, o)
}

// reason returns the message of an error without its place.
func reason(err error) string {
	if e, ok := errors.AsType[*parser.Error](err); ok {
		return e.Msg
	}
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return list[0].Msg
	}
	return err.Error()
}
