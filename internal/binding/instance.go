package binding

// Instance returns a variant of a family as a kernel by itself.
func (k *Kernel) Instance(v *Variant) *Kernel {
	out := *k
	out.Name, out.Go, out.HostName = v.Name, v.Go, true
	out.Variants, out.Signatures, out.TypeParams, out.Numbers = nil, nil, nil, nil
	x := &instancer{variant: v, args: map[*Arg]*Arg{}, leaves: map[*Leaf]*Leaf{}}
	out.Args = make([]*Arg, len(k.Args))
	for i, a := range v.Signature.Args {
		own := *a
		out.Args[i], x.args[k.Args[i]] = &own, &own
	}
	out.Leaves = x.list(k.Leaves)
	for i, a := range k.Args {
		out.Args[i].Shape = x.expr(a.Shape)
	}
	if g := k.Geometry; g != nil {
		own := *g
		own.Threadgroups, own.Threads, own.Leaves = x.triple(g.Threadgroups), x.triple(g.Threads), x.list(g.Leaves)
		if g.Size != nil {
			size := x.triple(*g.Size)
			own.Size = &size
		}
		out.Geometry = &own
	}
	return &out
}

// instancer copies expressions, so that they are over the arguments of an instance.
type instancer struct {
	variant *Variant
	args    map[*Arg]*Arg
	leaves  map[*Leaf]*Leaf
}

func (x *instancer) list(leaves []*Leaf) []*Leaf {
	var out []*Leaf
	for _, l := range leaves {
		if l.Number == nil {
			out = append(out, x.leaf(l))
		}
	}
	return out
}

func (x *instancer) leaf(l *Leaf) *Leaf {
	if known := x.leaves[l]; known != nil {
		return known
	}
	own := *l
	own.Arg = x.args[l.Arg]
	if l.Arg.Generic() && l.Method == "" {
		own.GoType = own.Arg.GoType
	}
	x.leaves[l] = &own
	return &own
}

func (x *instancer) triple(e [3]Expr) [3]Expr {
	return [3]Expr{x.expr(e[0]), x.expr(e[1]), x.expr(e[2])}
}

func (x *instancer) expr(e Expr) Expr {
	switch e := e.(type) {
	case *Leaf:
		if e.Number != nil {
			return Lit(x.variant.Int(e.Number))
		}
		return x.leaf(e)
	case *Binary:
		return &Binary{Op: e.Op, X: x.expr(e.X), Y: x.expr(e.Y)}
	case *Call:
		own := &Call{Func: e.Func, Args: make([]Expr, len(e.Args))}
		for i, a := range e.Args {
			own.Args[i] = x.expr(a)
		}
		return own
	}
	return e
}
