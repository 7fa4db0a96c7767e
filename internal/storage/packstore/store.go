package packstore

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// Recent packs stay, as bases for what comes in later and to be restored: the
// newest; those that an engine has loaded or saved; and of the others fewer
// the older they are, the first of each span of time. None stays longer than
// MaxAge.
const (
	keepNewest = 8
	keepMarked = 48
	MaxAge     = 14 * 24 * time.Hour
)

// Kept is a pack that is kept.
type Kept struct {
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`     // when it was published or saved
	Size   int64     `json:"size"`   // bytes
	Saved  bool      `json:"saved"`  // another program saved it
	Loaded bool      `json:"loaded"` // another program read it
	Digest [32]byte  `json:"-"`

	Published bool `json:"-"` // the world was published as it, whether or not it was also saved
}

// Path returns where a kept pack lies.
func (s *Store) Path(hash [32]byte) string {
	return filepath.Join(s.dir, hex.EncodeToString(hash[:]))
}

// Suffixes of what lies beside kept packs.
const (
	TakingSuffix = ".taking" // a save that is being taken in
	sumsSuffix   = ".sums"   // digests of a kept pack's entities
	asidePrefix  = "unreadable"
)

// Keep puts a copy of a pack with the kept ones. It need not be durable, since
// every reader checks its hash; and where it cannot be made the world goes on
// without.
func (s *Store) Keep(p *packfile.Pack) {
	anew, err := s.keepCopy(p)
	if err != nil {
		s.log.Warn("the pack could not be kept as a base", "error", err)
	} else if anew {
		s.Tidy(p, Derivation{})
	}
}

// keepCopy is keep without what can be done later (see tidyKept). It reports
// whether there was no copy yet.
func (s *Store) keepCopy(p *packfile.Pack) (anew bool, err error) {
	if p.Len() == 0 || s.state.InMemory() {
		return false, nil
	}
	path := s.Path(p.Hash())
	if _, err := os.Lstat(path); err == nil {
		return false, nil
	}
	return true, s.writeKept(path, p)
}

// writeKept makes a copy and no link: an engine may write over world.pack in
// place.
func (s *Store) writeKept(path string, p *packfile.Pack) error {
	temp := disk.Beside(path, "tmp")
	// The directory is not made where it is missing: then another program is
	// removing all of .worldfs, and Renew puts it back.
	err := disk.WriteSoon(temp, p.Bytes(), 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the first error is the one to tell
	}
	return err
}

// Tidy ends the keeping of a pack: it has sums beside it, and others make
// room for it.
func (s *Store) Tidy(p *packfile.Pack, made Derivation) {
	if p.Len() == 0 || s.state.InMemory() {
		return
	}
	err := s.EnsureSums(p, made)
	if err == nil {
		err = s.prune()
	}
	if err != nil {
		s.log.Warn("the kept packs could not be tidied", "error", err)
	}
}

// KeepDurably puts a copy of a pack that is about to be needed as a base with
// the kept ones, so that it is there after a power cut, too. Where that cannot be
// the world goes on without. The caller has publishing.
func (s *Store) KeepDurably(p *packfile.Pack) {
	if err := s.CopyDurably(p); err != nil {
		s.log.Warn("the pack could not be kept as a base", "error", err)
	}
}

// CopyDurably is KeepDurably for callers that can do something about an error.
func (s *Store) CopyDurably(p *packfile.Pack) error {
	anew, err := s.keepCopy(p)
	if err != nil || p.Len() == 0 || s.state.InMemory() || !anew && s.durable == p.Hash() {
		return err
	}
	if err := s.disk.SyncFile("kept pack", s.Path(p.Hash())); err != nil {
		return err
	}
	if err := s.disk.SyncDir("kept pack", s.dir); err != nil {
		return err
	}
	s.durable = p.Hash()
	return nil
}

// CopyBeside begins to keep a pack that is on its way to the published one's place,
// so that the disk has both to do at once and CopyDurably, which comes after, little;
// it returns what waits for that. Where the disk may not have room for two it does
// nothing. The caller has publishing.
func (s *Store) CopyBeside(p *packfile.Pack) (wait func()) {
	if !disk.HasRoom(s.dir, 3*int64(len(p.Bytes())), 0) {
		return func() {}
	}
	var copying sync.WaitGroup
	copying.Go(func() { // what fails here CopyDurably does again
		if anew, err := s.keepCopy(p); anew && err == nil {
			_ = disk.SyncSoon(s.Path(p.Hash()))
		}
	})
	return copying.Wait
}

// Get returns a pack that was kept.
func (s *Store) Get(hash [32]byte) (*packfile.Pack, error) {
	if hash == ([32]byte{}) {
		return nil, fs.ErrNotExist
	}
	if published := s.published(); published != nil && published.Len() > 0 && published.Hash() == hash {
		return published, nil
	}
	p, err := packfile.ReadFile(s.Path(hash))
	if err == nil && p.Hash() != hash {
		err = fmt.Errorf("kept pack %x is not what it was", hash[:8])
	}
	return p, err
}

// List returns the packs that are kept, the newest first.
func (s *Store) List() ([]Kept, error) {
	notes, err := s.state.Notes()
	if err != nil {
		return nil, err
	}
	return keptIn(s.dir, notes)
}

// keptIn returns the packs kept in a directory, the newest first. Of one that
// nothing is remembered of, the file's time counts.
func keptIn(dir string, notes map[[32]byte]state.PackNote) ([]Kept, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("look at kept packs: %w", err)
	}
	var packs []Kept
	for _, e := range entries {
		hash, err := hex.DecodeString(e.Name())
		info, infoErr := e.Info()
		if err != nil || infoErr != nil || len(hash) != 32 || !info.Mode().IsRegular() {
			continue
		}
		note := notes[[32]byte(hash)]
		if note.At.IsZero() {
			note.At = info.ModTime()
		}
		packs = append(packs, Kept{e.Name(), note.At, info.Size(), note.Saved, note.Loaded, [32]byte(hash), note.Published || !note.Saved})
	}
	slices.SortFunc(packs, func(a, b Kept) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Hash, b.Hash)) })
	return packs, nil
}

// NextTime returns the time of a pack that comes now: no two have the same.
// The caller has publishing.
func (s *Store) NextTime() time.Time {
	now := time.Now()
	if !now.After(s.last) {
		now = s.last.Add(1)
	}
	s.last = now
	return now
}

// prune removes kept packs that are too old or too many, and what is
// remembered of packs beyond the newest.
func (s *Store) prune() error {
	notes, err := s.state.Notes()
	if err != nil {
		return err
	}
	packs, err := keptIn(s.dir, notes)
	if err != nil {
		return err
	}
	pinned, err := s.pinned()
	if err != nil {
		return err
	}
	now := time.Now()
	stay := staying(packs, now)
	for i, p := range packs {
		if stay[i] || pinned[p.Digest] {
			continue
		}
		if err := s.disk.Remove("kept pack", s.Path(p.Digest)); err != nil {
			return err
		}
		_ = os.Remove(s.Path(p.Digest) + sumsSuffix) // it is made again where it is wanted
	}
	s.pruneQuarantine(now)
	return s.state.DropNotes(forgotten(notes, now))
}

// staying tells which kept packs, the newest first, stay.
func staying(packs []Kept, now time.Time) []bool {
	stay := make([]bool, len(packs))
	spans, marked := make(map[time.Time]bool), 0
	for i, p := range slices.Backward(packs) { // the oldest first: of a span the first stays
		age := now.Sub(p.At)
		span := spanOf(p.At, age)
		if age > MaxAge || spans[span] {
			continue
		}
		spans[span], stay[i] = true, true
	}
	for i, p := range packs {
		if i < keepNewest {
			stay[i] = true
		} else if (p.Saved || p.Loaded) && marked < keepMarked && now.Sub(p.At) <= MaxAge {
			stay[i] = true
			marked++
		}
	}
	return stay
}

// spanOf returns the beginning of the span of time that a pack of that age
// stands for.
func spanOf(at time.Time, age time.Duration) time.Time {
	switch {
	case age < time.Hour:
		return at.Truncate(5 * time.Minute)
	case age < 24*time.Hour:
		return at.Truncate(time.Hour)
	}
	return at.Truncate(24 * time.Hour)
}

func forgotten(notes map[[32]byte]state.PackNote, now time.Time) (old [][32]byte) {
	all := make([][32]byte, 0, len(notes))
	for hash := range notes {
		all = append(all, hash)
	}
	slices.SortFunc(all, func(a, b [32]byte) int { return notes[b].At.Compare(notes[a].At) })
	for i, hash := range all {
		if i >= state.MaxNotes || now.Sub(notes[hash].At) > MaxAge && i >= keepNewest {
			old = append(old, hash)
		}
	}
	return old
}
