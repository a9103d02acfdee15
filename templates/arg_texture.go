package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// textureArg is a texture, or an array of them.
type textureArg struct{ *binding.Arg }

func (arg textureArg) kind() string { return "bind.TextureArg" }

func (arg textureArg) field(f *sourceFile) (jen.Code, bool) {
	return withComment(jen.Id(arg.Go).Id(f.fieldType(arg.Arg)), arg.comment()), false
}

// comment returns "read: the picture".
func (arg textureArg) comment() string {
	s := accessWords[arg.Access]
	if arg.Optional {
		s += ", " + whenNeeded(arg.Arg)
	}
	return s + colon(arg.Doc)
}

func (arg textureArg) fallback(scope) jen.Code { return nil }

func (arg textureArg) set(scope) jen.Code {
	return eachHandle(arg.Arg, "Texture", func(field string) string { return field + ".Handle()" })
}
