package resolve

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// symbolState says how far a symbol has been resolved.
type symbolState uint8

// The states, in their order.
const (
	Unresolved symbolState = iota
	Resolving
	Resolved
	Broken // an error about it has been reported
)

// Symbol is a name that a declaration introduces.
type Symbol struct {
	Name      string // qualified
	Namespace []string
	Decl      *parser.Decl
	Pos       parser.Pos
	State     symbolState

	// What declares it: one of these.
	Structure *parser.Struct
	Enum      *parser.Enum
	Aliased   *Alias
	Variable  *parser.Init
	VarType   *parser.Type
	Member    *Symbol // an enumerator's enum

	constants   []string  // of an enum: the scope of its enumerators
	enumerators []*Symbol // of an enum

	Instance *instance // of a class template, or nil
	template *Template // of a parameter that is a class template
	Target   *NameArg  // of a parameter that is a function
	Object   *tree.Var // of a parameter that is an object
	Param    bool      // of a template
	Pack     []*Symbol // the elements of a pack
	isPack   bool

	Local bool              // of a body
	Var   *tree.Var         // of a body's variable
	Errs  *parser.ErrorList // of a body's type: those of the function, where its own go

	typ *tree.Type // once resolved, of a type
	Err error      // once broken
	// noConstant says why a variable's value is no constant expression. A body
	// may still have the variable, so that does not break the symbol.
	noConstant error
	Value      tree.Value // once resolved, of a constant
}

// Alias is the target of a typedef or using.
type Alias struct {
	Type       *parser.Type
	Pointers   []*parser.Pointer
	dims       []*parser.Dim
	Params     *parser.ParamList // of a function, or of a pointer to one
	attributes []string
}

// names reports whether the alias is nothing but another type's own name.
func (a *Alias) names(name string) bool {
	return len(a.Pointers) == 0 && len(a.dims) == 0 && a.Type.Args == nil && len(a.Type.Member) == 0 &&
		len(a.Type.Path) > 0 &&
		(name == strings.Join(a.Type.Path, "::") || strings.HasSuffix(name, "::"+strings.Join(a.Type.Path, "::")))
}

// NameText is a name as the source has it.
func NameText(e *parser.Name) string {
	var parts []string
	for ; e != nil; e = e.Member {
		part := strings.Join(e.Path, "::")
		if e.Args != nil {
			part += "<...>"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "::")
}

// JoinTokens is the text of tokens.
func JoinTokens(tokens *parser.Tokens) string {
	var text strings.Builder
	for _, t := range tokens.List {
		text.WriteString(t.Text)
	}
	return text.String()
}

// PosText is a position as messages cite it.
func PosText(pos parser.Pos) string {
	return fmt.Sprintf("%s:%d:%d", pos.Filename, pos.Line, pos.Column)
}
