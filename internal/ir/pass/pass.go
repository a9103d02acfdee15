package pass

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
)

// Pass is a pass by its name.
type Pass struct {
	Name string
	run  func(k *ir.Kernel, o *Options)
	// Needed is set for what machines rely on: it can't be left out.
	Needed bool
}

// Order is the order in which passes run.
var Order = []Pass{
	{Name: "values", run: values, Needed: true},
	{Name: "simplify", run: simplify},
	{Name: "common", run: common},
	{Name: "unroll", run: unroll},
	{Name: "simplify", run: simplify},
	{Name: "dead", run: dead}, // pointers into arrays that accesses do without
	{Name: "arrays", run: arrays},
	{Name: "values", run: values, Needed: true},
	{Name: "simplify", run: simplify},
	{Name: "common", run: common},
	{Name: "speculate", run: speculate},
	{Name: "bits", run: bits},
	{Name: "invariant", run: invariant},
	{Name: "plain", run: plain},
	{Name: "dead", run: dead},
}

// Options say how passes run.
type Options struct {
	// Without are the names of passes that are left out.
	Without map[string]bool
	// Uninit has passes keep apart what the sanitizer tells apart: which accesses to arrays there are, and what a
	// thread branches on.
	Uninit bool
	// NaN has passes leave alone which operations on floats threads carry out.
	NaN bool
	// Hoist says that constant arguments are there, and loaded whether or not a thread comes to where it needs them.
	Hoist bool
	// Invariant has loops compute once what is the same in all turns, for machines whose own compiler does not.
	Invariant bool
	// Plain has functions of integers spelled out, for machines that lack them.
	Plain bool
	// Stop is asked now and then whether the kernel is of no use any more, if it is not nil.
	Stop func() bool
}

// Each is called after each pass of any Run, if it is not nil. Package verified sets it for tests.
var Each func(p Pass, k *ir.Kernel) error

// Run runs the passes. It ends with [ir.ErrStopped] where Options.Stop says so: then the kernel is of no use.
func Run(k *ir.Kernel, o Options) error {
	for _, p := range Order {
		if o.Without[p.Name] && !p.Needed {
			continue
		}
		p.run(k, &o)
		if Each != nil {
			if err := Each(p, k); err != nil {
				return fmt.Errorf("after pass %s: %w", p.Name, err)
			}
		}
		if o.Stop != nil && o.Stop() {
			return ir.ErrStopped
		}
	}
	return nil
}
