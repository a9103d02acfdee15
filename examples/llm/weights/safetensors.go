package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A file of safetensors is the length of its header in eight bytes, the header, which is JSON, and the tensors
// (https://github.com/huggingface/safetensors#format). Offsets count from the end of the header.

// header is what JSON says of a tensor.
type header struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const metadata = "__metadata__"

func parseSafetensors(data []byte) (*File, error) {
	const most = 100 << 20 // bytes of a header, as other readers have it
	if len(data) < 8 {
		return nil, errors.New("neither GGUF nor safetensors: it is too short")
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) || length > most {
		return nil, fmt.Errorf("neither GGUF nor safetensors: a header of %d bytes in a file of %d", length, len(data))
	}
	begin := 8 + int(length)
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data[8:begin], &entries); err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	f := &File{Data: data, Meta: make(map[string]string), Tensors: make(map[string]Tensor)}
	for name, entry := range entries {
		if name == metadata {
			if err := json.Unmarshal(entry, &f.Meta); err != nil {
				return nil, fmt.Errorf("the header: %s: %w", metadata, err)
			}
			continue
		}
		var h header
		if err := json.Unmarshal(entry, &h); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		format := slices.IndexFunc(formats[:], func(f formatInfo) bool { return f.dtype != "" && f.dtype == h.DType })
		if format < 0 {
			return nil, fmt.Errorf("tensor %q: its type is %s, want F32 or F16", name, h.DType)
		}
		if h.Offsets[0] < 0 || h.Offsets[0] > len(data) {
			return nil, fmt.Errorf("tensor %q: it begins at %d of %d bytes", name, h.Offsets[0], len(data))
		}
		if err := f.add(name, Format(format), h.Shape, begin+h.Offsets[0]); err != nil {
			return nil, err
		}
		if t := f.Tensors[name]; t.End-begin != h.Offsets[1] {
			return nil, fmt.Errorf("tensor %q: it ends at %d, want %d", name, h.Offsets[1], t.End-begin)
		}
	}
	return f, nil
}

// WriteSafetensors writes tensors of F32 and F16.
func WriteSafetensors(w io.Writer, meta map[string]string, tensors []Named) error {
	entries := map[string]any{metadata: meta}
	at := 0
	for _, t := range tensors {
		if formats[t.Format].dtype == "" {
			return fmt.Errorf("tensor %q: safetensors has no type for %v", t.Name, t.Format)
		}
		entries[t.Name] = header{formats[t.Format].dtype, t.Shape, [2]int{at, at + len(t.Data)}}
		at += len(t.Data)
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ') // so that tensors are aligned
	}
	var out bytes.Buffer
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	out.Write(text)
	for _, t := range tensors {
		out.Write(t.Data)
	}
	_, err = out.WriteTo(w)
	return err
}
