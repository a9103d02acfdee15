package metal

import (
	"fmt"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Labels are what Xcode and the messages of the system show: a debug group around
// each dispatch, and a name for each piece of a batch. They are made only where
// asked for, because each is a message.

// label is the name of a kernel as an NSString, made when it is first needed.
type label struct {
	once sync.Once
	id   objc.ID
}

// of returns the label of a kernel, 0 where its name is no text.
func (l *label) of(k *driver.Kernel) objc.ID {
	l.once.Do(func() {
		objc.WithPool(func() { l.id, _ = objc.NewString(k.Name) })
	})
	return l.id
}

// release releases what the device has kept.
func (l *label) release() {
	if l.id != 0 {
		l.id.Release()
	}
}

// labelled names objects after the piece. It is called within a pool.
func (p *piece) labelled(objects ...objc.ID) {
	text, err := objc.NewString(pieceName(p.kernels))
	if err != nil {
		return
	}
	defer text.Release()
	for _, id := range objects {
		id.Send(selSetLabel, uintptr(text))
	}
}

// pieceName returns "norm" of a piece of one kernel, and "norm ... scale (7 dispatches)"
// of others.
func pieceName(kernels []*driver.Kernel) string {
	switch names := namesOf(kernels); len(names) {
	case 0:
		return "Encode"
	case 1:
		return names[0]
	default:
		return fmt.Sprintf("%s ... %s (%d dispatches)", names[0], kernels[len(kernels)-1].Name, len(kernels))
	}
}
