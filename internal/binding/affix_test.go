package binding

import (
	"strings"
	"testing"
)

func TestKernelIsDroppedFromNamesThatAllHaveIt(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"before", "kernel void kernel_add() {}\nkernel void kernel_mul() {}", "", "Add Mul"},
		{"after", "kernel void add_kernel() {}\nkernel void mulKernel() {}", "", "Add Mul"},
		{"camel case", "kernel void kernelAdd() {}", "", "Add"},
		{"capital", "kernel void KernelAdd() {}", "", "Add"},
		{"underscores", "kernel void __kernel_add() {}", "", "Add"},
		{"not all", "kernel void kernel_add() {}\nkernel void mul() {}", "", "KernelAdd Mul"},
		{"before and after", "kernel void kernel_add() {}\nkernel void mul_kernel() {}", "", "KernelAdd MulKernel"},
		{"both", "kernel void kernel_add_kernel() {}", "", "AddKernel"},
		{"each source by itself", "kernel void kernel_add() {}", "kernel void mul() {}", "Add Mul"},
		{"nothing else", "kernel void kernel_() {}", "", "Kernel"},
		{"a number", "kernel void kernel_3d() {}", "", "Kernel3d"},
		{"another word", "kernel void kernels_add() {}\nkernel void subkernel() {}", "", "KernelsAdd Subkernel"},
		{"a type has it", "struct Add { int x; };\nkernel void kernel_add(constant Add& a) {}\n" +
			"kernel void kernel_mul() {}", "", "KernelAdd Mul"},
		{"a type has what follows", "struct AddArgs { int x; };\n" +
			"kernel void kernel_add(constant AddArgs& a) {}", "", "KernelAdd"},
		{"another kernel has it", "kernel void kernel_add() {}\nkernel void kernel_mul() {}", "kernel void add() {}",
			"KernelAdd Mul Add"},
		{"two would have it", "kernel void kernel_add() {}", "kernel void add_kernel() {}", "KernelAdd AddKernel"},
		{"arguments of another", "kernel void kernel_add_args() {}", "kernel void add() {}", "KernelAddArgs Add"},
		{"preload", "kernel void kernel_preload() {}", "", "KernelPreload"},
		{"an annotation keeps it", "// metalgen:name KernelAdd\nkernel void kernel_add() {}\nkernel void kernel_mul() {}", "",
			"KernelAdd Mul"},
		{"an annotation gives another", "// metalgen:name Sum\nkernel void add() {}\n" +
			"kernel void kernel_mul() {}", "", "Sum Mul"},
		{"a template", "template <typename T> kernel void kernel_add(device T* x) {}\n" +
			"template [[host_name(\"kernel_add_f\")]] kernel void kernel_add<float>(device float*);\n" +
			"template [[host_name(\"kernel_add_h\")]] kernel void kernel_add<half>(device half*);", "", "Add/AddF/AddH"},
		{"a template with other host names", "template <typename T> kernel void kernel_add(device T* x) {}\n" +
			"template [[host_name(\"add_f\")]] kernel void kernel_add<float>(device float*);\n" +
			"template [[host_name(\"add_h\")]] kernel void kernel_add<half>(device half*);", "", "KernelAdd/AddF/AddH"},
		{"an instance called like the template", "template <typename T> kernel void kernel_add(device T* x) {}\n" +
			"template [[host_name(\"kernel_add\")]] kernel void kernel_add<float>(device float*);\n" +
			"template [[host_name(\"kernel_add_h\")]] kernel void kernel_add<half>(device half*);", "", "Add/AddAdd/AddH"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := []Input{input(t, "a.metal", tt.a)}
			if tt.b != "" {
				inputs = append(inputs, input(t, "b.metal", tt.b))
			}
			pkg, errs := Build("gen", inputs, Options{})
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			if got := functionNames(pkg); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			long, _ := Build("gen", inputs, Options{LongNames: true})
			for _, s := range long.Sources {
				for _, k := range s.Kernels {
					if !k.named && k.Go != goName(k.Name) {
						t.Errorf("with long names %s is %s", k.Name, k.Go)
					}
				}
			}
		})
	}
}

// functionNames lists the functions of a package, each with its variants.
func functionNames(pkg *Package) string {
	var list []string
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			name := k.Go
			for _, v := range k.Variants {
				name += "/" + v.Go
			}
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}
