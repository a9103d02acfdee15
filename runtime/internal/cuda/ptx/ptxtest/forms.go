package ptxtest

import (
	"slices"
	"strings"
)

// form is how an instruction may look. Operands are letters: d and a for a register or a constant of the type, d
// being a register that is set; p for a predicate, P for one that is set; w and W for 32 bits; s and S for the second
// type of a conversion, and X for what a conversion packs into 32 bits; F and R for floats and words in braces, O for
// one word; m for memory; v and V for one or several registers of memory's type; l for a label.
type form struct {
	modifiers string // in their order, "" for none
	types     string // that the last part may be, "" where there is none
	operands  string
}

const (
	integers = "s32 u32 s64 u64"
	floats   = "f32 f64"
	untyped  = "b32 b64"
	scopes   = "gpu cta"
)

// forms are the instructions that package ptx writes, by their names.
var forms = map[string][]form{
	"mov": {{"", "pred b16 b32 u32 b64 u64 f32 f64", "da"}},
	"add": {{"", integers, "daa"}, {"rn", floats, "daa"}}, "sub": {{"", integers, "daa"}, {"rn", floats, "daa"}},
	"mul": {{"lo", integers, "daa"}, {"hi", integers, "daa"}, {"wide", "s32 u32", "Daa"}, {"rn", floats, "daa"}},
	"mad": {{"lo", integers, "daaa"}, {"wide", "s32 u32", "Daab"}},
	"div": {{"", integers, "daa"}, {"rn", floats, "daa"}}, "rem": {{"", integers, "daa"}},
	"neg": {{"", "s32 s64 f32 f64", "da"}}, "abs": {{"", "s32 s64 f32 f64", "da"}},
	"min": {{"", integers + " " + floats, "daa"}}, "max": {{"", integers + " " + floats, "daa"}},
	"and": {{"", untyped + " pred", "daa"}}, "or": {{"", untyped + " pred", "daa"}},
	"xor": {{"", untyped + " pred", "daa"}},
	"not": {{"", untyped + " pred", "da"}},
	"shl": {{"", untyped, "daw"}}, "shr": {{"", integers, "daw"}}, "shf": {{"l wrap", "b32", "daaw"}},
	"clz": {{"", untyped, "Wa"}}, "popc": {{"", untyped, "Wa"}}, "brev": {{"", untyped, "da"}},
	"bfe": {{"", "s32 u32", "daww"}}, "copysign": {{"", floats, "daa"}},
	"sqrt": {{"rn", floats, "da"}}, "ex2": {{"approx", "f32", "da"}}, "rsqrt": {{"approx", "f32", "da"}},
	"rcp": {{"rn", floats, "da"}}, "fma": {{"rn", "f32 f64 f16", "daaa"}},
	"setp": {{"eq", integers + " " + floats, "Paa"}, {"ne", integers, "Paa"}, {"neu", floats, "Paa"},
		{"lt", integers + " " + floats, "Paa"}, {"le", integers + " " + floats, "Paa"},
		{"gt", integers + " " + floats, "Paa"}, {"ge", integers + " " + floats, "Paa"}, {"nan", floats, "Paa"},
		{"ge or", integers, "Paap"}, {"gt or", integers, "Paap"}, {"eq or", integers, "Paap"}, {"ne or", integers, "Paap"}},
	"selp": {{"", "b16 " + untyped + " " + floats, "daap"}},
	"cvt":  conversions(),
	"cvta": {{"shared", "u64", "da"}, {"local", "u64", "da"}, {"global", "u64", "da"}, {"param", "u64", "da"}},
	"ld":   loads("Vm"), "st": loads("mv"), "atom": atomics(),
	"fence":   {{"acq_rel gpu", "", ""}},
	"bar":     {{"warp sync", "", "w"}, {"sync", "", "n"}},
	"barrier": {{"sync", "", "n"}},
	"vote":    {{"sync ballot", "b32", "dpw"}},
	"shfl":    {{"sync idx", "b32", "dawww"}},
	"mma":     products(),

	"ldmatrix": {{"sync aligned m8n8 x1 shared", "b16", "Om"}, {"sync aligned m8n8 x1 trans shared", "b16", "Om"}},

	"bra": {{"", "", "l"}},
	"ret": {{"", "", ""}},
}

func conversions() []form {
	var list []form
	for _, kind := range []struct{ round, to, from string }{
		{"", integers, "s32 u32 s64 u64 u16"}, {"", "u16", "u32"}, {"", "f32", "f16"}, {"", "f64", "f32"},
		{"rn", "f16", "f32"}, {"rn", "f32", "f64 s32 u32 s64 u64"}, {"rn", "f64", "s64 u32"}, {"rzi", integers, "f32"},
		{"rpi", "f64", "f64"}, {"rmi", "f64", "f64"}, {"rzi", "s32", "f64"},
		{"rpi", "f32", "f32"}, {"rmi", "f32", "f32"}, {"rzi", "f32", "f32"}, {"rni", "f32", "f32"}, {"rzi", "f64", "f64"},
	} {
		for to := range strings.FieldsSeq(kind.to) {
			list = append(list, form{strings.TrimSpace(kind.round + " " + to), kind.from, "Ds"})
		}
	}
	return append(list, form{"rn f16x2", "f32", "Xss"}, form{"rn bf16x2", "f32", "Xss"}, form{"rna tf32", "f32", "Xs"})
}

const memoryTypes = "u8 s8 u16 s16 b16 b32 u32 b64 u64 f32 f64"

func loads(operands string) []form {
	var list []form
	for _, space := range []string{"", "global", "shared", "local", "param"} {
		for _, order := range []string{"", "relaxed gpu", "relaxed cta", "release gpu"} {
			for _, width := range []string{"", "v2", "v4"} {
				if space == "param" && operands == "mv" {
					continue
				}
				if order != "" && width != "" || order != "" && (space == "local" || space == "param") {
					continue
				}
				modifiers := strings.Join(strings.Fields(order+" "+space+" "+width), " ")
				list = append(list, form{modifiers, memoryTypes, operands})
			}
		}
	}
	return list
}

func atomics() []form {
	var list []form
	kinds := map[string]string{"exch": untyped, "add": "u32 u64 f32", "and": untyped, "or": untyped, "xor": untyped,
		"max": integers, "min": integers, "cas": untyped}
	for _, space := range []string{"", "global", "shared"} {
		for _, order := range []string{"relaxed", "acquire"} {
			for scope := range strings.FieldsSeq(scopes) {
				for kind, types := range kinds {
					operands := "dma"
					if kind == "cas" {
						operands = "dmaa"
					}
					modifiers := strings.Join(strings.Fields(order+" "+scope+" "+space+" "+kind), " ")
					list = append(list, form{modifiers, types, operands})
				}
			}
		}
	}
	return list
}

// formOf returns the form of an instruction and its type, or nil.
func formOf(in *Instruction) (*form, string) {
	list := forms[in.Parts[0]]
	for i := range list {
		f := &list[i]
		rest, typ := in.Parts[1:], ""
		if f.types != "" {
			if len(rest) == 0 {
				continue
			}
			rest, typ = rest[:len(rest)-1], rest[len(rest)-1]
		}
		if strings.Join(rest, " ") == f.modifiers && (f.types == "" || slices.Contains(strings.Fields(f.types), typ)) {
			return f, typ
		}
	}
	return nil, ""
}
