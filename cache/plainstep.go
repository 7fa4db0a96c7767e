package cache

import (
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// Most commands change nothing, or what a few plain files say. For those it is
// known that the others are as they should be without rendering every entity:
// when all were brought in step with the published pack, the number of the last
// edit was noted; if that is still the last, the pack the same, and each file
// found as it was left, there is nothing to write.

// notePlainInStepLocked notes that all plain files are in step. The caller has
// publishing.
func (s *plainSync) notePlainInStepLocked() error {
	have, err := s.world.store.PlainInStep()
	if err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	want := s.world.Edits()
	if have == want {
		return nil
	}
	if err := s.world.store.PutPlainInStep(want); err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	return nil
}

// isPlainInStepLocked reports whether the plain files that were just looked at are all
// there is to have and in step, but for those that the scan found otherwise. The
// caller has publishing, and nothing was taken in yet.
func (s *plainSync) isPlainInStepLocked(p *plainfiles.Scan, v *View) (bool, error) {
	if len(p.Notes)+len(p.Misplaced) > 0 || len(p.Known) != s.world.Len() || !s.world.publisher.isPublished(v) {
		return false, nil
	}
	for id, known := range p.Known {
		if !known.IsInStep(func() bool { return worldFiles{s.world}.IsBroken(id) }) {
			return false, nil
		}
	}
	noted, err := s.world.store.PlainInStep()
	if err != nil {
		return false, fmt.Errorf("read what is known of the plain files: %w", err)
	}
	bases, err := s.world.store.Bases()
	if err != nil {
		return false, fmt.Errorf("read what is known of the plain files: %w", err)
	}
	return noted == s.world.Edits() &&
		len(bases) == 1 && bases[state.BaseCommon] == s.world.published().Hash(), nil
}

// seePlainInStepLocked notes, for this process, that all plain files are in step but
// those that were just taken in, and what this changed. The caller has
// publishing.
func (s *plainSync) seePlainInStepLocked(t *plainTaking) {
	s.plainSeen, s.plainBehind = s.world.Edits(), make(map[entity.ID]bool)
	if t.inStep {
		return
	}
	for id := range t.scan.Texts {
		s.plainBehind[id] = true
	}
	for id := range t.changes {
		s.plainBehind[id] = true
	}
	for _, id := range t.missing {
		s.plainBehind[id] = true
	}
}

// leavesInStep reports whether the world is what all plain files say, text for
// text, now that they were taken in: they were in step before, or there were
// none; and nothing changed but what is now as a file has it.
func (t *plainTaking) leavesInStep(before bool) bool {
	p, n := t.scan, len(t.scan.Texts)
	all := len(p.Known)+len(p.Notes)+len(p.Misplaced) == 0 && p.Files == n && t.world.Len() == n
	if !t.alone || !before && !all || len(t.missing)+len(t.parted) > 0 {
		return false
	}
	for id, c := range t.changes {
		if c.Entity == nil || p.Texts[id] == nil {
			return false
		}
	}
	for id, a := range p.Attrs {
		want, own, ok := t.world.control.AttrOf(id)
		if !ok || !plainfiles.IsModeInStep(a.Mode, want.Mode) || own && !a.Mtime.Equal(want.Mtime) {
			return false
		}
	}
	return true
}

// PlainInStep reports whether this process has found the plain files of
// entities/ in step, and nothing has changed since.
func (s *plainSync) PlainInStep() bool {
	s.world.publishing.Lock()
	defer s.world.publishing.Unlock()
	return s.plainSeen == s.world.Edits() && len(s.plainBehind) == 0
}

// plainToWriteLocked returns the entities whose plain files may not be as they should
// be. ok is false where any may. The caller has publishing.
func (s *plainSync) plainToWriteLocked() (ids []entity.ID, ok bool) {
	return slices.Sorted(maps.Keys(s.plainBehind)), s.plainSeen == s.world.Edits()
}
