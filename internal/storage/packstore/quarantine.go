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
// there are more than maxQuarantined.
const maxQuarantined = 16

// Quarantine moves a file that is no pack of ours out of the way.
func (s *Store) Quarantine(path string) error {
	_, err := s.MoveToQuarantine(path)
	return err
}

// MoveToQuarantine is Quarantine and returns where the file is now.
func (s *Store) MoveToQuarantine(path string) (string, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("put a pack aside: %w", err)
	}
	name := asidePrefix + "-" + time.Now().UTC().Format("20060102T150405.000000000")
	to := filepath.Join(s.dir, name)
	return to, s.disk.Rename("unreadable pack", path, to)
}

// quarantined returns what was put aside, the newest first.
func (s *Store) quarantined() (files []fs.FileInfo) {
	entries, _ := os.ReadDir(s.dir) // without it there is none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), asidePrefix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return strings.Compare(b.Name(), a.Name()) })
	return files
}

func (s *Store) pruneQuarantine(now time.Time) {
	for i, info := range s.quarantined() {
		if i >= maxQuarantined || now.Sub(info.ModTime()) > MaxAge {
			_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next time, else
		}
	}
}

// Findings says what was put aside and was written after the last save that came in:
// that one has made good for those before it.
func (s *Store) Findings() (out []entity.Finding) {
	files := s.quarantined()
	if len(files) == 0 {
		return nil
	}
	saved := s.lastSaved()
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
func (s *Store) lastSaved() (at time.Time) {
	notes, err := s.state.Notes()
	if err != nil {
		s.log.Warn("what is known of saves cannot be read", "error", err)
	}
	for _, note := range notes {
		if note.Saved && note.At.After(at) {
			at = note.At
		}
	}
	return at
}
