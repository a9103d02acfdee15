package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// What is known of a kernel without a look into its body but for its tokens: see package skim.

// Guards reads the guards off the beginning of a kernel's body.
func (p *Program) Guards(k *tree.Kernel) []skim.Bound { return skim.Guards(p.around(k), k) }

// SeenGuard returns the first condition that looks like a guard but is not one, or nil.
func (p *Program) SeenGuard(k *tree.Kernel) *skim.SeenGuard { return skim.NoGuard(p.around(k), k) }

// around returns the env in which a kernel is declared.
func (p *Program) around(k *tree.Kernel) resolve.Env { return p.resolver.At(p.kernels[k].namespace) }

// UsesAxis reports whether a kernel may look at a component of a built-in argument.
func (p *Program) UsesAxis(k *tree.Kernel, param *tree.Param, axis int) bool {
	return skim.UsesAxis(p.Tree, k, param, axis)
}

// AccessOf returns what a kernel may do with a buffer or a texture.
func (p *Program) AccessOf(k *tree.Kernel, param *tree.Param) skim.Access {
	return skim.AccessOf(p.resolver, k, param)
}

// UsesName reports whether a kernel's signature, its body or anything they
// mention, directly or not, mentions a name. Names are compared without their
// namespaces, so the answer may be yes where it is no, but not the reverse.
func (p *Program) UsesName(k *tree.Kernel, name string) bool {
	return p.mention(k, resolve.Unqualified(name)) != nil
}

// UsedConstants lists the function constants for which UsesName holds.
func (p *Program) UsedConstants(k *tree.Kernel) []*tree.FunctionConstant {
	return p.mentions.Constants(k.Decl, p.kernels[k].instantiation, p.Constants)
}

// UsesSimdgroups reports whether a kernel's signature, its body or anything they mention, directly or not, uses what
// depends on how many threads a simd-group has. As with UsesName, the answer may be yes where it is no.
func (p *Program) UsesSimdgroups(k *tree.Kernel) bool {
	return p.mentions.OfSimdgroups(k.Decl, p.kernels[k].instantiation) != nil
}

// mention finds one of some names among those that a kernel mentions, or nil.
func (p *Program) mention(k *tree.Kernel, names ...string) *parser.Token {
	return p.mentions.Of(k.Decl, p.kernels[k].instantiation, names...)
}
