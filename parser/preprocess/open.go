package preprocess

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/metalgen/metalgen/internal/regular"
)

// errOutside is why a file is not read that no directory allows. Whether there is such a file is not looked at,
// so that a source learns nothing about it.
var errOutside = errors.New("it is outside the input directory and the -I directories, " +
	"and files are read nowhere else; -I DIR adds a directory")

// opener reads the files of a unit. They lie in the input directory or in one of -I, with symbolic links
// resolved: a source that others wrote does not decide what metalgen reads.
type opener struct{ dirs []*allowed }

// allowed is a directory whose files may be read.
type allowed struct {
	dir  string   // absolute
	real string   // see resolve
	root *os.Root // once a file of it was asked for
}

// newOpener allows the directories of the options. Without an input directory that of the source is it.
func newOpener(opt *Options, source string) *opener {
	o := &opener{}
	for _, dir := range slices.Concat([]string{cmp.Or(opt.In, filepath.Dir(source))}, opt.Include) {
		o.dirs = append(o.dirs, &allowed{dir: absolute(dir)})
	}
	return o
}

func (o *opener) close() {
	for _, d := range o.dirs {
		if d.root != nil {
			d.root.Close()
		}
	}
}

// read reads the file at an absolute path. A link that leaves the directory that holds it may lead to another
// allowed one.
func (o *opener) read(path string) ([]byte, error) {
	for _, d := range o.dirs {
		if name, ok := below(d.dir, path); ok {
			text, err := d.read(name)
			if !leaves(err) {
				return text, err
			}
		}
	}
	real, err := resolve(path)
	if err != nil {
		return nil, errOutside
	}
	for _, d := range o.dirs {
		if name, ok := below(d.resolve(), real); ok {
			text, err := d.read(name)
			if !leaves(err) {
				return text, err
			}
		}
	}
	return nil, errOutside
}

// resolve returns a path without symbolic links. There need be no such file, only its directory.
func resolve(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// resolve returns the directory without symbolic links, or "" where there is none.
func (d *allowed) resolve() string {
	if d.real == "" {
		d.real, _ = filepath.EvalSymlinks(d.dir)
	}
	return d.real
}

// read reads a file of the directory.
func (d *allowed) read(name string) (text []byte, err error) {
	if d.root == nil {
		if d.root, err = os.OpenRoot(d.dir); err != nil {
			return nil, err
		}
	}
	return regular.ReadIn(d.root, name, maxFile)
}

// leaves reports whether err is an os.Root's refusal to leave its directory, which is neither an error of the
// system nor one of package regular.
func leaves(err error) bool {
	var errno syscall.Errno
	var refused regular.Error
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &errno) && !errors.As(err, &refused)
}

// below returns the name of a file within a directory.
func below(dir, path string) (name string, ok bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && filepath.IsLocal(name)
}
