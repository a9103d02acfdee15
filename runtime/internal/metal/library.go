package metal

import (
	"crypto/sha256"
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// library is a compiled source.
type library struct {
	attempt
	id   objc.ID
	key  [sha256.Size]byte // of what it was made of
	logs bool              // its kernels may write messages
}

// library compiles a source, or loads what was compiled of it, at its first use, which is that of a call.
// Callers are within a pool.
func (d *Device) library(from *driver.Library, call any) (*library, error) {
	d.mu.Lock()
	l := d.libraries[from]
	if l == nil {
		l = &library{}
		d.libraries[from] = l
	}
	d.mu.Unlock()
	o := &d.options
	if from == &copyLibrary {
		o = &driver.Options{Language: o.Language} // other options of a caller's are for the caller's sources
	}
	err := l.do(func() (err error) {
		logs := d.logsOf(from)
		if bytes, ok := o.Metallibs[from.File]; ok {
			l.id, err = d.load(from.File, bytes)
		} else {
			err = o.Measure(from.File, call, func() error {
				l.id, err = d.compile(from, o, logs)
				return err
			})
		}
		l.key, l.logs = d.archives.keyOf(from, o, logs), logs
		return err
	})
	return l, err
}

// compile compiles a source, with what it logs or without. A compiler that has nothing but
// warnings returns an error beside the library, which is ignored.
func (d *Device) compile(from *driver.Library, o *driver.Options, logs bool) (objc.ID, error) {
	if err := from.Check(o.Language); err != nil {
		return 0, err
	}
	source, err := objc.NewString(*from.Source)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", from.File, err)
	}
	defer source.Release()
	options, err := compileOptions(o)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", from.File, err)
	}
	defer options.Release()
	if logs {
		options.Send(selSetEnableLogging, 1)
	}
	id, err := d.id.SendError(selNewLibrary, uintptr(source), uintptr(options))
	if err != nil {
		return 0, compileError(from.File, err)
	}
	return objc.ID(id), nil
}
