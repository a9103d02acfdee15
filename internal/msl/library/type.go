package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// OpaqueTypes are types of the library without a layout in memory, by the first part of
// their name.
var OpaqueTypes = makeOpaqueTypes()

func makeOpaqueTypes() map[string]tree.Kind {
	m := map[string]tree.Kind{"sampler": tree.Sampler}
	for name := range TextureTypes {
		m[name] = tree.Texture
	}
	for name := range strings.FieldsSeq(`imageblock command_buffer compute_pipeline_state render_pipeline_state
		primitive_acceleration_structure instance_acceleration_structure acceleration_structure
		intersection_function_table visible_function_table patch_control_point mesh_grid_properties os_log
		array_ref rasterization_rate_map_data rasterization_rate_map_decoder`) {
		m[name] = tree.Opaque
	}
	return m
}

// PlainTemplates are the templates of the library that name plain types, with
// the number of their arguments: a type, then sizes.
var PlainTemplates = map[string]int{"vec": 2, "packed_vec": 2, "array": 2, "matrix": 3, "simdgroup_matrix": 3,
	"atomic": 1, "_atomic": 1, "uniform": 1, ListName: 1}
