package binding

// A buffer that a kernel writes is made by the caller, who needs its length: where the source states that as more than
// one number, the package has a function that computes it.

// nameLengths names the functions of lengths. What has such a name already keeps it.
func nameLengths(pkg *Package, taken owners) {
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			for _, a := range k.Args {
				if !a.made() {
					continue
				}
				a.Len = unused(k.Go+a.Go+"Len", "_", taken.has)
				taken[a.Len] = owner{"the length of argument " + a.Name, a.ShapeFrom}
			}
		}
	}
}

// made reports whether the argument is a buffer that callers make for results, of a length that is computed from what
// is known without the buffer and the grid.
func (a *Arg) made() bool {
	if a.Kind != Buffer || a.Access == Read || !a.HasLength() {
		return false
	}
	computed, known := false, true
	numbers := 0
	Walk(a.Shape, func(e Expr) {
		switch e := e.(type) {
		case TGSize:
			known = false
		case *Leaf:
			numbers++
			known = known && e.Arg != a
		case *Binary, *Call:
			computed = true
		}
	})
	return computed && known && numbers > 0
}

// LeavesOf returns the numbers that an expression is computed from, in the order of those of the kernel.
func (k *Kernel) LeavesOf(e Expr) []*Leaf {
	used := map[*Leaf]bool{}
	markLeaves(e, used)
	return k.usedLeaves(used)
}

func (k *Kernel) usedLeaves(used map[*Leaf]bool) []*Leaf {
	var list []*Leaf
	for _, l := range k.Leaves {
		if used[l] {
			list = append(list, l)
		}
	}
	return list
}
