package randomtest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed prelude.h
var prelude []byte

// oldest is the first version of clang that takes all the flags.
const oldest = 16

// ErrNoClang is the error of a machine without a clang that will do.
var ErrNoClang = fmt.Errorf("no clang++ of version %d or later", oldest)

// Clang is a compiler, by its path.
type Clang struct{ path string }

// FindClang returns a clang of the system that takes the flags: clang++, or one with its
// version in the name.
func FindClang() (*Clang, error) {
	if runtime.GOOS == "windows" { // which has no ucontext.h
		return nil, ErrNoClang
	}
	names := []string{"clang++"}
	for version := 30; version >= oldest; version-- {
		names = append(names, fmt.Sprintf("clang++-%d", version))
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if exec.Command(path, append(flags, "-fsyntax-only", "-x", "c++", os.DevNull)...).Run() == nil {
			return &Clang{path}, nil
		}
	}
	return nil, ErrNoClang
}

// flags are those of the compiler: integers wrap around, as in doc.go, pointers to anything
// may point to anything, and every operation on floats is rounded.
var flags = []string{"-std=c++17", "-O0", "-w", "-Wno-invalid-constexpr", "-fwrapv", "-fsigned-char",
	"-fno-strict-aliasing", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none"}

// maxSeconds bounds the time of one program, and of a compiler for each.
const maxSeconds = 10

// Run compiles programs and returns the results of each.
func (c *Clang) Run(ctx context.Context, programs ...*Program) ([][]int64, error) {
	dir, err := os.MkdirTemp("", "randomtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(programs)+10)*maxSeconds*time.Second)
	defer cancel()
	binaryName := filepath.Join(dir, "programs")
	compile := exec.CommandContext(ctx, c.path, append(flags, "-x", "c++", "-", "-o", binaryName)...)
	compile.Stdin = strings.NewReader(translationUnit(programs))
	if text, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%.4000s", c.path, err, text)
	}
	var in bytes.Buffer
	for _, p := range programs {
		for _, data := range []any{p.Ints, p.Floats, p.Same} {
			if err := binary.Write(&in, binary.NativeEndian, data); err != nil {
				return nil, err
			}
		}
	}
	run := exec.CommandContext(ctx, binaryName)
	run.Stdin = &in
	out, err := run.Output()
	size := 8 * Numbers
	if err != nil {
		return nil, fmt.Errorf("program %d of %d: %w", len(out)/size, len(programs), err)
	}
	results := make([][]int64, len(programs))
	for i := range results {
		results[i] = make([]int64, Numbers)
		if _, err := binary.Decode(out[i*size:], binary.NativeEndian, results[i]); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// translationUnit returns programs as one source in C++.
func translationUnit(programs []*Program) string {
	var b strings.Builder
	b.Write(prelude)
	var table strings.Builder
	for i, p := range programs {
		fmt.Fprintf(&b, "namespace program%d {\n#line 1 \"program%d\"\n%s}\n", i, i, p.Source())
		fmt.Fprintf(&table, "{program%d::test},\n", i)
	}
	fmt.Fprintf(&b, "static const Program programs[] = {\n%s};\nint main() { return runAll(programs, %d); }\n",
		table.String(), len(programs))
	return b.String()
}
