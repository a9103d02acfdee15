package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Enums are the enums of the library that compute functions take.
var Enums = makeLibraryEnums()

func makeLibraryEnums() map[string]*tree.Type {
	const (
		filters   = "nearest=0 linear=1"
		addresses = "clamp_to_zero=0 clamp_to_edge=1 repeat=2 mirrored_repeat=3 clamp_to_border=4"
	)
	m := map[string]*tree.Type{}
	for _, e := range []struct {
		name, under   string
		scoped, flags bool
		values        string
	}{
		{"mem_flags", "uint", true, true,
			"mem_none=0 mem_device=1 mem_threadgroup=2 mem_texture=4 mem_threadgroup_imageblock=8 mem_object_data=16"},
		{"memory_order", "int", false, false,
			"memory_order_relaxed=0 memory_order_acquire=2 memory_order_release=3 memory_order_acq_rel=4 " +
				"memory_order_seq_cst=5"},
		{"thread_scope", "int", false, false,
			"thread_scope_thread=0 thread_scope_simdgroup=1 thread_scope_threadgroup=2 thread_scope_device=3 " +
				"thread_scope_system=4"},
		{"log_type", "uint", false, false,
			"log_type_debug=0 log_type_info=1 log_type_default=2 log_type_error=3 log_type_fault=4"},

		// textures and samplers
		{"access", "int", true, false, "sample=0 read=1 write=2 read_write=3"},
		{"memory_coherence", "int", false, false, "memory_coherence_threadgroup=0 memory_coherence_device=1"},
		{"component", "int", true, false, "x=0 y=1 z=2 w=3"},
		{"coord", "int", true, false, "normalized=0 pixel=1"},
		{"address", "int", true, false, addresses},
		{"s_address", "int", true, false, addresses},
		{"t_address", "int", true, false, addresses},
		{"r_address", "int", true, false, addresses},
		{"border_color", "int", true, false, "transparent_black=0 opaque_black=1 opaque_white=2"},
		{"filter", "int", true, false, filters},
		{"min_filter", "int", true, false, filters},
		{"mag_filter", "int", true, false, filters},
		{"mip_filter", "int", true, false, "none=0 nearest=1 linear=2"},
		{"compare_func", "int", true, false,
			"none=0 less=1 less_equal=2 greater=3 greater_equal=4 equal=5 not_equal=6 always=7 never=8"},
		{"reduction", "int", true, false, "weighted_average=0 minimum=1 maximum=2"},
	} {
		under := tree.Named(e.under)
		t := *under
		t.Kind, t.Name = tree.EnumType, e.name
		t.Enum = &tree.Enum{Name: e.name, Under: under, Scoped: e.scoped, Flags: e.flags}
		for v := range strings.FieldsSeq(e.values) {
			name, number, _ := strings.Cut(v, "=")
			n, _, _, _ := parser.Integer(number)
			t.Enum.Values = append(t.Enum.Values, tree.EnumValue{Name: name, Value: tree.IntValue(under.Scalar, n)})
		}
		m[e.name] = &t
	}
	return m
}

// OrdinaryWords are names of enums that sources have for variables of their own, as they
// have bias and level. A bare one is no type to the parser: (filter) - x is no cast.
var OrdinaryWords = map[string]bool{"access": true, "address": true, "component": true, "coord": true, "filter": true,
	"reduction": true}

// libraryEnumerator is a value of an enum of the library.
type libraryEnumerator struct {
	tree.EnumValue
	enum *tree.Type
}

// libraryEnumerators are those values by what a source calls them, without metal::.
var libraryEnumerators = makeLibraryEnumerators()

func makeLibraryEnumerators() map[string]*libraryEnumerator {
	m := map[string]*libraryEnumerator{}
	for name, t := range Enums {
		for _, v := range t.Enum.Values {
			m[name+"::"+v.Name] = &libraryEnumerator{v, t}
			if !t.Enum.Scoped {
				m[v.Name] = &libraryEnumerator{v, t}
			}
		}
	}
	return m
}

// Enumerator returns the value of an enum of the library that a name without metal::
// means, or nil.
func Enumerator(path parser.Path) *libraryEnumerator {
	return libraryEnumerators[strings.Join(path, "::")]
}
