package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// Sampler is the kind of samplers, and of arrays of them.
var Sampler ArgKind = sampler{}

type sampler struct{}

var goSampler = &Basic{Pkg: RuntimePath, Name: "Sampler", Size: 8}

func (sampler) String() string { return "sampler" }

func (sampler) Field(a *Arg) string { return a.GoType.String() }

func (sampler) takes(p *tree.Param) bool { return p.Kind == tree.SamplerParam }

func (sampler) goType(_ *types, p *tree.Param) (GoType, error) {
	return handles(p, func(*tree.Type) GoType { return goSampler })
}

func (sampler) complete(_ *kernelBuilder, p *tree.Param, a *Arg) { a.setHandle(p) }

var samplerRules = rules{turn: resourceTurn}

func (sampler) rules() *rules { return &samplerRules }

func (sampler) describe(a *Arg, d *Description) { d.describeHandle(a) }
