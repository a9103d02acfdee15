package msl

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// TestTextureTypes checks the types of parameters: their names, and the form, the access and
// the number of indexes that they have.
func TestTextureTypes(t *testing.T) {
	tests := []struct{ param, want string }{
		{"texture1d<half> t", "texture1d<half> 0 sample half 1"},
		{"texture1d_array<int, access::read> t", "texture1d_array<int, access::read> 1 read int 1"},
		{"texture2d<float, access::sample> t", "texture2d<float> 2 sample float 1"},
		{"metal::texture2d<uint32_t, metal::access::read_write> t",
			"texture2d<uint, access::read_write> 2 read_write uint 1"},
		{"texture2d_array<short, access::write> t", "texture2d_array<short, access::write> 3 write short 1"},
		{"texture2d_ms<float> t", "texture2d_ms<float> 4 read float 1"},
		{"texture2d_ms<float, access::read> t", "texture2d_ms<float> 4 read float 1"},
		{"texturecube<float> t", "texturecube<float> 5 sample float 1"},
		{"texturecube_array<ushort> t", "texturecube_array<ushort> 6 sample ushort 1"},
		{"texture3d<ulong, access::read_write> t", "texture3d<ulong, access::read_write> 7 read_write ulong 1"},
		{"texture2d_ms_array<float> t", "texture2d_ms_array<float> 8 read float 1"},
		{"texture_buffer<uint> t", "texture_buffer<uint> 9 read uint 1"},
		{"texture_buffer<uint, access::read_write> t", "texture_buffer<uint, access::read_write> 9 read_write uint 1"},
		{"depth2d<float> t", "depth2d<float> 2 sample float 1 depth"},
		{"depth2d_array<float, access::read> t", "depth2d_array<float, access::read> 3 read float 1 depth"},
		{"depth2d_ms<float> t", "depth2d_ms<float> 4 read float 1 depth"},
		{"depth2d_ms_array<float> t", "depth2d_ms_array<float> 8 read float 1 depth"},
		{"depthcube<float> t", "depthcube<float> 5 sample float 1 depth"},
		{"depthcube_array<float> t", "depthcube_array<float> 6 sample float 1 depth"},
		{"texture2d<float, access::sample, memory_coherence_threadgroup> t", "texture2d<float> 2 sample float 1"},
		{"texture2d<float, access::sample, memory_coherence::memory_coherence_device> t",
			"texture2d<float, access::sample, memory_coherence_device> 2 sample float 1 coherent"},
		{"texture2d<Elem, writes> t", "texture2d<half, access::write> 2 write half 1"},
		{"Image t", "texture2d<half> 2 sample half 1"},
		{"array<texture2d<float>, 3> t", "texture2d<float>[3] 2 sample float 3"},
		{"const array<array<texture2d<float>, 2>, 3> t", "texture2d<float>[3][2] 2 sample float 6"},
	}
	for _, tt := range tests {
		p := mustAnalyze(t, "using namespace metal;\ntypedef half Elem; using Image = texture2d<Elem>; "+
			"constant constexpr access writes = access::write;\nkernel void k("+tt.param+") {}")
		param := p.Kernels[0].Params[0]
		texture := types.Bare(param.Type)
		got := fmt.Sprintf("%s %d %s %s %d", param.Type, texture.Texture.Form, texture.Texture.Access, texture.Scalar,
			textureArg.count(param))
		if texture.Texture.Depth {
			got += " depth"
		}
		if texture.Texture.Coherent {
			got += " coherent"
		}
		if got != tt.want || texture.Size != 8 || texture.Align != 8 || param.Kind != tree.TextureParam {
			t.Errorf("%s:\ngot  %s, %d bytes\nwant %s", tt.param, got, texture.Size, tt.want)
		}
		access := p.AccessOf(p.Kernels[0], param)
		want := skim.Access{Read: texture.Texture.Access != tree.WriteAccess, Write: strings.Contains(tt.want, "write")}
		if access != want {
			t.Errorf("%s: access %v, want %v", tt.param, access, want)
		}
	}
}

