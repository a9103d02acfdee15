package library

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// The library has more than compute kernels on buffers need: fragments, sampling, ray
// tracing. metalgen knows no more of it than names. A source that has them is no mistake,
// but its functions cannot be checked.

// beyondFunctions are functions and options of calls.
var beyondFunctions = WordSet(`dfdx dfdy fwidth discard_fragment get_num_samples get_sample_position level bias
	gradient2d gradient3d gradientcube min_lod_clamp ray`)

// beyondTypes are types, and the namespace of ray tracing.
var beyondTypes = WordSet(`raytracing ray component intersector intersection_query intersection_params
	intersection_result intersection_type geometry_type forced_opacity opacity_cull_mode triangle_cull_mode
	geometry_cull_mode curve_type curve_basis interpolant render_command compute_command mesh sparse_color
	tensor dextents extents cooperative_tensor tensor_handle tensor_inline tensor_offset mpp tensor_ops`)

// InMetal reports whether a path is that of a name of the library, if it has such a name.
func InMetal(path parser.Path) bool {
	path = Path(path)
	return len(path) == 1 || len(path) == 2 && path[0] == "raytracing"
}

// beyondName reports whether a name without a meaning may be one of the library: one that
// begins with an underscore, or one of or in the types above.
func beyondName(path parser.Path) bool {
	last := path[len(path)-1]
	return strings.HasPrefix(last, "_") || len(path) > 1 &&
		slices.ContainsFunc(path, func(name string) bool { return beyondTypes[name] })
}

// BeyondValue is beyondName for what stands for a value: of those in the library, which
// are few, one underscore begins none.
func BeyondValue(path parser.Path) bool {
	return beyondName(path) && (len(path) > 1 || strings.HasPrefix(path[0], "__"))
}

// BeyondType is beyondName for what stands where a type does.
func BeyondType(path parser.Path) bool { return beyondName(path) || beyondTypes[path[len(path)-1]] }

// BeyondFunction is beyondName for what is called.
func BeyondFunction(path parser.Path) bool {
	return beyondName(path) || beyondFunctions[path[len(path)-1]]
}
