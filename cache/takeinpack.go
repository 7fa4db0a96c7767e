package cache

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
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/packfile"
)

// takeInPack takes in a pack that another program saved: what it changed since the pack
// that it had loaded (see BaseOf). The save itself is kept: the program may name it as the
// base of its next one. Of one that is a great loss nothing else is done. While another
// great loss waits the error is a *LossError, and the save is to be taken in later.
func (s *saveWatcher) takeInPack(p, published *packfile.Pack) error {
	if err := s.refuse(p); err != nil {
		return err
	}
	if err := s.takeInOne(p, published); err != nil {
		return err
	}
	_, err := s.attendDisplacedLocked() // what was saved meanwhile
	return err
}

// takeInOne is takeInPack, but for what is saved meanwhile: that may go on from
// p, which is no base before it is kept.
func (s *saveWatcher) takeInOne(p, published *packfile.Pack) error {
	s.taking = true
	defer func() { s.taking = false }()
	if err := s.world.decls.reloadTypesLocked(); err != nil {
		return err
	}
	defer s.world.becauseLocked(Cause{By: ByPack})()
	if err := s.world.judgeLocked(); err != nil { // what is looked for a base among
		return err
	}
	if err := s.keepTaking(p); err != nil {
		return err
	}
	base := s.world.packs.BaseOf(p, published, func() entity.Source { return s.world.snapshot(true) })
	if err := s.noteBase(base); err != nil {
		return err
	}
	options, err := mergerules.Read(s.world.dir)
	if err != nil {
		s.world.log.Warn("merging goes on without ID ranges", "error", err)
	}
	options.Program = options.Program.Other() // it is the program that saves
	v, err := s.viewOfAll()
	if err != nil {
		return err
	}
	s.world.publisher.taking = p
	defer func() { s.world.publisher.taking = nil }()
	r, err := s.world.takeInLocked(v, base.Pack, p, options)
	if IsLoss(err) && s.world.mayPublishLocked(v) {
		r, err = Report{}, s.noteSaveLoss(p, err)
	}
	if err == nil && s.world.publisher.placedSave { // nothing was to be published, and the save lies in our pack's place
		if err = s.world.control.Commit(); err == nil {
			err = s.world.publisher.publishLocked(v, nil)
		}
	}
	if err != nil {
		return err
	}
	s.world.log.Info("took in a pack that another program saved", "created", r.Created, "changed", r.Changed,
		"deleted", r.Deleted, "conflicts", len(r.Conflicts), "noise", r.Noise)
	return s.keepTaken(p)
}

// viewOfAll returns the world as it is now, with every text read: one that is written
// after that counts as newer than the save, and would undo what the save has changed of
// its entity. While a program writes all the time the last is as good as any.
func (s *saveWatcher) viewOfAll() (v *View, err error) {
	const tries = 5
	for range tries {
		if err = s.world.judgeLocked(); err != nil {
			return nil, err
		}
		if v = s.world.snapshot(true); len(v.Lacks()) == 0 {
			break
		}
	}
	return v, nil
}

