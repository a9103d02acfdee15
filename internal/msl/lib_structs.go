package msl

import (
	"strings"
	"sync"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

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

var libraryDecls = sync.OnceValue(func() []*parser.Decl {
	tokens, _ := preprocess.Scan("metal_stdlib", libraryStructs)
	source, _ := parser.Parse(&preprocess.Unit{Tokens: tokens})
	for _, d := range source.Decls {
		d.From, d.To = 0, 0 // before all of a program
	}
	return source.Decls
})

// libraryStructNamed declares the struct of the library that a name stands for, or
// returns nil.
func libraryStructNamed(in env, path parser.Path) *symbol {
	path = libraryPath(path)
	if len(path) != 1 || !strings.HasPrefix(path[0], "MTL") {
		return nil
	}
	for _, d := range libraryDecls() {
		if d.Struct.Name == path[0] {
			declarer{in, in.r.symbols}.declare(d)
			return in.r.symbols[path[0]]
		}
	}
	return nil
}
