//go:build !amd64 && !arm64

package objc

func (s *Sender) putSizes() int { panic(errPlatform) }

func (s *Sender) putSize() int { panic(errPlatform) }

func (s *Sender) putStructs([][]uintptr) int { panic(errPlatform) }

func (f *functions) sizeSender() *uintptr { return &f.msgSend }
