package library

import "github.com/metalgen/metalgen/internal/msl/tree"

// samplingOption is a type that says how to sample: level(2). The numbers of its values
// are all that there is of it, and it has no use but as an argument.
type samplingOption struct {
	Type   *tree.Type
	Values []*tree.Type
}

// SamplingOptions are those of the methods of textures (section 6.12), and of samplers
// (section 2.10).
var SamplingOptions = makeSamplingOptions()

func makeSamplingOptions() map[string]*samplingOption {
	m := map[string]*samplingOption{}
	for name, values := range map[string][]*tree.Type{
		"level":          {tree.ScalarType(tree.Float)},
		"bias":           {tree.ScalarType(tree.Float)},
		"min_lod_clamp":  {tree.ScalarType(tree.Float)},
		"gradient2d":     {tree.VectorType(tree.Float, 2), tree.VectorType(tree.Float, 2)},
		"gradient3d":     {tree.VectorType(tree.Float, 3), tree.VectorType(tree.Float, 3)},
		"gradientcube":   {tree.VectorType(tree.Float, 3), tree.VectorType(tree.Float, 3)},
		"max_anisotropy": {tree.ScalarType(tree.Int)},
		"lod_clamp":      {tree.ScalarType(tree.Float), tree.ScalarType(tree.Float)},
	} {
		m[name] = &samplingOption{&tree.Type{Kind: tree.Opaque, Name: name}, values}
	}
	return m
}

// OptionOf returns the option that a type is, or nil.
func OptionOf(t *tree.Type) *samplingOption {
	if o := SamplingOptions[t.Name]; o != nil && o.Type == t {
		return o
	}
	return nil
}

// DefaultSampler is the state of a sampler that says nothing of it.
func DefaultSampler() *tree.SamplerState {
	return &tree.SamplerState{Normalized: true, MaxAnisotropy: 1, LODMax: largestFloat}
}

var largestFloat = float32(limits["MAXFLOAT"].Float)

// apiAddress, apiCompare are the numbers in Metal's API of the values of enums that
// MSL numbers in its own order.
var (
	apiAddress = [...]tree.AddressMode{tree.ClampToZero, tree.ClampToEdge, tree.Repeat, tree.MirroredRepeat,
		tree.ClampToBorder}
	apiCompare = [...]tree.CompareFunction{tree.CompareNever, tree.CompareLess, tree.CompareLessEqual,
		tree.CompareGreater, tree.CompareGreaterEqual, tree.CompareEqual, tree.CompareNotEqual, tree.CompareAlways,
		tree.CompareNever}
)

// SamplerStates has what a value of an enum says of a sampler. The last one that speaks of a state counts.
var SamplerStates = map[string]func(s *tree.SamplerState, n int){
	"coord":        func(s *tree.SamplerState, n int) { s.Normalized = n == 0 },
	"address":      func(s *tree.SamplerState, n int) { a := apiAddress[n]; s.Address = [3]tree.AddressMode{a, a, a} },
	"s_address":    func(s *tree.SamplerState, n int) { s.Address[0] = apiAddress[n] },
	"t_address":    func(s *tree.SamplerState, n int) { s.Address[1] = apiAddress[n] },
	"r_address":    func(s *tree.SamplerState, n int) { s.Address[2] = apiAddress[n] },
	"border_color": func(s *tree.SamplerState, n int) { s.Border = tree.BorderColor(n) },
	"filter":       func(s *tree.SamplerState, n int) { s.Min, s.Mag = tree.Filter(n), tree.Filter(n) },
	"min_filter":   func(s *tree.SamplerState, n int) { s.Min = tree.Filter(n) },
	"mag_filter":   func(s *tree.SamplerState, n int) { s.Mag = tree.Filter(n) },
	"mip_filter":   func(s *tree.SamplerState, n int) { s.Mip = tree.MipFilter(n) },
	"compare_func": func(s *tree.SamplerState, n int) { s.Compare = apiCompare[n] },
}
