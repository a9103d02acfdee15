// Package regular reads regular files, and nothing else. A directory of sources may hold what others put there: a
// FIFO that never ends, a device that acts when it is opened, a sparse file as large as the disk.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Error is why a file that is there is not read.
type Error string

func (e Error) Error() string { return string(e) }

// opener opens files by their names. An *os.Root is one.
type opener interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// system opens files by the paths of the system.
type system struct{}

func (system) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (system) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// Open opens a regular file for reading and returns its size.
func Open(name string) (*os.File, int64, error) { return open(system{}, name) }

// ReadFile reads a regular file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) { return read(system{}, name, limit) }

// ReadIn reads a regular file of at most limit bytes in a directory that it does not leave.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) { return read(root, name, limit) }

// open looks before it opens, because to open a device may move it, and afterwards, because another file may have
// the name by then. Nor does it wait for a FIFO that came in between.
func open(from opener, name string) (*os.File, int64, error) {
	info, err := from.Stat(name)
	if err == nil {
		err = check(info.Mode())
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func read(from opener, name string, limit int64) ([]byte, error) {
	f, size, err := open(from, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, tooLarge(limit)
	}
	// The size is what it was: the file may have grown since, or may not know.
	data := make([]byte, 0, size+1)
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, tooLarge(limit)
}

func tooLarge(limit int64) error {
	return Error(fmt.Sprintf("it has more than %d MB", limit>>20))
}

// check returns an error for everything but a regular file.
func check(mode fs.FileMode) error {
	what := "no regular file"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a FIFO, no regular file"
	case mode&fs.ModeSocket != 0:
		what = "a socket, no regular file"
	case mode&fs.ModeDevice != 0:
		what = "a device, no regular file"
	}
	return Error("it is " + what)
}
