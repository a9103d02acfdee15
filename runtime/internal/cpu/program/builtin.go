package program

// BuiltinValue is a kernel argument that says where a thread is, with the registers of its elements.
type BuiltinValue struct {
	Attribute string
	Regs      []int32
}

// Builtins are the attributes of such arguments (section 5.2.3.6): true for one that is the same for a simd-group in
// all threadgroups of a dispatch, unless the kernel changes it.
var Builtins = map[string]bool{
	"thread_position_in_grid": false, "thread_position_in_threadgroup": false,
	"threadgroup_position_in_grid": false, "threads_per_threadgroup": false,
	"simdgroups_per_threadgroup": false, "quadgroups_per_threadgroup": false,
	"dispatch_threads_per_threadgroup": true, "threadgroups_per_grid": true, "threads_per_grid": true,
	"grid_size": true, "grid_origin": true, "simdgroup_index_in_threadgroup": true,
	"threads_per_simdgroup": true, "thread_execution_width": true,
	"dispatch_simdgroups_per_threadgroup": true, "dispatch_quadgroups_per_threadgroup": true,
	"thread_index_in_threadgroup": true, "thread_index_in_simdgroup": true, "thread_index_in_quadgroup": true,
	"quadgroup_index_in_threadgroup": true,
}
