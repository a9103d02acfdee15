// Package gen_test tests the package that metalgen makes of this repo's shaders.
//
// What is about one kernel is in the file named after its shader: norm_test.go has
// the kernels of shaders/norm.metal. Each of these files has a table with every
// kernel of the shader, in which the calls are written down as the shader
// documents them, buffer by buffer; fixture_test.go makes the calls on a device
// that records, and compares. What is true of generated code as such is in
// validation_test.go, geometry_test.go and alloc_test.go.
//
// Files named numeric_..._test.go run kernels and compare numbers. device_test.go says
// on which device, and driver_test.go is about the Metal driver.
package gen_test
