package library

import (
	"sync"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// sequenceTemplates are the library's templates for numbers as a pack (<metal_utility>; C++14 20.5). Those that count
// are in madeSequences.
const sequenceTemplates = `
template <typename T, T... I> struct integer_sequence { using value_type = T; };
template <unsigned long... I> using index_sequence = metal::integer_sequence<unsigned long, I...>;
`

// MadeSequences are the library's names for the integer_sequence of the numbers from 0 on, with how many arguments say
// their type: that and how many numbers there are, the latter alone, or as many types as numbers.
var MadeSequences = map[string]int{"make_integer_sequence": 1, "make_index_sequence": 0, "index_sequence_for": 0}

type sequenceDecl struct{ Head, Whole *parser.Decl }

// SequenceDecls has the templates of sequences by name, parsed.
var SequenceDecls = sync.OnceValue(func() map[string]sequenceDecl {
	tokens, _ := preprocess.Scan("metal_utility", sequenceTemplates)
	source, _ := parser.Parse(&preprocess.Unit{Tokens: tokens})
	decls := map[string]sequenceDecl{}
	for _, d := range source.Decls {
		whole, err := source.Templated(d)
		if err != nil {
			panic(err)
		}
		d.From, d.To, whole.From, whole.To = 0, 0, 0, 0 // before all of a program
		decls[d.Template.Name] = sequenceDecl{d, whole}
	}
	return decls
})

// libraryStructs are the structs of the library that have the layout of Metal's own API:
// what kernels write for later commands.
const libraryStructs = `
struct MTLDispatchThreadgroupsIndirectArguments { uint threadgroupsPerGrid[3]; };
struct MTLDispatchThreadsIndirectArguments { uint threadsPerGrid[3]; uint threadsPerThreadgroup[3]; };
struct MTLStageInRegionIndirectArguments { uint stageInOrigin[3]; uint stageInSize[3]; };
struct MTLDrawPrimitivesIndirectArguments { uint vertexCount, instanceCount, vertexStart, baseInstance; };
struct MTLDrawIndexedPrimitivesIndirectArguments {
	uint indexCount, instanceCount, indexStart; int baseVertex; uint baseInstance; };
struct MTLDrawPatchIndirectArguments { uint patchCount, instanceCount, patchStart, baseInstance; };
struct MTLTriangleTessellationFactorsHalf { half edgeTessellationFactor[3]; half insideTessellationFactor; };
struct MTLQuadTessellationFactorsHalf { half edgeTessellationFactor[4]; half insideTessellationFactor[2]; };
`

// StructDecls are the structs of the library that have the layout of Metal's own API, parsed.
var StructDecls = sync.OnceValue(func() []*parser.Decl {
	tokens, _ := preprocess.Scan("metal_stdlib", libraryStructs)
	source, _ := parser.Parse(&preprocess.Unit{Tokens: tokens})
	for _, d := range source.Decls {
		d.From, d.To = 0, 0 // before all of a program
	}
	return source.Decls
})

// ListName is the name of the library's template for what refers to the values of braces.
const ListName = "initializer_list"
