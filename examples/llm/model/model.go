// Package model says what a language model of this example consists of: its sizes, and the names and shapes of its
// tensors. Both are those of the architecture "llama" in GGUF files, in files of safetensors too.
package model

import (
	"fmt"
	"math"
	"strconv"
)

// Config are the sizes of a model.
type Config struct {
	Vocabulary int     // tokens
	Dim        int     // numbers of a position in the residual stream
	FFN        int     // numbers inside of a feed-forward half
	Layers     int     //
	Heads      int     // of queries
	KVHeads    int     // of keys and values, each for Heads/KVHeads heads of queries
	Context    int     // positions
	Base       float64 // of the frequencies of RoPE
	Epsilon    float64 // that is added to mean squares
}

// HeadDim returns the numbers of a head.
func (c Config) HeadDim() int { return c.Dim / c.Heads }

// KVDim returns the numbers of the keys of a position, or of its values.
func (c Config) KVDim() int { return c.HeadDim() * c.KVHeads }

// Tensor names a tensor of a model. A norm has one row.
type Tensor struct {
	Name       string
	Rows, Cols int
}

// Norm reports whether the tensor are the weights of a norm.
func (t Tensor) Norm() bool { return t.Rows == 1 }

// File returns the name and the shape that the tensor has in a file.
func (t Tensor) File() (name string, shape []int) {
	if t.Norm() {
		return t.Name + ".weight", []int{t.Cols}
	}
	return t.Name + ".weight", []int{t.Rows, t.Cols}
}

// Size returns the number of weights.
func (t Tensor) Size() int { return t.Rows * t.Cols }

// The tensors of a model that belong to no layer. The embeddings are also what logits are made with.
const (
	Embedding  = "token_embd"
	OutputNorm = "output_norm"
)

// Those of a layer, for [InLayer].
const (
	AttentionNorm = "attn_norm"
	Query         = "attn_q"
	Key           = "attn_k"
	Value         = "attn_v"
	Output        = "attn_output"
	FFNNorm       = "ffn_norm"
	Gate          = "ffn_gate"
	Up            = "ffn_up"
	Down          = "ffn_down"
)

// InLayer returns the name of a tensor in a layer.
func InLayer(layer int, name string) string { return fmt.Sprintf("blk.%d.%s", layer, name) }

// Tensors returns all tensors.
func (c Config) Tensors() []Tensor {
	list := []Tensor{{Embedding, c.Vocabulary, c.Dim}}
	for l := range c.Layers {
		list = append(list,
			Tensor{InLayer(l, AttentionNorm), 1, c.Dim},
			Tensor{InLayer(l, Query), c.Dim, c.Dim},
			Tensor{InLayer(l, Key), c.KVDim(), c.Dim},
			Tensor{InLayer(l, Value), c.KVDim(), c.Dim},
			Tensor{InLayer(l, Output), c.Dim, c.Dim},
			Tensor{InLayer(l, FFNNorm), 1, c.Dim},
			Tensor{InLayer(l, Gate), c.FFN, c.Dim},
			Tensor{InLayer(l, Up), c.FFN, c.Dim},
			Tensor{InLayer(l, Down), c.Dim, c.FFN},
		)
	}
	return append(list, Tensor{OutputNorm, 1, c.Dim})
}

// Merges is where a file has its vocabulary, as text.
const Merges = "metalgen.merges"

// most is the greatest size that a file may state, whatever it is the size of.
const most = 1 << 20

// sizes are the whole numbers of a config, by their names in a file.
func (c *Config) sizes() map[string]*int {
	return map[string]*int{
		"llama.vocab_size":              &c.Vocabulary,
		"llama.embedding_length":        &c.Dim,
		"llama.feed_forward_length":     &c.FFN,
		"llama.block_count":             &c.Layers,
		"llama.attention.head_count":    &c.Heads,
		"llama.attention.head_count_kv": &c.KVHeads,
		"llama.context_length":          &c.Context,
	}
}

// numbers are the others.
func (c *Config) numbers() map[string]*float64 {
	return map[string]*float64{
		"llama.rope.freq_base":                   &c.Base,
		"llama.attention.layer_norm_rms_epsilon": &c.Epsilon,
	}
}

// Meta returns what a file says of the config.
func (c Config) Meta() map[string]string {
	meta := map[string]string{"general.architecture": "llama"}
	for name, size := range c.sizes() {
		meta[name] = strconv.Itoa(*size)
	}
	for name, number := range c.numbers() {
		meta[name] = strconv.FormatFloat(*number, 'g', -1, 32)
	}
	return meta
}

// FromMeta returns the config that a file states.
func FromMeta(meta map[string]string) (Config, error) {
	var c Config
	if a := meta["general.architecture"]; a != "llama" {
		return c, fmt.Errorf("the architecture is %q, want %q", a, "llama")
	}
	for name, size := range c.sizes() {
		n, err := strconv.Atoi(meta[name])
		if err != nil || n < 1 || n > most {
			return c, fmt.Errorf("%s is %q, want a number from 1 to %d", name, meta[name], most)
		}
		*size = n
	}
	for name, number := range c.numbers() {
		x, err := strconv.ParseFloat(meta[name], 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return c, fmt.Errorf("%s is %q, want a number above 0", name, meta[name])
		}
		*number = x
	}
	if c.Heads > c.Dim || c.Dim%(2*c.Heads) != 0 || c.Heads%c.KVHeads != 0 {
		return c, fmt.Errorf("%d numbers cannot be those of %d heads with keys for %d", c.Dim, c.Heads, c.KVHeads)
	}
	return c, nil
}
