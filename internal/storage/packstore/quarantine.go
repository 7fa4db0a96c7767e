package packstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// What is no whole pack of this world, or none that is taken in (see Refuse), is put aside
// with the kept packs, for a person to look at, and status lists it; it goes after MaxAge,
// or when there are more than maxQuarantined.
const maxQuarantined = 16

// asideTime is how the name of a file that was put aside says when that was.
const asideTime = "20060102T150405.000000000"

// Quarantine moves a file out of the way that is no pack of ours, because of why.
func (s *Store) Quarantine(path string, why error) error {
	_, err := s.MoveToQuarantine(path, why)
	return err
}

// MoveToQuarantine is Quarantine and returns where the file is now.
func (s *Store) MoveToQuarantine(path string, why error) (string, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("put a pack aside: %w", err)
	}
	name := asidePrefix + "-" + time.Now().UTC().Format(asideTime)
	if refused := (*Refused)(nil); errors.As(why, &refused) {
		name += refused.suffix()
	}
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
		if i >= maxQuarantined || now.Sub(asideSince(info)) > MaxAge {
			_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next time, else
		}
	}
}

// Findings says what was put aside since the last save that came in, which has made good for
// what was before it (see asideSince).
func (s *Store) Findings() (out []entity.Finding) {
	files := s.quarantined()
	if len(files) == 0 {
		return nil
	}
	saved := s.lastSaved()
	for _, info := range files {
		if !asideSince(info).Before(saved) {
			out = append(out, asideFinding(info))
		}
	}
	return out
}

// asideSince returns since when a file is aside, as far as it counts: of a save that was cut
// off that is when it was written. What was copied there may be much older.
func asideSince(info fs.FileInfo) time.Time {
	stamp := strings.TrimPrefix(info.Name(), asidePrefix+"-")
	at, err := time.Parse(asideTime, stamp[:min(len(asideTime), len(stamp))])
	if err != nil || refusedOf(info.Name()) == nil {
		return info.ModTime()
	}
	return at
}

// asideFinding says what a file is that was put aside.
func asideFinding(info fs.FileInfo) entity.Finding {
	f := entity.Finding{File: filepath.Join(".worldfs", "packs", info.Name())}
	if refused := refusedOf(info.Name()); refused != nil {
		f.Code = entity.CodePackRefused
		f.Message = fmt.Sprintf("what was put in the place of world.pack is %v; nothing of it was taken in, "+
			"it was put aside here, and the world's own pack is in its place", refused)
		return f
	}
	f.Code = entity.CodeSaveTorn
	f.Message = fmt.Sprintf("a world.pack of %d bytes that could not be taken in was put aside here, and the good one is in its place; "+
		"save again from the program that wrote it", info.Size())
	return f
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
