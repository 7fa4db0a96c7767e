package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// What is no whole pack of this world is put aside with the kept packs, for a
// person to look at, and status lists it; it goes after keepPackFor, or when
// there are more than keepAside.
const keepAside = 16

// putAside moves a file that is no pack of ours out of the way.
func (w *World) putAside(path string) error {
	_, err := w.moveAside(path)
	return err
}

// moveAside is putAside and returns where the file is now.
func (w *World) moveAside(path string) (string, error) {
	if err := os.MkdirAll(w.dir.PacksPath(), 0o700); err != nil {
		return "", fmt.Errorf("put a pack aside: %w", err)
	}
	name := asidePrefix + "-" + w.now().UTC().Format("20060102T150405.000000000")
	to := filepath.Join(w.dir.PacksPath(), name)
	return to, w.disk.Rename("unreadable pack", path, to)
}

// aside returns what was put aside, the newest first.
func (w *World) aside() (files []fs.FileInfo) {
	entries, _ := os.ReadDir(w.dir.PacksPath()) // without it there is none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), asidePrefix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return strings.Compare(b.Name(), a.Name()) })
	return files
}

func (w *World) pruneAside(now time.Time) {
	for i, info := range w.aside() {
		if i >= keepAside || now.Sub(info.ModTime()) > keepPackFor {
			_ = os.Remove(filepath.Join(w.dir.PacksPath(), info.Name())) // the next time, else
		}
	}
}

// asideFindings says what was put aside and was written after the last save that came
// in: that one has made good for those before it.
func (w *World) asideFindings() (out []entity.Finding) {
	files := w.aside()
	if len(files) == 0 {
		return nil
	}
	saved := w.lastSaved()
	for _, info := range files {
		if info.ModTime().Before(saved) {
			continue
		}
		out = append(out, entity.Finding{
			Code: entity.CodeSaveTorn, File: filepath.Join(".worldfs", "packs", info.Name()),
			Message: fmt.Sprintf("a world.pack of %d bytes that could not be taken in was put aside here, and the good one is in its place; "+
				"save again from the program that wrote it", info.Size()),
		})
	}
	return out
}

// lastSaved returns when a save came in last, the zero time if that is not known.
func (w *World) lastSaved() (at time.Time) {
	notes, err := w.store.notes()
	if err != nil {
		w.log.Warn("what is known of saves cannot be read", "error", err)
	}
	for _, note := range notes {
		if note.saved {
			at = later(at, note.at)
		}
	}
	return at
}
