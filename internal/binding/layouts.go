package binding

import "slices"

// listFields says which lists of fields the generated files declare: one for each
// struct that a buffer or value has, and for the structs within. A struct of several
// sources has one, in the first; but where sources lay out one Go type in two ways
// that Metal distinguishes, as uint[4] and packed_uint4, each way has its own.
//
// Metal's reflection says nothing of a union, a bit-field or a base that could be
// compared: what has them has no list.
func listFields(pkg *Package) {
	vars := names{}
	listed := map[string][]*Struct{} // by Go name
	for _, s := range pkg.Sources {
		var list func(st *Struct)
		list = func(st *Struct) {
			if st == nil || st.Var != "" || len(st.Fields) == 0 || st.rearranged {
				return
			}
			for _, f := range st.Fields {
				list(StructIn(f.GoType))
			}
			same := slices.IndexFunc(listed[st.Go], func(other *Struct) bool { return sameFields(st, other) })
			if same >= 0 {
				st.Var = listed[st.Go][same].Var
				return
			}
			// The suffix keeps these names apart from all others of the package.
			st.Var = vars.unique(lowerFirst(st.Go)+"Fields", "_")
			listed[st.Go] = append(listed[st.Go], st)
			s.Layouts = append(s.Layouts, st)
		}
		for _, k := range s.Kernels {
			for _, a := range k.described() {
				if a.Kind.rules().typed {
					list(a.Struct)
				}
				if a.Element != nil {
					list(StructIn(a.GoType))
				}
			}
		}
	}
}

// sameFields reports whether two structs are one for Metal. Those within them have
// their Var already.
func sameFields(a, b *Struct) bool {
	return slices.EqualFunc(a.Fields, b.Fields, func(x, y *Field) bool {
		return x.Name == y.Name && x.Plain == y.Plain && x.Offset == y.Offset && x.Points == y.Points &&
			x.Beyond == y.Beyond && fieldsVar(StructIn(x.GoType)) == fieldsVar(StructIn(y.GoType))
	})
}

func fieldsVar(st *Struct) string {
	if st == nil {
		return ""
	}
	return st.Var
}
