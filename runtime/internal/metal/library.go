package metal

import (
	"fmt"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// library is a compiled source.
type library struct {
	once sync.Once
	id   objc.ID
	err  error
}

// library compiles a source at its first use. Callers are within a pool.
func (d *Device) library(from *driver.Library) (*library, error) {
	d.mu.Lock()
	l := d.libraries[from]
	if l == nil {
		l = &library{}
		d.libraries[from] = l
	}
	d.mu.Unlock()
	l.once.Do(func() {
		source, err := objc.NewString(*from.Source)
		if err != nil {
			l.err = fmt.Errorf("%s: %w", from.File, err)
			return
		}
		defer source.Release()
		id, err := d.id.SendError(selNewLibrary, uintptr(source), 0)
		if err != nil {
			l.err = fmt.Errorf("%s: %w", from.File, err)
			return
		}
		l.id = objc.ID(id)
	})
	return l, l.err
}
