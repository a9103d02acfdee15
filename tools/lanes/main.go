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
	"regexp"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
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
		if err := g.print(filepath.Join(os.Args[1], name)); err != nil {
			fmt.Fprintf(os.Stderr, "lanes: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func everything(g *generator) {
	arithmetic(g)
	comparisons(g)
	moves(g)
	permute(g)
	conversions(g)
	texels(g)
	functions(g)
	memory(g)
	matrices(g)
	reductions(g)
}

// print writes the assembly, its declarations for Go, and the table of operations.
func (g *generator) print(path string) error {
	file, err := g.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	if err := g.check(file); err != nil {
		return err
	}
	cfg := printer.Config{Name: "tools/lanes", Pkg: "lanes"}
	asm, err := printer.NewGoAsm(cfg).Print(file)
	stubs, err2 := printer.NewStubs(cfg).Print(file)
	stubs = wide.ReplaceAllFunc(stubs, wrapped)
	err = errors.Join(err, err2, os.WriteFile(path+"_amd64.s", asm, 0o644), os.WriteFile(path+"_amd64.go", stubs, 0o644))
	if g.table == "" {
		return err
	}
	base := "inGo"
	if g.wide {
		base = "tableAVX2" // which processors with AVX-512 have as well
	}
	table := fmt.Sprintf(tableText, cfg.GeneratedWarning(), g.set(), base, g.table)
	return errors.Join(err, os.WriteFile(path+"_table_amd64.go", []byte(table), 0o644))
}

// wide is a line of more than 120 columns.
var wide = regexp.MustCompile(`(?m)^func .{116,}$`)

// wrapped puts the parameters of a function on lines of their own.
func wrapped(line []byte) []byte {
	name, rest, _ := strings.Cut(string(line), "(")
	parameters, result, _ := strings.Cut(rest, ")")
	return []byte(name + "(\n\t" + strings.ReplaceAll(parameters, ", ", ",\n\t") + ",\n)" + result)
}

// check reports an instruction that a processor with AVX2 alone would not have.
func (g *generator) check(file *ir.File) error {
	for _, f := range file.Functions() {
		for _, i := range f.Instructions() {
			for _, op := range i.Operands {
				if r, ok := op.(reg.Physical); ok && !g.wide && r.Kind() == reg.KindVector && r.PhysicalIndex() > 15 {
					return fmt.Errorf("%s needs more than 16 vectors", f.Name)
				}
			}
			for _, isa := range i.ISA {
				if !g.wide && strings.HasPrefix(isa, "AVX512") {
					return fmt.Errorf("%s: %s is of %s", f.Name, i.Opcode, isa)
				}
			}
		}
	}
	return nil
}

const tableText = `// %s

//go:build !purego

package lanes

import "github.com/metalgen/metalgen/internal/fmath"

// table%[2]s is %[3]s but for what is better here.
func table%[2]s() *table {
	t := %[3]s()
%[4]s	return t
}
`
