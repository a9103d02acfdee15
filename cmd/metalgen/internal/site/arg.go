package site

import "github.com/metalgen/metalgen/internal/binding"

// arg is an argument as pages list it.
type arg struct {
	Kind   string // "buffer"
	Index  int
	Name   string
	Go     string // the field of the Args struct
	Type   []piece
	GoType []piece
	Shape  string
	From   link // what states the shape
	Access string
	If     string // the function constant that switches it on
	Note   string
	Doc    []span
}

// shownKind is how pages show the arguments of a kind.
type shownKind struct {
	word string
	note func(a *binding.Arg) string // what else there is to say of one; nil for nothing
}

// shownKinds has a row for each kind of argument that pages list.
var shownKinds = map[binding.ArgKind]shownKind{
	binding.Buffer:      {word: "buffer"},
	binding.Value:       {word: "buffer"},
	binding.Texture:     {word: "texture"},
	binding.Sampler:     {word: "sampler"},
	binding.Threadgroup: {"threadgroup", noteThreadgroup},
}

func noteThreadgroup(a *binding.Arg) string {
	if a.Shape == nil {
		return "A call sets how many elements there are."
	}
	return "elements, where the call leaves it 0"
}

var accessWords = map[binding.Access]string{
	binding.Read: "read", binding.Write: "written", binding.ReadWrite: "read and written",
}

// newArg returns what a page shows of an argument.
func (p *kernelPage) newArg(a *binding.Arg) arg {
	kind := shownKinds[a.Kind]
	out := arg{
		Kind: kind.word, Index: a.Index, Name: a.Name, Go: a.Go, Type: p.mslCode(a.Declared())[0],
		GoType: p.goCode(a.Kind.Field(a))[0], Access: accessWords[a.Access], Doc: prose(a.Doc),
	}
	if kind.note != nil {
		out.Note = kind.note(a)
	}
	if a.HasLength() {
		out.Shape, out.From = a.ShapeText(), p.Source.at(a.ShapeFrom)
	}
	if a.If != nil {
		out.If = a.If.String()
	}
	return out
}
