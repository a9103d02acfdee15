package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Overload is a function of the library for one type of its arguments.
type Overload struct {
	Name   string
	Params []*tree.Type
	Refs   []bool // of Params: variables that the function writes
	Result *tree.Type
}

// Overloads lists the functions of the library that have signatures, for all scalars that
// T stands for, and for a vector of three where it stands for vectors only.
func Overloads() []Overload {
	var list []Overload
	for _, row := range builtinTable {
		sig := parseSignature(row.sig, row.class)
		for name := range strings.FieldsSeq(row.names) {
			if row.class == 0 {
				list = append(list, sig.overload(name, nil))
			}
			for k := tree.Bool; k <= tree.Float; k++ {
				n := 1
				if row.class&(vectors|threes) != 0 {
					n = 3
				}
				if row.class.Has(k) && row.class != 0 {
					list = append(list, sig.overload(name, tree.VectorType(k, n)))
				}
			}
		}
	}
	return list
}

// overload returns the function for what T stands for.
func (s *signature) overload(name string, t *tree.Type) Overload {
	o := Overload{Name: name, Result: Settled(s.Result, t)}
	for _, p := range s.Params {
		o.Params = append(o.Params, Settled(p.Type, t))
		o.Refs = append(o.Refs, p.Ref)
	}
	return o
}