// texturePrelude begins the kernel of the tests of methods, with a parameter of each form.
const texturePrelude = `#include <metal_stdlib>
using namespace metal;
template <typename T, access A> vec<T, 4> at(texture2d<T, A> t, uint2 p) { return t.read(p); }
template <typename T> void put(texture2d<T, access::write> t, uint2 p) { t.write(vec<T, 4>(1), p); }
float4 through(texture2d<float> t, sampler s, float2 p) { return t.sample(s, p); }
texture2d<float> pick(bool b, texture2d<float> x, texture2d<float> y) { return b ? x : y; }
struct Both { texture2d<float> t; sampler s; };
float4 both(Both b) { return b.t.sample(b.s, 0.5f); }
constexpr sampler outer(coord::pixel, filter::linear);
kernel void k(texture1d<float, access::read_write> t1, texture1d_array<half, access::read_write> t1a,
    texture2d<float> t2, texture2d<half, access::read_write> rw, texture2d<float, access::write> w,
    texture2d_array<float> t2a, texture2d_ms<float> ms, texture2d_ms_array<int> msa, texture3d<float> t3,
    texturecube<half> tc, texture2d_array<uint, access::read_write> au,
    texture_buffer<uint, access::read_write> tb, texture2d<ulong, access::read_write> al,
    depth2d<float> d2, depthcube_array<float> dca, texturecube_array<float, access::read_write> tca,
    array<texture2d<float>, 4> list, sampler s, array<sampler, 2> ss,
    uint2 g [[thread_position_in_grid]], ushort2 h [[thread_position_in_threadgroup]],
    uint i [[thread_index_in_threadgroup]]) {
`

