package preprocess

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Options are the flags of the command line that concern a source.
type Options struct {
	Include []string // directories to search for headers, in order
	Define  []string // NAME or NAME=VALUE, as for -D
	Version int      // __METAL_VERSION__; 0 means NewestVersion
	// In is the input directory: files are read in it and in those of Include,
	// nowhere else. Empty means the directory of the source.
	In string
	// ReadFile reads sources and headers, instead of files. An error that is
	// fs.ErrNotExist lets the search for a header go on.
	ReadFile func(path string) ([]byte, error)
	// Join lists sources beside the source, which is then no file: they are read in order instead, as one. A header that
	// several of them include is read for the first.
	Join []string
	// FollowLines makes #line change positions, which are otherwise those in the
	// text as it is: for sources that [Unit.Flat] was made of.
	FollowLines bool
	// Stop reports whether the unit is of no use any more: then Run soon ends, with an
	// error. It is asked now and then, and may be nil.
	Stop func() bool
}

// Run preprocesses the source at path with the headers it includes, and returns
// its unit, which is never nil. Messages and generated code call the source name.
func Run(name, path string, opt *Options) (*Unit, ErrorList) {
	p := newPreprocessor(opt)
	p.run(name, path)
	return p.unit, p.reporter.list
}

func newPreprocessor(opt *Options) *preprocessor {
	return &preprocessor{
		opt:      cmp.Or(opt, &Options{}),
		unit:     &Unit{},
		headers:  map[string]*header{},
		expander: expander{most: maxExpansion},
	}
}

func (p *preprocessor) run(name, path string) {
	if p.opt.ReadFile == nil {
		p.files = newOpener(p.opt, path)
		defer p.files.close()
	}
	p.predefine()
	main := p.joined(name, path)
	if main == nil {
		main = p.load(name, path)
	}
	if main.err != nil {
		p.reporter.error(Pos{Filename: name}, "cannot read the source: %v", main.err)
	}
	readCommandLine(p)
	p.process(main)
	p.unit.Tokens = p.tokens.slice()
	p.unit.Flat = p.flat.text()
	p.unit.Library = p.library
	p.reporter.list.Sort()
}

// joined is the source that includes those of Options.Join, or nil where there are none.
func (p *preprocessor) joined(name, path string) *header {
	if len(p.opt.Join) == 0 {
		return nil
	}
	var text strings.Builder
	for _, part := range p.opt.Join {
		fmt.Fprintf(&text, "#include %s\n", quoteString(part))
	}
	return &header{File: &File{Name: name, Path: path, Text: text.String()}}
}

// preprocessor is the state of one unit's preprocessing.
type preprocessor struct {
	reporter reporter
	opt      *Options
	files    *opener // nil with Options.ReadFile
	unit     *Unit
	tokens   tokenList          // those of the unit
	headers  map[string]*header // by absolute path, the main source too
	in       *source            // what is being read
	macros   macroTable
	expander expander
	flat     flattener
	counter  int  // __COUNTER__
	library  bool // a header of Metal's is included

	versions versions
	packing  packing

	part          int // of Options.Join, counted from 1
	includeDepth  int
	includes      int // so far
	includedBytes int

	steps int // counted by isUseless
}

// source is one text being read: the main source or one inclusion of a header.
type source struct {
	scanner
	*header
	by       *source // the includer
	conds    []conditional
	active   bool // the conditions around here hold
	keep     bool // comments are wanted: this is the header's first inclusion
	ahead    Token
	hasAhead bool
	flatDone int // text up to here is in Unit.Flat

	// To recognise an include guard: whether there was code before this
	// directive, and since the guard, and the guard's name.
	first, code bool
	guard       string
}

// process preprocesses one text from start to end.
func (p *preprocessor) process(h *header) {
	in := p.open(h)
	p.in = in
	var t Token
	for !p.reporter.stopped {
		in.token(&t)
		switch {
		case t.Kind == EOF:
			p.close(in)
			return
		case p.tokens.count > maxTokens:
			p.reporter.fatal(t.Pos, "more than %d tokens", maxTokens)
		case p.isUseless(1):
			p.reporter.fatal(t.Pos, "stopped")
		case t.Line && t.Text == "#":
			p.directive(t.Pos)
			continue
		case !in.active:
		case t.Kind == Ident && !h.library:
			if m := p.macros.lookup(t.Text); m != nil {
				p.expandText(t, m)
				break
			}
			fallthrough
		default:
			p.tokens.add(t)
		}
		in.code = true
	}
}

// open prepares the reading of a text.
func (p *preprocessor) open(h *header) *source {
	in := &source{scanner: newScanner(&p.reporter, h.Name, h.Text), header: h, by: p.in, active: true, keep: !h.seen}
	in.comments = &h.Comments
	in.drop = !in.keep
	in.flatDone = in.off
	if !h.seen {
		h.seen = true
		p.unit.Files = append(p.unit.Files, h.File)
		checkText(&p.reporter, h.Name, h.Text)
	}
	return in
}

func (p *preprocessor) close(in *source) {
	for _, c := range in.conds {
		p.reporter.error(c.pos, "#%s without #endif", c.name)
	}
	if !in.code {
		in.header.guard = in.guard
	}
	if !in.library {
		p.flat.end(in)
	}
}

// token returns the next token of the text, before any expansion.
func (in *source) token(t *Token) {
	if in.hasAhead {
		*t, in.hasAhead = in.ahead, false
		return
	}
	in.next(t)
}

// peek returns the token after the one read last.
func (in *source) peek() *Token {
	if !in.hasAhead {
		in.next(&in.ahead)
		in.hasAhead = true
	}
	return &in.ahead
}

// setActive sets whether the text from here on is wanted.
func (in *source) setActive(active bool) {
	in.active = active
	in.quiet = !active
	in.drop = !active || !in.keep
}

// Scan returns the tokens of a piece of text without preprocessing it.
func Scan(name, text string) ([]Token, ErrorList) {
	var r reporter
	var tokens []Token
	s := newScanner(&r, name, text)
	for {
		var t Token
		if s.next(&t); t.Kind == EOF {
			return tokens, r.list
		}
		tokens = append(tokens, t)
	}
}

// readFile reads the file at path; abs is its absolute path.
func (p *preprocessor) readFile(path, abs string) (text []byte, err error) {
	if p.files == nil {
		text, err = p.opt.ReadFile(path)
	} else {
		text, err = p.files.read(abs)
	}
	// The path in a *fs.PathError depends on the machine; messages have the
	// name by which the source calls the file.
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return text, err
}

// absolute identifies a file by its path.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
