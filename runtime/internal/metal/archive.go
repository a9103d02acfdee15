package metal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// What the GPU executes is made of a pipeline's function by a compiler of its own, which takes longer than all else. So
// it is kept on disk for the next process, in a binary archive for each pipeline. Sources are compiled each time: Metal
// has no way to write down a library that was made of one, other than a cache of its own.
//
// An archive is only ever a shortcut. One that is broken, or of something else, is made anew, and where that does not
// work the pipeline is made without.

var (
	selNewArchive        = objc.Selector("newBinaryArchiveWithDescriptor:error:", "@@^@")
	selSetArchiveURL     = objc.Selector("setUrl:", "v@")
	selSetBinaryArchives = objc.Selector("setBinaryArchives:", "v@")
	selAddToArchive      = objc.Selector("addComputePipelineFunctionsWithDescriptor:error:", "B@^@")
	selSerialize         = objc.Selector("serializeToURL:error:", "B@^@")
)

// archives are those of a device.
type archives struct {
	folder string // "" where nothing is kept

	// refused is set when Metal has refused to make one: it is not asked again. A virtual GPU may do so, or do worse,
	// and so only those are asked at all that are of the families of real ones.
	refused atomic.Bool
}

const (
	archiveFormat   = "1" // of names: another one for another way to make pipelines
	archiveSuffix   = ".metalar"
	unfinished      = ".tmp"
	unfinishedAfter = time.Hour           // what is unfinished was left behind
	staleAfter      = 30 * 24 * time.Hour // archives of other devices and systems go
)

// open finds the folder for a device within the cache. Each system has one of its own: archives do not outlive an
// update.
func (a *archives) open(cache, device, build string) {
	if cache == "" {
		return
	}
	sum := sha256.Sum256([]byte(archiveFormat + "\x00" + device + "\x00" + build))
	folder := filepath.Join(cache, "pipelines-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now)
	removeOld(cache, folderPattern, now.Add(-staleAfter))
	removeOld(folder, "*"+unfinished, now.Add(-unfinishedAfter))
	a.folder = folder
}

// folderPattern is of the names that open makes: a cache may have more in it.
var folderPattern = "pipelines-" + strings.Repeat("[0-9a-f]", 16)

// removeOld removes what is in a folder, has a name of a pattern and was changed before a time.
func removeOld(folder, pattern string, before time.Time) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if match, _ := filepath.Match(pattern, entry.Name()); !match {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
}

// keyOf returns a hash of all that goes into a library.
func (a *archives) keyOf(lib *driver.Library, o *driver.Options, logs bool) (key [sha256.Size]byte) {
	if a.folder == "" {
		return key
	}
	if bytes, ok := o.Metallibs[lib.File]; ok {
		return sha256.Sum256(bytes)
	}
	h := sha256.New()
	part := func(text string) { fmt.Fprintf(h, "%d:%s,", len(text), text) }
	fmt.Fprintf(h, "%v %v %v ", o.Language, o.Math, logs)
	for _, name := range slices.Sorted(maps.Keys(o.Macros)) {
		part(name)
		part(o.Macros[name])
	}
	part(*lib.Source)
	return [sha256.Size]byte(h.Sum(nil))
}

// pathOf returns where the archive of a pipeline is: its name is a hash of all that goes into the pipeline.
func (a *archives) pathOf(p *pipeline, lib *library, constants []driver.Value) string {
	if a.folder == "" || a.refused.Load() {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%x %s %x", lib.key, p.kernel.Name, appendKey(nil, constants))
	return filepath.Join(a.folder, hex.EncodeToString(h.Sum(nil))+archiveSuffix)
}

// openArchive opens the archive of a file, or an empty one for "". Callers are within a pool, and release the result.
func (d *Device) openArchive(path string) (objc.ID, error) {
	descriptor, err := objc.New("MTLBinaryArchiveDescriptor")
	if err != nil {
		return 0, err
	}
	defer descriptor.Release()
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return 0, err
		}
		url, err := fileURL(path)
		if err != nil {
			return 0, err
		}
		descriptor.Send(selSetArchiveURL, uintptr(url))
	}
	id, err := d.id.SendError(selNewArchive, uintptr(descriptor))
	return objc.ID(id), err
}

// newArchive makes an archive of the pipeline that a descriptor describes, and writes it. Other processes see all of
// the file or nothing.
func (d *Device) newArchive(path string, descriptor objc.ID) (objc.ID, error) {
	archive, err := d.openArchive("")
	if err != nil {
		d.archives.refused.Store(true)
		return 0, err
	}
	if _, err := archive.SendError(selAddToArchive, uintptr(descriptor)); err != nil {
		d.archives.refused.Store(true)
		archive.Release()
		return 0, err
	}
	_ = d.write(archive, path) // for the next process
	return archive, nil
}

// write has Metal write a file that is not there yet, in a folder of its own, and then moves it.
func (d *Device) write(archive objc.ID, path string) error {
	folder, err := os.MkdirTemp(filepath.Dir(path), "*"+unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, filepath.Base(path))
	url, err := fileURL(name)
	if err != nil {
		return err
	}
	if _, err := archive.SendError(selSerialize, uintptr(url)); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// archivedPipeline makes the pipeline of a descriptor by way of the archive of a file, which it makes anew where there
// is none with the pipeline. It may fail where makePipeline would not.
func (d *Device) archivedPipeline(path string, descriptor objc.ID) (state, reflection objc.ID, err error) {
	archive, err := d.openArchive(path)
	if err == nil {
		defer archive.Release()
		if state, reflection, err = d.pipelineFrom(archive, descriptor); err == nil {
			return state, reflection, nil
		}
		descriptor.Send(selSetBinaryArchives, 0)
	}
	made, err := d.newArchive(path, descriptor)
	if err != nil {
		return 0, 0, err
	}
	defer made.Release()
	return d.pipelineFrom(made, descriptor)
}

// pipelineFrom makes a pipeline of an archive, and fails where that has it not.
func (d *Device) pipelineFrom(archive, descriptor objc.ID) (state, reflection objc.ID, err error) {
	list, err := objc.Array(archive)
	if err != nil {
		return 0, 0, err
	}
	descriptor.Send(selSetBinaryArchives, uintptr(list))
	return d.makePipeline(descriptor, optionFailOnArchiveMiss)
}
