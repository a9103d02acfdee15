package build

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// parameter begins the variable of a kernel's parameter.
func (vars *variables) parameter(param *tree.Param, v *tree.Var) {
	vars.out.At(param.Pos)
	switch param.Kind {
	case tree.BufferParam:
		kind := ir.PassedValue
		if param.Pointer {
			kind = ir.Buffer
		}
		vars.beginArgument(kind, param, v)
	case tree.ThreadgroupParam:
		vars.beginArgument(ir.GroupArgument, param, v)
	case tree.TextureParam:
		vars.beginHandles(ir.TextureArgument, param, v)
	case tree.SamplerParam:
		vars.beginHandles(ir.SamplerArgument, param, v)
	case tree.BuiltinParam:
		vars.beginInput(param, v)
	default:
		vars.out.unsupported(param.Pos, "a "+param.Kind.String()+" argument")
	}
}

// beginArgument begins the variable of a parameter as a pointer or a reference to the
// memory of its argument.
func (vars *variables) beginArgument(kind ir.ObjectKind, param *tree.Param, v *tree.Var) {
	space := ir.SpaceNamed(param.Space)
	object, ok := vars.shared[v]
	if !ok {
		o := &ir.Object{
			Kind: kind, Name: param.Name, Space: space, Index: param.Index, Pos: param.Pos, Elem: param.Type,
			ReadOnly: param.Const || space == ir.ConstantSpace, Optional: param.Optional, Routine: -1,
		}
		if !param.Pointer {
			o.Whole, o.Size = param.Type, param.Type.Size
		}
		object = vars.out.AddObject(o)
		vars.shared[v] = object
	}
	if v.Ref {
		p := ofObject(v.Type, object, space)
		vars.places[v] = &p
		return
	}
	vars.beginWith(v, vars.out.single(vars.out.address(object)))
}

// beginHandles begins the variable of a parameter that is a texture or a sampler, or an
// array of them, each an object of its own.
func (vars *variables) beginHandles(kind ir.ObjectKind, param *tree.Param, v *tree.Var) {
	if param.Type.Kind != tree.Array {
		vars.beginArgument(kind, param, v)
		return
	}
	object, ok := vars.shared[v]
	if !ok {
		table := objectOf(ir.Table, param.Name, param.Type, param.Pos)
		for i := range param.Type.Len {
			table.Handles = append(table.Handles, vars.out.AddObject(&ir.Object{
				Kind: kind, Name: fmt.Sprintf("%s[%d]", param.Name, i), Index: param.Index, Element: i,
				Elem: param.Type.Elem, Optional: param.Optional, Routine: -1,
			}))
		}
		object = vars.out.AddObject(table)
		vars.shared[v] = object
	}
	p := ofObject(v.Type, object, ir.Thread)
	vars.places[v] = &p
}

// inputs are the attributes of arguments that say where a thread is (section 5.2.3.6).
var inputs = map[string]bool{
	"thread_position_in_grid": true, "thread_position_in_threadgroup": true,

	"threadgroup_position_in_grid": true, "threads_per_threadgroup": true,

	"dispatch_threads_per_threadgroup": true, "threadgroups_per_grid": true, "threads_per_grid": true,
	"grid_size": true, "grid_origin": true,

	"simdgroups_per_threadgroup": true, "quadgroups_per_threadgroup": true,
	"dispatch_simdgroups_per_threadgroup": true, "dispatch_quadgroups_per_threadgroup": true,

	"simdgroup_index_in_threadgroup": true, "quadgroup_index_in_threadgroup": true,
	"thread_index_in_threadgroup": true, "thread_index_in_simdgroup": true, "thread_index_in_quadgroup": true,

	"threads_per_simdgroup": true, "thread_execution_width": true,
}

// beginInput begins the variable of a parameter that says where a thread is.
func (vars *variables) beginInput(param *tree.Param, v *tree.Var) {
	if !inputs[param.Attribute] {
		vars.out.unsupported(param.Pos, "[["+param.Attribute+"]]")
	}
	x := vars.out.newValue(countLeaves(param.Type))
	for i := range x {
		x[i] = vars.consts.input(param.Attribute, i)
	}
	vars.begin(v, x, param.Pos)
}

// input returns a component of an attribute.
func (c *constants) input(attribute string, component int) ir.Value {
	in := ir.Input{Attribute: attribute, Component: component}
	n := slices.Index(c.out.Inputs, in)
	if n < 0 {
		n = len(c.out.Inputs)
		c.out.Inputs = append(c.out.Inputs, in)
	}
	return c.out.opImm(ir.OpInput, ir.I32, int64(n))
}

// functionConstant returns the value of a constant that comes with the pipeline.
func (c *constants) functionConstant(from *tree.FunctionConstant, pos parser.Pos) value {
	first, leaves := c.constantNumber(from, pos)
	v := c.out.newValue(len(leaves))
	for i, l := range leaves {
		v[i] = c.out.opImm(ir.OpConstant, l.held(), int64(first+i))
	}
	return v
}

// constantNumber returns the number of the first scalar of a function constant, and its leaves.
func (c *constants) constantNumber(from *tree.FunctionConstant, pos parser.Pos) (first int, leaves []leaf) {
	leaves = c.out.leavesOf(from.Type, pos)
	number := ir.FunctionConstant{Name: from.Name, Index: from.Index, Kind: ir.ScalarOf(leaves[0].kind)}
	if first = slices.Index(c.out.Constants, number); first >= 0 {
		return first, leaves
	}
	first = len(c.out.Constants)
	for i, l := range leaves {
		c.out.Constants = append(c.out.Constants,
			ir.FunctionConstant{Name: from.Name, Index: from.Index, Component: i, Kind: ir.ScalarOf(l.kind)})
	}
	return first, leaves
}
