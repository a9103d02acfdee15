package templates

import "github.com/dave/jennifer/jen"

// lines returns {values} with a line for each value.
func lines(values ...jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, values...)
}

// keyed returns key: value.
func keyed(key string, value jen.Code) jen.Code { return jen.Id(key).Op(":").Add(value) }

// group declares several things in parentheses, or one without.
func group(keyword *jen.Statement, specs []jen.Code) jen.Code {
	if len(specs) == 1 {
		return keyword.Add(specs...)
	}
	return keyword.Defs(specs...)
}

// withComment returns code with text, unless it is empty, as a trailing comment.
func withComment(code *jen.Statement, text string) jen.Code {
	if text = oneLine(text); text != "" {
		code.Comment("// " + text)
	}
	return code
}
