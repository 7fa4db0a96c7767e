package packstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// pinned returns the packs that are the base of plain files.
func (s *Store) pinned() (map[state.PackHash]bool, error) {
	bases, err := s.state.Bases()
	if err != nil {
		return nil, fmt.Errorf("read the bases of the plain files: %w", err)
	}
	pinned := make(map[state.PackHash]bool, len(bases))
	for _, hash := range bases {
		pinned[hash] = true
	}
	return pinned, nil
}

// putBack writes a file that was removed to where it was, and returns it open
// instead of the removed one, which takes its room for as long as that is open.
func putBack(f *os.File) (*os.File, error) {
	if _, err := os.Lstat(f.Name()); err == nil {
		return f, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	if err := (&disk.Disk{}).WriteAtomic("kept pack", f.Name(), data, 0o600); err != nil {
		return nil, err
	}
	again, err := os.Open(f.Name())
	if err != nil {
		return nil, err
	}
	_ = f.Close() // it was open for reading: nothing can be lost
	return again, nil
}

// IsKnown reports whether a pack is one that we published, or has been taken
// in. A power cut may have taken the kept copy of it; state.db was told durably.
func (s *Store) IsKnown(p *packfile.Pack) bool {
	hash := p.Hash()
	if published := s.published(); published != nil && hash == published.Hash() {
		return true
	}
	if _, err := os.Lstat(s.Path(hash)); err == nil {
		return true
	}
	notes, err := s.state.Notes()
	return err == nil && !notes[hash].At.IsZero()
}
