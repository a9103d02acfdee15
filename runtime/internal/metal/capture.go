package metal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// captureToFile is MTLCaptureDestinationGPUTraceDocument. Apple: MTLCaptureManager.h.
const captureToFile = 2

const captureExtension = ".gputrace"

// Capture writes what the device is made to do until stop to a new file that Xcode
// opens. Metal runs one capture at a time, of command buffers that are made and
// committed meanwhile; dispatches are labelled. Stop may be called again and after
// Close, and returns an error where nothing was captured.
func (d *Device) Capture(path string) (stop func() error, err error) {
	if path, err = checkCapturePath(path); err != nil {
		return nil, err
	}
	objc.WithPool(func() { stop, err = d.capture(path) })
	return stop, err
}

// checkCapturePath finds in Go what Metal would only say at the end, or not at all.
func checkCapturePath(path string) (string, error) {
	if filepath.Ext(path) != captureExtension {
		return "", fmt.Errorf("the name of a capture ends in %s", captureExtension)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return path, nil
}

func (d *Device) capture(path string) (stop func() error, err error) {
	manager, err := captureManager()
	if err != nil {
		return nil, err
	}
	descriptor, err := objc.New("MTLCaptureDescriptor")
	if err != nil {
		return nil, err
	}
	defer descriptor.Release()
	url, err := fileURL(path)
	if err != nil {
		return nil, err
	}
	descriptor.Send(selSetCaptureObject, uintptr(d.id))
	descriptor.Send(selSetDestination, captureToFile)
	descriptor.Send(selSetOutputURL, uintptr(url))
	if _, err := manager.SendError(selStartCapture, uintptr(descriptor)); err != nil {
		return nil, err
	}
	d.labels.Store(true)
	return sync.OnceValue(func() error {
		d.labels.Store(d.options.Labels)
		objc.WithPool(func() {
			if manager.Send(selIsCapturing) != 0 { // Xcode has a button that stops it too
				manager.Send(selStopCapture)
			}
		})
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return errors.New("nothing was captured: was a batch run meanwhile?")
		}
		return nil
	}), nil
}

// captureManager returns that of the process, where the program may write captures to a
// file.
func captureManager() (objc.ID, error) {
	class, err := objc.Class("MTLCaptureManager")
	if err != nil {
		return 0, err
	}
	manager := objc.ID(class.Send(selSharedCaptureManager))
	if manager.Send(selSupportsDestination, captureToFile) == 0 {
		return 0, fmt.Errorf("run the program with MTL_CAPTURE_ENABLED=1 in its environment: "+
			"without, Metal allows no captures to a file: %w", errors.ErrUnsupported)
	}
	return manager, nil
}

// fileURL makes an NSURL, which the pool holds. Apple: NSURL.h.
func fileURL(path string) (objc.ID, error) {
	class, err := objc.Class("NSURL")
	if err != nil {
		return 0, err
	}
	text, err := objc.NewString(path)
	if err != nil {
		return 0, err
	}
	defer text.Release()
	return objc.ID(class.Send(selFileURL, uintptr(text))), nil
}