// TestTextureCalls checks what calls of methods come to.
func TestTextureCalls(t *testing.T) {
	tests := []struct{ source, want string }{
		{"t2.read(g);", "t2.read(coord g, level 0:uint):float4"},
		{"t2.read(h, 2);", "t2.read(coord uint2(h), level 2:uint):float4"},
		{"rw.write(half4(0), h);", "rw.write(coord uint2(h), level 0:uint, value half4(0:half)):void"},
		{"w.write(1, g, 1);", "w.write(coord g, level 1:uint, value float4(1:float)):void"},
		{"t1.read(i);", "t1.read(coord i, level 0:uint):float4"},
		{"t1a.read(i, 3u);", "t1a.read(coord i, index 3:uint, level 0:uint):half4"},
		{"t2a.read(g, i, 1);", "t2a.read(coord g, index i, level 1:uint):float4"},
		{"ms.read(g, 3);", "ms.read(coord g, sample 3:uint):float4"},
		{"msa.read(h, 1, 3);", "msa.read(coord uint2(h), index 1:uint, sample 3:uint):int4"},
		{"tc.read(g, 5);", "tc.read(coord g, face 5:uint, level 0:uint):half4"},
		{"tca.write(float4(0), g, 5, i);",
			"tca.write(coord g, face 5:uint, index i, level 0:uint, value float4(0:float)):void"},
		{"tb.read(7);", "tb.read(coord 7:uint):uint4"},
		{"tb.write(uint4(0), i);", "tb.write(coord i, value uint4(0:uint)):void"},
		{"d2.read(g);", "d2.read(coord g, level 0:uint):float"},
		{"t2.sample(s, float2(0));", "t2.sample(sampler s, coord float2(0:float)):float4"},
		{"t2.sample(s, float2(0), int2(1));", "t2.sample(sampler s, coord float2(0:float), offset int2(1:int)):float4"},
		{"t2.sample(s, float2(0), level(2), int2(1));",
			"t2.sample(sampler s, coord float2(0:float), level 2:float, offset int2(1:int)):float4"},
		{"t2a.sample(s, float2(0), i, min_lod_clamp(1.5f));",
			"t2a.sample(sampler s, coord float2(0:float), index i, min 1.5:float):float4"},
		{"t3.sample(s, float3(0), gradient3d(float3(1), float3(2)), min_lod_clamp(1));",
			"t3.sample(sampler s, coord float3(0:float), dx float3(1:float), dy float3(2:float), min 1:float):float4"},
		{"tc.sample(s, float3(1));", "tc.sample(sampler s, coord float3(1:float)):half4"},
		{"dca.sample(s, float3(1), 2);", "dca.sample(sampler s, coord float3(1:float), index 2:uint):float"},
		{"d2.sample_compare(s, float2(0), 0.5f, level(1));",
			"d2.sample_compare(sampler s, coord float2(0:float), level 1:float, compare 0.5:float):float"},
		{"t2.gather(s, float2(0));", "t2.gather(sampler s, coord float2(0:float)):float4"},
		{"t2.gather(s, float2(0), int2(1), component::w);",
			"t2.gather(sampler s, coord float2(0:float), offset int2(1:int), component 3):float4"},
		{"tc.gather(s, float3(0), component::y);", "tc.gather(sampler s, coord float3(0:float), component 1):half4"},
		{"d2.gather(s, float2(0));", "d2.gather(sampler s, coord float2(0:float)):float4"},
		{"d2.gather_compare(s, float2(0), 1);",
			"d2.gather_compare(sampler s, coord float2(0:float), compare 1:float):float4"},
		{"t2.get_width();", "t2.width(level 0:uint):uint"},
		{"t2.get_height(i);", "t2.height(level i):uint"},
		{"t3.get_depth();", "t3.depth(level 0:uint):uint"},
		{"tb.get_width();", "tb.width():uint"},
		{"ms.get_width();", "ms.width():uint"},
		{"t2a.get_array_size();", "t2a.array_size():uint"},
		{"t2.get_num_mip_levels();", "t2.levels():uint"},
		{"ms.get_num_samples();", "ms.samples():uint"},
		{"rw.fence();", "rw.fence():void"},
		{"au.atomic_load(g, 1);", "au.atomic load(coord g, index 1:uint):uint4"},
		{"au.atomic_store(uint4(1), g, 1);", "au.atomic store(coord g, index 1:uint, value uint4(1:uint)):void"},
		{"au.atomic_fetch_max(g, 1, 2u);", "au.atomic fetch_max(coord g, index 1:uint, value uint4(2:uint)):uint4"},
		{"tb.atomic_exchange(h.x, 2u);", "tb.atomic exchange(coord uint(h.x), value uint4(2:uint)):uint4"},
		{"uint4 e; au.atomic_compare_exchange_weak(g, 1, &e, 2u);",
			"e<uint4 addressed>; au.atomic compare_exchange_weak(coord g, index 1:uint, value &e, value uint4(2:uint)):bool"},
		{"al.atomic_max(g, ulong4(1));", "al.atomic max(coord g, value ulong4(1:ulong)):void"},
		{"is_null_texture(t2);", "t2.is_null():bool"},
		{"list[i].sample(ss[1], float2(0));", "list[i].sample(sampler ss[1:int], coord float2(0:float)):float4"},
		{"list.size();", "4:ulong"},
		{"texture2d<float> t = list[0]; t.read(g);",
			"t<texture2d<float>> = list[0:int]; t.read(coord g, level 0:uint):float4"},
		{"at(t2, g);", "at<float, 0>(t2, g)"},
		{"at(rw, g);", "at<half, 3>(rw, g)"},
		{"put(w, g);", "put<float>(w, g)"},
		{"through(pick(i > 1, t2, list[2]), s, 0.5f);",
			"through(pick((i > 1:uint):bool, t2, list[2:int]), s, float2(0.5:float))"},
		{"both({t2, s});", "both(Both{t2, s})"},
		{"constexpr sampler q(address::repeat); t2.sample(q, 0.5f);",
			"q<const sampler> = sampler(); t2.sample(sampler q, coord float2(0.5:float)):float4"},
		{"t2.sample(outer, 0.5f);", "t2.sample(sampler outer, coord float2(0.5:float)):float4"},
		{"t2.sample(sampler(filter::linear), 0.5f);",
			"t2.sample(sampler sampler(), coord float2(0.5:float)):float4"},
	}
	for _, tt := range tests {
		p := mustAnalyze(t, texturePrelude+tt.source+"\n}")
		f, errs := p.Body(p.Kernels[0])
		if f == nil {
			t.Errorf("%s: %v", tt.source, errs)
			continue
		}
		if got := tree.Line(f.Body.List...); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.source, got, tt.want)
		}
	}
}

