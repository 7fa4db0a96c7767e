package vcssync

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// svnSync is svn being told.
type svnSync struct {
	*syncing
	copy    *vcs.SVNCopy
	changes *vcs.Changes
	record  Record
	deleted map[string]Deletion // of record, by name
}

func (s *syncing) svn() error {
	w, err := vcs.SVN{Dir: s.Dir.Root}.OpenCopy()
	if err != nil {
		return err
	}
	t := svnSync{syncing: s, copy: w}
	if t.record, err = s.Note(Update{}); err != nil {
		return err
	}
	t.deleted = t.record.byName()
	for _, step := range []func() error{t.look, t.finishReturned, t.scheduleDeletions, t.unscheduleDeletions, t.scheduleAdditions} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// look finds what came and went. Where another process has the working copy, what is
// gone is on record when it returns.
func (t *svnSync) look() error {
	added := make(chan error)
	go func() { added <- t.isAdded() }()
	err := t.lookAt(names, t.isThere)
	if err := <-added; err != nil {
		return err
	}
	if err == nil || t.changes == nil {
		return err
	}
	return t.onRecord(err, t.noteDeleted(t.changes.Deleted, nil))
}

// onRecord returns why svn cannot be told. What it has of the files is asked while it is
// so: it is told later by another call, and an update may come before.
func (t *svnSync) onRecord(err, noteErr error) error {
	_ = Ask(t.Options) // where it does not say that either, the deletions are on record all the same
	return errors.Join(err, noteErr)
}

// isAdded returns ErrNotAdded where svn does not have the world.
func (t *svnSync) isAdded() error {
	known, err := t.copy.Knows([]string{worlddir.ConfigName})
	if errors.Is(err, vcs.ErrNoRepository) || err == nil && len(known) == 0 {
		return ErrNotAdded
	}
	return err
}

// lookAt finds what came and went of the names. Directories that are new are told at once:
// before, svn does not say which files in them are to be ignored.
func (t *svnSync) lookAt(names []string, isThere func(name string) bool) error {
	for {
		c, dirs, err := t.copy.Changes(names...)
		dirs = slices.DeleteFunc(dirs, t.isForeign)
		if err != nil || len(dirs) == 0 {
			c.Select(isThere, t.isOurs)
			t.changes, t.done.Conflicts = c, c.Conflicts
			return err
		}
		if err := t.copy.Add(dirs); err != nil {
			return err
		}
	}
}

// isForeign reports whether a new directory is none for entities or types, or has none
// of them.
func (t *svnSync) isForeign(dir string) bool {
	shard, ok := strings.CutPrefix(dir, worlddir.EntitiesName+"/")
	if !ok {
		return !slices.Contains(names, dir)
	}
	if !layout.IsShard(shard) {
		return true
	}
	entries, err := os.ReadDir(t.path(dir))
	return err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return t.isThere(path.Join(dir, e.Name())) })
}

// scheduleDeletions tells svn what is gone, and what was gone before svn brought it back.
func (t *svnSync) scheduleDeletions() error {
	restored, err := t.findRestored()
	if err != nil {
		return err
	}
	gone := append(slices.Sorted(maps.Keys(restored)), t.changes.Deleted...)
	if err := t.noteDeleted(gone, restored); err != nil {
		return err
	}
	if err := t.copy.Delete(slices.DeleteFunc(slices.Clone(gone), t.isToldDeleted)); err != nil {
		return t.onRecord(err, nil)
	}
	for name := range restored {
		if err := os.Remove(t.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete again what svn brought back: %w", err)
		}
	}
	t.done.Deleted, t.done.Restored = gone, gone[:len(restored)]
	var settled []string
	for _, d := range t.record.Deleted {
		if !slices.Contains(t.changes.Conflicts, d.Name) {
			settled = append(settled, d.Name)
		}
	}
	t.record, err = t.Note(Update{Drop: slices.Concat(settled, gone)})
	return err
}

// isToldDeleted reports whether svn knows of a deletion although the file is there.
func (t *svnSync) isToldDeleted(name string) bool { return slices.Contains(t.changes.Returned, name) }

// noteDeleted puts deletions on record, with the texts that svn has of those files that
// it has restored. Of the others it is asked only if it cannot be told.
func (t *svnSync) noteDeleted(gone []string, restored map[string]string) error {
	var u Update
	for _, name := range gone {
		d, on := t.deleted[name]
		if base := restored[name]; !on || base != "" && base != d.Base {
			u.Add = append(u.Add, Deletion{Name: name, Time: cmp.Or(d.Time, time.Now().UTC()), Base: cmp.Or(base, d.Base)})
		}
	}
	_, err := t.Note(u)
	return err
}

// clockLag is how far the clock that files get their times from may be behind.
const clockLag = 20 * time.Millisecond

