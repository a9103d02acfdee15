package library

// KernelInputs are the attributes of what Metal passes to each thread (section 5.2.3.6, table
// 5.8), with the number of components their types may have.
var KernelInputs = map[string]int{
	"thread_position_in_grid":             3,
	"thread_position_in_threadgroup":      3,
	"threadgroup_position_in_grid":        3,
	"threads_per_grid":                    3,
	"threads_per_threadgroup":             3,
	"threadgroups_per_grid":               3,
	"dispatch_threads_per_threadgroup":    3,
	"grid_origin":                         3,
	"grid_size":                           3,
	"thread_index_in_threadgroup":         1,
	"thread_index_in_simdgroup":           1,
	"simdgroup_index_in_threadgroup":      1,
	"simdgroups_per_threadgroup":          1,
	"threads_per_simdgroup":               1,
	"thread_execution_width":              1,
	"dispatch_simdgroups_per_threadgroup": 1,
	"dispatch_quadgroups_per_threadgroup": 1,
	"quadgroup_index_in_threadgroup":      1,
	"thread_index_in_quadgroup":           1,
	"quadgroups_per_threadgroup":          1,
}
