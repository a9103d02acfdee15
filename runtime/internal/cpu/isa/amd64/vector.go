package amd64

import (
	"maps"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Each of these instructions is what an Op does, with AVX-512 and with AVX2.
var (
	twos = map[vcode.Op]asm.VVX{
		vcode.VAddF: asm.VADDPS, vcode.VSubF: asm.VSUBPS, vcode.VMulF: asm.VMULPS, vcode.VDivF: asm.VDIVPS,
		vcode.VAdd: asm.VPADDD, vcode.VSub: asm.VPSUBD, vcode.VMul: asm.VPMULLD, vcode.VAnd: asm.VPANDD,
		vcode.VOr: asm.VPORD, vcode.VXor: asm.VPXORD, vcode.VMinS: asm.VPMINSD, vcode.VMinU: asm.VPMINUD,
		vcode.VMaxS: asm.VPMAXSD, vcode.VMaxU: asm.VPMAXUD, vcode.VShl: asm.VPSLLVD, vcode.VShr: asm.VPSRLVD,
		vcode.VSar: asm.VPSRAVD, vcode.VAddQ: asm.VPADDQ, vcode.VSubQ: asm.VPSUBQ,
		vcode.VShlQ: asm.VPSLLVQ, vcode.VShrQ: asm.VPSRLVQ,
		vcode.VAddD: asm.VADDPD, vcode.VSubD: asm.VSUBPD, vcode.VMulD: asm.VMULPD, vcode.VDivD: asm.VDIVPD,
		vcode.VMinD: asm.VMINPD, vcode.VMaxD: asm.VMAXPD, vcode.VMinF: asm.VMINPS, vcode.VMaxF: asm.VMAXPS,
	}
	upperHalves = map[vcode.Op]asm.VVX{vcode.VMulHiU: asm.VPMULUDQ, vcode.VMulHiS: asm.VPMULDQ}

	ofOne = map[vcode.Op]asm.VX{
		vcode.VMove: asm.VMOVDQU32, vcode.VSqrtF: asm.VSQRTPS, vcode.VFromS32: asm.VCVTDQ2PS,
		vcode.VFToDLo: asm.VCVTPS2PD, vcode.VExtLoS: asm.VPMOVSXDQ, vcode.VExtLoU: asm.VPMOVZXDQ,
		vcode.VSqrtD: asm.VSQRTPD,
	}
	ofHigh = map[vcode.Op]asm.VX{
		vcode.VFToDHi: asm.VCVTPS2PD, vcode.VExtHiS: asm.VPMOVSXDQ, vcode.VExtHiU: asm.VPMOVZXDQ,
	}
	byNumber = map[vcode.Op]asm.VXI{
		vcode.VShlI: asm.VPSLLD, vcode.VShrI: asm.VPSRLD, vcode.VSarI: asm.VPSRAD,
		vcode.VShlQI: asm.VPSLLQ, vcode.VShrQI: asm.VPSRLQ,
	}
	ofMemory = map[vcode.Op]asm.VX{
		vcode.VLoad: asm.VMOVUPS, vcode.VLoadSplat32: asm.VPBROADCASTD, vcode.VLoadSplat64: asm.VPBROADCASTQ,
		vcode.VLoad8: asm.VPMOVZXBD, vcode.VLoad8S: asm.VPMOVSXBD, vcode.VLoad16: asm.VPMOVZXWD,
		vcode.VLoad16S: asm.VPMOVSXWD, vcode.VLoadHalf: asm.VCVTPH2PS,
	}
)

// What VSHUFPS takes for two elements of each operand.
const even, odd = 0x88, 0xdd

// floatConditions are comparisons of floats.
var floatConditions = [...]uint8{
	vcode.Eq: asm.FloatEQO, vcode.Ne: asm.FloatNEU, vcode.LtS: asm.FloatLTO, vcode.LeS: asm.FloatLEO,
	vcode.GtS: asm.FloatGTO, vcode.GeS: asm.FloatGEO, vcode.Unordered: asm.FloatUNO,
}

// inFours returns what VPSHUFD takes for words that stay within each four, and inPairs what VPERMPD takes for pairs of
// words that stay within each eight. They report false for others.
func inFours(words []uint32) (imm uint8, ok bool) {
	for i, w := range words {
		if j := uint32(i) &^ 3; w-j > 3 || w-j != words[i&3] {
			return 0, false
		}
	}
	return uint8(words[0] | words[1]<<2 | words[2]<<4 | words[3]<<6), true
}

func inPairs(words []uint32) (imm uint8, ok bool) {
	for i, w := range words {
		if j := uint32(i) &^ 7; w-j > 7 || w-j != words[i&7] || i&1 == 0 && w&1 != 0 || i&1 != 0 && w != words[i-1]+1 {
			return 0, false
		}
	}
	return uint8(words[0]>>1 | words[2]>>1<<2 | words[4]>>1<<4 | words[6]>>1<<6), true
}

// with returns a table with more rows.
func with[T any](table, more map[vcode.Op]T) map[vcode.Op]T {
	all := maps.Clone(table)
	maps.Copy(all, more)
	return all
}

func z(r vcode.Reg) asm.V { return asm.V(r - 1) }