// findRestored returns the files on record that are there again as svn has them: svn has
// written them since, or a call that was killed has not removed them yet.
// It returns the texts that svn has of them, too.
func (t *svnSync) findRestored() (restored map[string]string, err error) {
	var candidates []string
	c := t.changes
	listed := setOf(c.Created, c.Deleted, c.Edited, c.Conflicts)
	for _, d := range t.record.Deleted {
		if !listed[d.Name] && t.mayBeRestored(d) {
			candidates = append(candidates, d.Name)
		}
	}
	known, err := t.copy.Knows(candidates)
	if err != nil {
		return nil, err
	}
	restored = make(map[string]string)
	for _, name := range candidates {
		has, is := known[name]
		switch d := t.deleted[name]; {
		case !is && t.isToldDeleted(name) && t.hasText(d):
			restored[name] = d.Base
		case !is || has.Written.Before(d.Time.Add(-clockLag)): // no file of svn's, or another program's work
		case d.Base == "" || d.Base == has.Base:
			restored[name] = has.Base
		default:
			t.done.Kept = append(t.done.Kept, name)
		}
	}
	if t.isGreatLoss(len(restored)) {
		t.done.Kept = append(t.done.Kept, slices.Sorted(maps.Keys(restored))...)
		restored = nil
	}
	t.changes.Returned = slices.DeleteFunc(t.changes.Returned, func(name string) bool {
		return restored[name] != ""
	})
	return restored, nil
}

// isGreatLoss reports whether so many files are most of the world: what brought those
// back was to bring them back.
func (t *svnSync) isGreatLoss(n int) bool {
	return n > 0 && 2*n > countEntities(t.Dir) && (n >= minLoss || n == countEntities(t.Dir))
}

// minLoss is how many entities a great loss begins with, unless it is all of them.
const minLoss = 100

func (t *svnSync) mayBeRestored(d Deletion) bool {
	if !t.isThere(d.Name) || !t.exists(d.Name) {
		return false
	}
	_, id, ok := layout.Of(strings.TrimPrefix(d.Name, worlddir.EntitiesName+"/"))
	return !ok || t.BroughtBack == nil || !t.BroughtBack(id, d.Time)
}

// unscheduleDeletions has svn know files as its own again of which it knows that they are
// deleted. svn has no command for that but revert, which writes its own text over them,
// so their texts are on record meanwhile.
func (t *svnSync) unscheduleDeletions() error {
	returned := t.changes.Returned
	if len(returned) == 0 {
		return nil
	}
	texts := make(map[string][]byte)
	for _, name := range returned {
		text, err := os.ReadFile(t.path(name))
		if err != nil {
			return fmt.Errorf("have svn know again what was deleted: %w", err)
		}
		texts[name] = text
	}
	if _, err := t.Note(Update{Returned: texts}); err != nil {
		return err
	}
	if err := t.copy.Revert(returned); err != nil {
		return err
	}
	if err := t.writeBack(texts); err != nil {
		return err
	}
	t.done.Returned = returned
	_, err := t.Note(Update{Returned: map[string][]byte{}})
	return err
}

// finishReturned is unscheduleDeletions for a call that was killed after svn had written.
func (t *svnSync) finishReturned() error {
	if len(t.record.Returned) == 0 {
		return nil
	}
	texts := maps.Clone(t.record.Returned)
	maps.DeleteFunc(texts, func(name string, _ []byte) bool {
		return slices.Contains(t.changes.Returned, name) || slices.Contains(t.changes.Edited, name) || !t.exists(name)
	})
	if err := t.writeBack(texts); err != nil {
		return err
	}
	_, err := t.Note(Update{Returned: map[string][]byte{}})
	return err
}

// writeBack has files have their texts.
func (t *svnSync) writeBack(texts map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := writeBack(t.path(name), texts[name]); err != nil {
			return fmt.Errorf("write back what svn has written over: %w", err)
		}
	}
	return nil
}

// NoteGone puts on record which of the files are gone without svn's knowledge.
func NoteGone(dir *worlddir.Dir, names []string) error {
	t := svnSync{syncing: &syncing{Options: Options{Dir: dir}}}
	names = slices.DeleteFunc(slices.Clone(names), t.exists)
	w, err := vcs.SVN{Dir: dir.Root}.OpenCopy()
	if err != nil {
		return err
	}
	known, err := w.Knows(names)
	if err != nil {
		return err
	}
	var u Update
	for _, name := range names {
		if has, is := known[name]; is {
			u.Add = append(u.Add, Deletion{Name: name, Time: time.Now().UTC(), Base: has.Base})
		}
	}
	_, err = Note(dir, u)
	return err
}

// Ask has svn say of the files on record what text it has of them; those that it does not
// have are dropped.
func Ask(o Options) error {
	record, err := o.Note(Update{})
	if err != nil {
		return err
	}
	var names []string
	for _, d := range record.Deleted {
		if d.Base == "" {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	w, err := vcs.SVN{Dir: o.Dir.Root}.OpenCopy()
	if err != nil {
		return err
	}
	known, err := w.Knows(names)
	if err != nil {
		return err
	}
	u := Update{Bases: make(map[string]string)} // some may not be on record any more
	for _, name := range names {
		if base := known[name].Base; base == "" {
			u.Drop = append(u.Drop, name) // never committed, too
		} else {
			u.Bases[name] = base
		}
	}
	_, err = o.Note(u)
	return err
}

func setOf(lists ...[]string) map[string]bool {
	set := make(map[string]bool)
	for _, list := range lists {
		for _, name := range list {
			set[name] = true
		}
	}
	return set
}

func (t *svnSync) scheduleAdditions() error {
	if err := t.copy.Add(t.changes.Created); err != nil {
		return err
	}
	t.done.Created = t.changes.Created
	return nil
}
