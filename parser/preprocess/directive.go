package preprocess

import (
	"strconv"
	"strings"
)

// directive is what a #name does. It finds the scanner after the name, and
// may leave it anywhere on the line.
type directive struct {
	do func(p *preprocessor, at Pos, name string)
	// always is set for directives that count in skipped regions too.
	always bool
}

var directives map[string]directive

func init() { // here, since a directive can come to others through #include
	directives = map[string]directive{
		"define":   {do: (*preprocessor).defineDirective},
		"undef":    {do: (*preprocessor).undef},
		"include":  {do: (*preprocessor).include},
		"import":   {do: (*preprocessor).include},
		"if":       {do: (*preprocessor).ifDirective, always: true},
		"ifdef":    {do: (*preprocessor).ifDirective, always: true},
		"ifndef":   {do: (*preprocessor).ifDirective, always: true},
		"elif":     {do: (*preprocessor).elifDirective, always: true},
		"elifdef":  {do: (*preprocessor).elifDirective, always: true},
		"elifndef": {do: (*preprocessor).elifDirective, always: true},
		"else":     {do: (*preprocessor).elseDirective, always: true},
		"endif":    {do: (*preprocessor).endif, always: true},
		"error":    {do: (*preprocessor).message},
		"warning":  {do: (*preprocessor).message},
		"pragma":   {do: (*preprocessor).pragma},
		"line":     {do: (*preprocessor).line},
	}
}

// directive reads the rest of a line whose # is at at.
func (p *preprocessor) directive(at Pos) {
	in := p.in
	in.first, in.code = !in.code, true
	in.directive = true
	var name Token
	in.next(&name)
	d, known := directives[name.Text]
	p.forks(name.Text)
	switch {
	case !in.active && !d.always:
		p.ignore(at, name.Text)
	case known:
		d.do(p, at, name.Text)
	case name.Kind == EOF: // a # alone
	case name.Kind == Int: // # 12 "file", the output of a preprocessor
		p.ignore(at, name.Text)
	default:
		p.reporter.error(at, "unknown directive #%s", name.Text)
		p.ignore(at, name.Text)
	}
	p.endOfLine(name.Text)
	in.directive = false
}

// endOfLine skips what is left of the directive, with a warning.
func (p *preprocessor) endOfLine(name string) {
	var t Token
	if p.in.next(&t); t.Kind == EOF {
		return
	}
	if p.in.active {
		p.reporter.warn(t.Pos, "extra text after #%s", name)
	}
	p.ignore(t.Pos, name)
}

// restOfLine returns the text of the rest of the directive, which need
// not be well-formed.
func (p *preprocessor) restOfLine() string {
	in := p.in
	quiet := in.quiet
	in.quiet = true
	start, end := -1, 0
	for {
		var t Token
		if in.next(&t); t.Kind == EOF {
			break
		}
		if start < 0 {
			start = in.off - len(t.Text)
		}
		end = in.off
	}
	in.quiet = quiet
	if start < 0 {
		return ""
	}
	return in.src[start:end]
}

func (p *preprocessor) ignore(Pos, string) {
	p.restOfLine()
}

// line makes positions go on at another line of another file, where they are
// not to be those of the text that is read.
func (p *preprocessor) line(at Pos, name string) {
	in := p.in
	var number, file Token
	if in.next(&number); p.opt.FollowLines && number.Kind == Int {
		n, err := strconv.Atoi(number.Text)
		if in.next(&file); err == nil && n > 0 {
			in.line = n - 1 // of the next line
		}
		if path, err := strconv.Unquote(file.Text); err == nil && file.Kind == String {
			in.name = path
		}
	}
	p.ignore(at, name)
}

func (p *preprocessor) message(at Pos, name string) {
	report := p.reporter.error
	if name == "warning" {
		report = p.reporter.warn
	}
	if text := p.restOfLine(); text != "" {
		report(at, "#%s: %s", name, text)
	} else {
		report(at, "#%s", name)
	}
}

func (p *preprocessor) pragma(at Pos, _ string) {
	text := p.restOfLine()
	if text == "once" {
		p.in.once = true
	} else if rest, ok := strings.CutPrefix(text, "pack"); ok {
		p.pack(at, rest)
	}
}

// conditional is an #if that is open.
type conditional struct {
	pos   Pos
	name  string
	outer bool // the text around it is active
	taken bool // a branch of it has been
	last  bool // #else has come
	guard bool // it may be the include guard of its file

	versioned bool // it depends on the version of the language
}

func (p *preprocessor) ifDirective(at Pos, name string) {
	in := p.in
	c := conditional{pos: at, name: name, outer: in.active}
	if in.active {
		var guard string
		c.taken, guard = p.condition(at, name)
		p.beginVersioned(&c)
		if name == "ifndef" && in.first && len(in.conds) == 0 && in.guard == "" {
			in.guard = guard
			c.guard = true
		}
		in.setActive(c.taken)
	} else {
		p.ignore(at, name)
	}
	in.conds = append(in.conds, c)
}

// openConditional returns the innermost open #if, for a directive that continues
// it.
func (p *preprocessor) openConditional(at Pos, name string) *conditional {
	if n := len(p.in.conds); n > 0 {
		return &p.in.conds[n-1]
	}
	p.reporter.error(at, "#%s without #if", name)
	p.ignore(at, name)
	return nil
}

func (p *preprocessor) elifDirective(at Pos, name string) {
	c := p.openConditional(at, name)
	if c == nil {
		return
	}
	c.guard = false
	if c.last && c.outer {
		p.reporter.error(at, "#%s after #else", name)
	}
	if !c.outer || c.taken || c.last {
		p.in.setActive(false)
		p.ignore(at, name)
		return
	}
	p.in.setActive(true) // the condition counts
	c.taken, _ = p.condition(at, name)
	p.beginVersioned(c)
	p.in.setActive(c.taken)
}

func (p *preprocessor) elseDirective(at Pos, name string) {
	c := p.openConditional(at, name)
	if c == nil {
		return
	}
	c.guard = false
	if c.last && c.outer {
		p.reporter.error(at, "#else after #else")
	}
	p.in.setActive(c.outer && !c.taken)
	c.taken, c.last = true, true
}

func (p *preprocessor) endif(at Pos, name string) {
	c := p.openConditional(at, name)
	if c == nil {
		return
	}
	p.endVersioned(c)
	p.in.setActive(c.outer)
	p.in.code = !c.guard
	p.in.conds = p.in.conds[:len(p.in.conds)-1]
}
