package invoke

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/temporary"
)

// output is a file for the content of a buffer or a texture.
type output struct {
	name    string // as given
	target  string // what is written, behind symbolic links
	direct  bool   // it is no regular file, and must not be replaced by one
	content io.WriterTo

	temporary string
}

// output adds a file that what has a name is written to.
func (p *preparation) output(name, file string) (*output, error) {
	o, err := newOutput(file)
	switch {
	case err != nil:
		return nil, err
	case p.targets[o.target] != "":
		return nil, fmt.Errorf("%s is where %s goes, too", file, p.targets[o.target])
	}
	p.targets[o.target] = name
	p.outputs = append(p.outputs, o)
	return o, nil
}

// newOutput finds out as much as possible before the kernel runs about whether
// the file can be written.
func newOutput(name string) (*output, error) {
	o := &output{name: name}
	target, err := filepath.EvalSymlinks(name)
	if os.IsNotExist(err) {
		var dir string
		if dir, err = filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			target = filepath.Join(dir, filepath.Base(name))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", name, err)
	}
	if o.target, err = filepath.Abs(target); err != nil {
		return nil, err
	}
	if info, err := os.Stat(o.target); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", name)
		}
		o.direct = !info.Mode().IsRegular()
	}
	return o, nil
}

// Save writes all files of results, or none: every one is on disk beside its
// target before the first target is replaced.
func (p *Plan) Save() (err error) {
	defer func() {
		for _, o := range p.outputs {
			if o.temporary != "" {
				err = errors.Join(err, os.Remove(o.temporary))
			}
		}
	}()
	for _, o := range p.outputs {
		if !o.direct {
			if err := o.writeTemporary(); err != nil {
				return err
			}
		}
	}
	for _, o := range p.outputs {
		if o.direct {
			if err := o.write(o.target, os.O_WRONLY); err != nil {
				return err
			}
			continue
		}
		if err := os.Rename(o.temporary, o.target); err != nil {
			return err
		}
		o.temporary = ""
		if err := o.removeLeft(); err != nil {
			return err
		}
	}
	return nil
}

// removeLeft removes what runs that were killed have left beside the target.
func (o *output) removeLeft() (err error) {
	dir, base := filepath.Split(o.target)
	entries, _ := os.ReadDir(dir) // who may not list a directory may still write to it
	for _, e := range entries {
		if e.Type().IsRegular() && temporary.Target(e.Name()) == base {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// writeTemporary writes a file beside the target, with the permissions that the
// target has or, if it is new, those that the umask leaves.
func (o *output) writeTemporary() error {
	name := temporary.Name(o.target)
	o.temporary = name
	if err := o.write(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL); err != nil {
		if _, statErr := os.Lstat(name); statErr != nil {
			o.temporary = "" // it was not even made
		}
		return err
	}
	if info, err := os.Stat(o.target); err == nil {
		return os.Chmod(name, info.Mode().Perm())
	}
	return nil
}

func (o *output) write(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	_, err = o.content.WriteTo(w)
	return errors.Join(err, w.Flush(), f.Close())
}
