package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// trees are the directories that are watched.
type trees struct {
	*fsnotify.Watcher
	roots []string
	dirs  map[string]bool
}

// watchTrees watches the roots with all directories below them, and those above them that tell of a root that appears
// or is replaced.
func watchTrees(roots []string) (*trees, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	t := &trees{w, roots, map[string]bool{}}
	for _, root := range roots {
		if err := t.addTree(root); err != nil {
			w.Close()
			return nil, err
		}
	}
	// A system may report a directory under one of its names only: those of the trees come first.
	for _, root := range roots {
		if err := t.addAbove(root); err != nil {
			w.Close()
			return nil, err
		}
	}
	return t, nil
}

func (t *trees) addTree(dir string) error {
	if there, err := t.add(dir); !there {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it is gone already, which is a change
	}
	for _, e := range entries {
		if e.IsDir() && !hidden(e.Name()) {
			if err := t.addTree(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// addAbove adds the directories that a relative path names before its last element, the current directory with them.
// Of an absolute path it adds the last one that there is: others are not the project's.
func (t *trees) addAbove(root string) error {
	for dir := root; dir != "."; {
		above := filepath.Dir(dir)
		there, err := t.add(above)
		if err != nil || there && filepath.IsAbs(root) || above == dir {
			return err
		}
		dir = above
	}
	return nil
}

// add watches one directory, and reports whether there is one that can be read.
func (t *trees) add(dir string) (there bool, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false, nil
	}
	err = t.Add(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return false, nil
	case errors.Is(err, syscall.ENOSPC):
		return false, fmt.Errorf("%s: more directories than fs.inotify.max_user_watches allows", dir)
	case err != nil:
		return false, err
	}
	t.dirs[dir] = true
	return true, nil
}

// matters reports whether a pass may read what the event is about. Attributes do not matter: systems change them in
// files that are merely read.
func (t *trees) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	name := filepath.Clean(e.Name)
	for _, root := range t.roots {
		if within(root, name) {
			return true // the root itself, or a directory that leads to it
		}
		if within(name, root) && !hidden(filepath.Base(name)) {
			return true
		}
	}
	return false
}

// moves reports whether there may be other directories after the event.
func (t *trees) moves(e fsnotify.Event) bool {
	if e.Has(fsnotify.Remove|fsnotify.Rename) && t.dirs[filepath.Clean(e.Name)] {
		return true
	}
	if !e.Has(fsnotify.Create) {
		return false
	}
	info, err := os.Stat(e.Name)
	return err == nil && info.IsDir()
}

// within reports whether a path is dir, or below it.
func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") && name != "." && name != ".." }
