package asm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"
)

// encodedVEX returns an instruction of a type in the encoding of AVX2.
var encodedVEX = map[string]func(op uint64) uint64{
	"VVX":  func(op uint64) uint64 { return uint64(VEX(VVX(op))) },
	"VVXI": func(op uint64) uint64 { return uint64(VEX(VVXI(op))) },
	"VX":   func(op uint64) uint64 { return uint64(VEX(VX(op))) },
	"VXI":  func(op uint64) uint64 { return uint64(VEX(VXI(op))) },
	"XV":   func(op uint64) uint64 { return uint64(VEX(XV(op))) },
	"XVI":  func(op uint64) uint64 { return uint64(VEX(XVI(op))) },
	"VR":   func(op uint64) uint64 { return uint64(Low(VR(op))) },
	"RV":   func(op uint64) uint64 { return uint64(Low(RV(op))) },
}

// TestEveryInstructionOfAVX2IsEncodedAsTheSystemsAssemblerDoes is about those that package isa/amd64 names in the files
// of that machine.
func TestEveryInstructionOfAVX2IsEncodedAsTheSystemsAssemblerDoes(t *testing.T) {
	f := &former{t: t, rand: rand.New(rand.NewPCG(1, 3)), vex: true}
	used := map[string]bool{}
	for _, file := range []string{"avx2.go", "vector.go"} {
		source, err := os.ReadFile("../isa/amd64/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`asm\.(\w+)`).FindAllSubmatch(source, -1) {
			used[string(name[1])] = true
		}
	}
	all := constantsOf(t, "encode.go", "vector.go", "vector_one.go", "vector_move.go", "mask.go", "general.go", "avx2.go")
	for _, shape := range slices.Sorted(maps.Keys(encodedVEX)) {
		for _, name := range slices.Sorted(maps.Keys(all[shape])) {
			if !used[name] {
				continue
			}
			op := encodedVEX[shape](all[shape][name])
			for range 24 {
				shapes[shape](f, name, op)
				if op&l256 != 0 && least[name] <= 16 {
					shapes[shape](f, name, op&^l256)
				}
			}
		}
	}
	for range 24 {
		f.masked()
	}
	compareWithAssembler(t, f.forms)
}

// masked adds what has a vector for a mask.
func (f *former) masked() {
	d, x, k, g := f.v(), f.v(), f.v(), f.gp()
	y, ys := f.x(avx2)
	f.add(fmt.Sprintf("vpblendvb %s, %s, %s, %s", vector(d, 32), vector(x, 32), ys, vector(k, 32)),
		func(a *Assembler) { a.Blend(d, x, y, k) })
	m := f.anyMem(32)
	f.add(fmt.Sprintf("vpmaskmovd %s, %s, %s", memory(m, 0), vector(k, 32), vector(x, 32)),
		func(a *Assembler) { a.StoreMasked(m, k, x) })
	f.add(fmt.Sprintf("vmovmskps %s, %s", gp(g, 32), vector(x, 32)), func(a *Assembler) { a.Signs(g, x) })
	at := Vectored{Base: f.gp(), Index: f.v(), Scale: 1 << f.rand.IntN(4), Disp: m.Disp}
	for d == k || at.Index == d || at.Index == k {
		d, k, at.Index = f.v(), f.v(), f.v()
	}
	text := func(index int32) string {
		return fmt.Sprintf("%s, [%s+%s*%d%+d], %s", vector(d, 32), gp(at.Base, 64), vector(at.Index, index), at.Scale,
			at.Disp, vector(k, 32))
	}
	f.add("vpgatherdd "+text(32), func(a *Assembler) { a.GatherWords(d, at, k) })
	f.add("vpgatherdq "+text(16), func(a *Assembler) { a.GatherLongsByWords(d, at, k) })
	f.add("vpgatherqq "+text(32), func(a *Assembler) { a.GatherLongs(d, at, k) })
}
