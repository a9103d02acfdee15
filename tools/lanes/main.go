// Command lanes writes the assembly of package lanes of the CPU device: each operation on the
// 32 lanes of a simd-group, for AVX2 and for AVX-512. From the folder tools:
//
//	go run ./lanes ../runtime/internal/cpu/lanes
//
// The two sets are made by the same functions from the same operations; where the
// instructions differ, a method of generator has both.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: lanes folder")
		os.Exit(2)
	}
	for name, write := range map[string]func(*generator){"avx2": everything, "avx512": everything, "cpuid": cpuid} {
		g := &generator{Context: build.NewContext(), wide: name == "avx512", constants: map[string]operand.Mem{}}
		g.ConstraintExpr("!purego")
		write(g)
		if err := g.print(filepath.Join(os.Args[1], name+"_amd64")); err != nil {
			fmt.Fprintf(os.Stderr, "lanes: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func everything(g *generator) {
	arithmetic(g)
	comparisons(g)
	moves(g)
	conversions(g)
}

// print writes the assembly, and the declarations for Go.
func (g *generator) print(path string) error {
	file, err := g.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	table := ""
	if g.table != "" {
		const text = "\n// table%s is everything in Go but what has assembly.\nfunc table%[1]s() *table {\n\tt := inGo()\n%s\treturn t\n}\n"
		table = fmt.Sprintf(text, g.set(), g.table)
	}
	cfg := printer.Config{Name: "tools/lanes", Pkg: "lanes"}
	asm, err := printer.NewGoAsm(cfg).Print(file)
	stubs, err2 := printer.NewStubs(cfg).Print(file)
	return errors.Join(err, err2, os.WriteFile(path+".s", asm, 0o644), os.WriteFile(path+".go", append(stubs, table...), 0o644))
}
