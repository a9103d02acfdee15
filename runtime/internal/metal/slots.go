package metal

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// slots is one of the encoder's tables of objects: textures, or samplers.
type slots struct {
	recorder *recorder
	sel      *objc.SEL
	sent     []uintptr // that the encoder will have by then, which are not set again
	ids      []uintptr
}

// slotsOf returns how many entries of a table arguments need.
func slotsOf(args []*driver.Arg) int {
	n := 0
	for _, a := range args {
		n = max(n, a.Index+a.Count)
	}
	return n
}

// next returns n empty entries.
func (s *slots) next(n int) []uintptr {
	s.ids = slices.Grow(s.ids[:0], n)[:n]
	clear(s.ids)
	return s.ids
}

// send records the message that sets entries, where the encoder has others.
func (s *slots) send(ids []uintptr) {
	if len(ids) == 0 || len(ids) <= len(s.sent) && slices.Equal(ids, s.sent[:len(ids)]) {
		return
	}
	words, address := s.recorder.tape.Words(len(ids))
	copy(words, ids)
	s.recorder.tape.Message(0, s.sel, address, 0, uintptr(len(ids)))
	if len(s.sent) > len(ids) {
		copy(s.sent, ids)
	} else {
		s.sent = append(s.sent[:0], ids...)
	}
}

func (s *slots) restart() { s.sent = s.sent[:0] }
