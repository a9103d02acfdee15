package objc

// SendFloat sends a message whose only argument is a float. It allocates.
func (id ID) SendFloat(sel *SEL, v float32) { c.sendFloat(id, sel.word, v) }