// TestSamplerStates checks the state of a sampler of the program, and of one of a body.
func TestSamplerStates(t *testing.T) {
	plain := tree.SamplerState{Normalized: true, MaxAnisotropy: 1, LODMax: math.MaxFloat32}
	with := func(set func(s *tree.SamplerState)) tree.SamplerState {
		s := plain
		set(&s)
		return s
	}
	tests := []struct {
		sampler string
		want    tree.SamplerState
	}{
		{"s", plain},
		{"s{}", plain},
		{"s = sampler()", plain},
		{"s(coord::pixel)", with(func(s *tree.SamplerState) { s.Normalized = false })},
		{"s{metal::coord::pixel}", with(func(s *tree.SamplerState) { s.Normalized = false })},
		{"s(address::repeat)", with(func(s *tree.SamplerState) {
			s.Address = [3]tree.AddressMode{tree.Repeat, tree.Repeat, tree.Repeat}
		})},
		{"s(address::clamp_to_edge)", plain},
		{"s(s_address::mirrored_repeat, t_address::clamp_to_border, r_address::clamp_to_zero)",
			with(func(s *tree.SamplerState) {
				s.Address = [3]tree.AddressMode{tree.MirroredRepeat, tree.ClampToBorder, tree.ClampToZero}
			})},
		{"s(border_color::opaque_white)", with(func(s *tree.SamplerState) { s.Border = tree.OpaqueWhite })},
		{"s(filter::linear)", with(func(s *tree.SamplerState) { s.Min, s.Mag = tree.Linear, tree.Linear })},
		{"s(filter::linear, min_filter::nearest)", with(func(s *tree.SamplerState) { s.Mag = tree.Linear })},
		{"s(mag_filter::linear, mip_filter::nearest)", with(func(s *tree.SamplerState) {
			s.Mag, s.Mip = tree.Linear, tree.MipNearest
		})},
		{"s(mip_filter::linear)", with(func(s *tree.SamplerState) { s.Mip = tree.MipLinear })},
		{"s(compare_func::less)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareLess })},
		{"s(compare_func::equal)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareEqual })},
		{"s(compare_func::less_equal)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareLessEqual })},
		{"s(compare_func::greater)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareGreater })},
		{"s(compare_func::not_equal)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareNotEqual })},
		{"s(compare_func::greater_equal)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareGreaterEqual })},
		{"s(compare_func::always)", with(func(s *tree.SamplerState) { s.Compare = tree.CompareAlways })},
		{"s(compare_func::never)", plain},
		{"s(reduction::weighted_average)", plain},
		{"s(max_anisotropy(4), lod_clamp(0.5f, MAXFLOAT))", with(func(s *tree.SamplerState) {
			s.MaxAnisotropy, s.LODMin = 4, 0.5
		})},
		{"s(lod_clamp(1, 2))", with(func(s *tree.SamplerState) { s.LODMin, s.LODMax = 1, 2 })},
		{"s = sampler(coord::pixel, filter::linear)", with(func(s *tree.SamplerState) {
			s.Normalized, s.Min, s.Mag = false, tree.Linear, tree.Linear
		})},
	}
	const use = "t.sample(s, float2(0)); }"
	for _, tt := range tests {
		for _, source := range []string{
			"constexpr sampler " + tt.sampler + ";\nkernel void k(texture2d<float> t) { " + use,
			"constant constexpr metal::sampler " + tt.sampler + ";\nkernel void k(texture2d<float> t) { " + use,
			"kernel void k(texture2d<float> t) { constexpr sampler " + tt.sampler + "; " + use,
			"kernel void k(texture2d<float> t) { constexpr metal::sampler " + tt.sampler + "; " + use,
		} {
			p := mustAnalyze(t, "using namespace metal;\n"+source)
			f, errs := p.Body(p.Kernels[0])
			if f == nil {
				t.Errorf("%s: %v", source, errs)
				continue
			}
			list := f.Body.List
			init := list[len(list)-1].(*tree.ExprStmt).X.(*tree.TextureCall).Sampler.(*tree.VarRef).Var.Init
			if len(list) > 1 {
				init = list[0].(*tree.DeclStmt).Init
			}
			if diff := cmp.Diff(&tt.want, init.(*tree.SamplerConst).State); diff != "" {
				t.Errorf("%s: -want +got\n%s", source, diff)
			}
		}
	}
}

// TestMethodsBeyondKernels checks that methods which the CPU device does not have say what they are for, and are no
// mistakes.
func TestMethodsBeyondKernels(t *testing.T) {
	for source, want := range map[string]string{
		"t2.sparse_sample(s, float2(0));": "sparse_sample is not supported: it is for textures with missing parts",
		"t2.sparse_read(g);":              "sparse_read is not supported: it is for textures with missing parts",
		"t2.calculate_clamped_lod(s, float2(0));": "calculate_clamped_lod is not supported: it is for fragment functions, " +
			"whose levels follow from neighbouring pixels",
		"t2.calculate_unclamped_lod(s, float2(0));": "calculate_unclamped_lod is not supported: it is for fragment " +
			"functions, whose levels follow from neighbouring pixels",
	} {
		p := mustAnalyze(t, texturePrelude+source+"\n}")
		f, errs := p.Body(p.Kernels[0])
		if f != nil || len(errs) != 1 || errs[0].Msg != want || !errs[0].Unsupported {
			t.Errorf("%s: got %v, want %s", source, errs, want)
		}
		if errs := p.Vet(); len(errs) != 0 {
			t.Errorf("%s: vet says %v", source, errs)
		}
	}
}
