package packstore

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
// person to look at, and status lists it; it goes after MaxAge, or when
// there are more than keepAside.
const keepAside = 16

// Quarantine moves a file that is no pack of ours out of the way.
func (s *Store) Quarantine(path string) error {
	_, err := s.MoveAside(path)
	return err
}

// MoveAside is Quarantine and returns where the file is now.
func (s *Store) MoveAside(path string) (string, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("put a pack aside: %w", err)
	}
	name := asidePrefix + "-" + time.Now().UTC().Format("20060102T150405.000000000")
	to := filepath.Join(s.dir, name)
	return to, s.disk.Rename("unreadable pack", path, to)
}

// aside returns what was put aside, the newest first.
func (s *Store) aside() (files []fs.FileInfo) {
	entries, _ := os.ReadDir(s.dir) // without it there is none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), asidePrefix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return strings.Compare(b.Name(), a.Name()) })
	return files
}

func (s *Store) pruneAside(now time.Time) {
	for i, info := range s.aside() {
		if i >= keepAside || now.Sub(info.ModTime()) > MaxAge {
			_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next time, else
		}
	}
}

// Findings says what was put aside.
func (s *Store) Findings() (out []entity.Finding) {
	for _, info := range s.aside() {
		out = append(out, entity.Finding{
			Code: entity.CodeSaveTorn, File: filepath.Join(".worldfs", "packs", info.Name()),
			Message: fmt.Sprintf("a world.pack of %d bytes that could not be taken in was put aside here, and the good one is in its place; "+
				"save again from the program that wrote it, then remove this file", info.Size()),
		})
	}
	return out
}