// keepTaking keeps a copy of a save before anything is done about it: whatever
// happens to the file, and to this process, it is there. It need not be
// durable: the file itself may not be, and stays until our pack is.
func (s *saveWatcher) keepTaking(p *packfile.Pack) error {
	if s.world.store.InMemory() {
		return nil
	}
	path := s.world.packs.Path(p.Hash()) + packstore.TakingSuffix
	temp := disk.Beside(path, "tmp")
	err := os.MkdirAll(s.world.dir.PacksPath(), 0o700)
	if err == nil {
		err = os.WriteFile(temp, p.Bytes(), 0o600)
	}
	if err == nil {
		err = s.world.disk.Rename("save", temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the first error is the one to report
		return fmt.Errorf("keep a copy of the save: %w", err)
	}
	return nil
}

// keepTaken ends the intake of a save: it is one of the kept packs now.
func (s *saveWatcher) keepTaken(p *packfile.Pack) error {
	if s.world.publisher.taking != nil { // no publishing has noted it
		u := state.Update{Packs: map[[32]byte]state.PackNote{p.Hash(): {At: s.world.packs.NextTime(), Saved: true}}}
		if err := s.world.store.Apply(u); err != nil {
			return err
		}
	}
	if s.world.store.InMemory() {
		return nil
	}
	path := s.world.packs.Path(p.Hash())
	if err := s.world.disk.Rename("save", path+packstore.TakingSuffix, path); err != nil {
		return err
	}
	if err := s.world.packs.EnsureSums(p, packstore.Derivation{}); err != nil {
		s.world.log.Warn("a save has no sums", "error", err)
	}
	return nil
}

// takeInLeft takes in, at the opening of the world, what a process that was
// killed has left: saves that it was taking in, files that came out of an
// exchange, the oldest first; and then foreign, which lies at world.pack.
func (s *saveWatcher) takeInLeft(m state.Meta, foreign *packfile.Pack) error {
	if !s.world.store.InMemory() { // there they stay where they lie
		disk.Sweep(filepath.Join(s.world.dir.PacksPath(), "*"), "tmp")
		if err := s.takeInFiles(foreign, m); err != nil {
			return err
		}
	}
	if foreign == nil {
		return nil
	}
	if err := s.takeInPlace(foreign); !IsLoss(err) { // else it stays there until it can be
		return err
	}
	return nil
}

// takeInFiles takes in the files that a process which was killed has left.
func (s *saveWatcher) takeInFiles(foreign *packfile.Pack, m state.Meta) error {
	if err := s.sweepTaking(foreign); err != nil {
		return err
	}
	paths, err := packfile.Leftovers(s.world.dir.PackPath())
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := s.takeInLeftover(path, m); err != nil {
			return err
		}
	}
	return nil
}

func (s *saveWatcher) takeInLeftover(path string, m state.Meta) error {
	p, by, err := s.readSave(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case isEmpty(path) && by != another: // ours, as a rule, of which nothing was written yet
		return s.world.disk.Remove("left pack", path)
	case by == another:
		s.laterDisplaced(path)
		return nil
	case err != nil:
		s.world.log.Warn("a pack that cannot be taken in was put aside", "path", path, "error", err)
		return s.world.packs.Quarantine(path, err)
	}
	if hash := p.Hash(); hash != m.Base && hash != m.Next && !s.world.packs.IsKnown(p) {
		if err := s.takeInPack(p, s.world.published()); IsLoss(err) {
			s.laterDisplaced(path)
			return nil
		} else if err != nil {
			return err
		}
	}
	s.world.packs.Keep(p) // which a power cut may have undone, and the next save may be made from it
	return s.world.disk.Remove("left pack", path)
}

func isEmpty(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Size() == 0
}

// modTime returns when a file was written, the zero time if it is not there.
func modTime(path string) (t time.Time) {
	if info, err := os.Lstat(path); err == nil {
		t = info.ModTime()
	}
	return t
}

// sweepTaking looks at the saves that were being taken in when the process
// was killed.
func (s *saveWatcher) sweepTaking(foreign *packfile.Pack) error {
	paths, err := filepath.Glob(filepath.Join(s.world.dir.PacksPath(), "*"+packstore.TakingSuffix))
	if err != nil || len(paths) == 0 {
		return err
	}
	notes, err := s.world.store.Notes()
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return modTime(a).Compare(modTime(b)) })
	for _, path := range paths { // the oldest first: a later one may have been made from it
		p, err := packfile.ReadFile(path)
		named := strings.TrimSuffix(path, packstore.TakingSuffix)
		switch {
		case err != nil || s.world.packs.Path(p.Hash()) != named: // it was cut off, and the save lies where it was
			err = s.world.disk.Remove("copy of a save", path)
		case notes[p.Hash()].Saved:
			err = s.world.disk.Rename("save", path, named)
		case foreign != nil && foreign.Hash() == p.Hash(): // it is taken in from where it lies
		case s.refuse(p) != nil:
			err = s.world.packs.Quarantine(path, s.refuse(p))
		case p.Check() != nil:
			err = s.world.packs.Quarantine(path, p.Check())
		default:
			err = s.takeInPack(p, s.world.published())
		}
		if err != nil && !IsLoss(err) { // else the next that opens the world takes it in
			return err
		}
	}
	return nil
}
