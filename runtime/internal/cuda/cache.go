package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What the driver's compiler makes of a text is kept on disk for the next process, in a file for each. The text has all
// of the source and the options in it, and the folder is for one GPU and one driver.
//
// A file is only ever a shortcut: one that is broken is made anew, and where that does not work there is none.

// cache is that of a device.
type cache struct{ folder string } // "" where nothing is kept

const (
	cacheFormat     = "1" // of files
	imageSuffix     = ".cubin"
	unfinished      = ".tmp"
	unfinishedAfter = time.Hour           // what is unfinished was left behind
	staleAfter      = 30 * 24 * time.Hour // files that nobody has used go
	maxCache        = 256 << 20           // bytes that stay when a device is opened: those that were used last
)

// open finds the folder for a kind of GPU and a driver within that of the options.
func (c *cache) open(folder, device string, capability, driver int) {
	if folder == "" {
		return
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", cacheFormat, device, capability, driver))
	folder = filepath.Join(folder, "cuda-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return
	}
	c.folder = folder
	c.clean()
}

// clean removes what was left behind, what nobody has used for long, and what is too much.
func (c *cache) clean() {
	type file struct {
		path string
		used time.Time
		size int64
	}
	var list []file
	entries, _ := os.ReadDir(c.folder)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path, age := filepath.Join(c.folder, entry.Name()), time.Since(info.ModTime())
		switch {
		case strings.HasSuffix(path, unfinished) && age > unfinishedAfter, strings.HasSuffix(path, imageSuffix) &&
			age > staleAfter:
			_ = os.Remove(path)
		case strings.HasSuffix(path, imageSuffix):
			list = append(list, file{path, info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(list, func(a, b file) int { return b.used.Compare(a.used) })
	var all int64
	for _, f := range list {
		if all += f.size; all > maxCache {
			_ = os.Remove(f.path)
		}
	}
}

// pathOf returns where what was made of a text is.
func (c *cache) pathOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return filepath.Join(c.folder, hex.EncodeToString(sum[:16])+imageSuffix)
}

// load returns what was made of a text, nil if that is not known.
func (c *cache) load(text string) []byte {
	if c.folder == "" {
		return nil
	}
	path := c.pathOf(text)
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if len(bytes) <= sha256.Size || sha256.Sum256(bytes[sha256.Size:]) != [sha256.Size]byte(bytes) {
		_ = os.Remove(path)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now)
	return bytes[sha256.Size:]
}

// store keeps what was made of a text. Other processes see all of it or nothing.
func (c *cache) store(text string, image []byte) {
	if c.folder == "" {
		return
	}
	f, err := os.CreateTemp(c.folder, "*"+unfinished)
	if err != nil {
		return
	}
	sum := sha256.Sum256(image)
	_, err = f.Write(append(sum[:], image...))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), c.pathOf(text)) != nil {
		_ = os.Remove(f.Name())
	}
}

// forget removes what was made of a text, which the driver does not take.
func (c *cache) forget(text string) {
	if c.folder != "" {
		_ = os.Remove(c.pathOf(text))
	}
}
