package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
	"github.com/worldfs/worldfs/internal/support/parallel"
	"github.com/worldfs/worldfs/internal/worldtree/chosen"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// TakePlain takes in what changed in the plain files of entities/ since they
// were last read or written. What changed here as well since then is merged, by
// property. A file that is missing was deleted. Where that were a great loss nothing
// is taken in, and the error is a *LossError; so is nothing published until the files
// are back, KeepPlain writes them, or the loss is allowed.
func (s *plainSync) TakePlain() (Report, error) {
	return s.takePlain(s.world.dir.EntitiesPath(), s.scanFirst, func(p *plainfiles.Scan) ([]entity.ID, error) { return p.Gone, nil })
}

// TakeCheckout is TakePlain where files were missing already, because the mount
// they were behind had crashed, when others were put there. Of those that are
// missing only the ones that dropped returns the paths of count as deleted.
func (s *plainSync) TakeCheckout(dropped func([]worlddir.Missing) []string) (Report, error) {
	return s.takePlain(s.world.dir.EntitiesPath(), s.scanRestored, func(p *plainfiles.Scan) (gone []entity.ID, err error) {
		v := s.world.snapshot(true)
		base, err := s.openPlainBase(v, p.Known)
		if err != nil {
			return nil, err
		}
		missing := make([]worlddir.Missing, len(p.Gone))
		for i, id := range p.Gone {
			missing[i] = worlddir.Missing{Path: s.world.Layout().Path(id), Other: s.world.Layout().OtherPaths(id), Was: func() [][]byte { return base.texts(id) }}
		}
		for _, path := range dropped(missing) {
			if id, ok := s.world.Layout().Entity(path); ok {
				gone = append(gone, id)
			}
		}
		return gone, nil
	})
}

// takePlain is TakePlain of the files in dir, which scan looks at, where deleted
// says which of those that are missing were deleted.
func (s *plainSync) takePlain(dir string, scan func(string) (*plainfiles.Scan, error), deleted func(*plainfiles.Scan) ([]entity.ID, error)) (Report, error) {
	s.world.publishing.Lock()
	defer s.world.publishing.Unlock()
	r, err := s.takePlainOnly(dir, scan, deleted)
	if err == nil {
		_, err = s.world.saves.attendDisplacedLocked() // what was saved meanwhile
	}
	return r, err
}

// takePlainOnly is takePlain, but for what is saved meanwhile: the pack that has
// what the files have is their base, not one with more in it.
func (s *plainSync) takePlainOnly(dir string, scan func(string) (*plainfiles.Scan, error), deleted func(*plainfiles.Scan) ([]entity.ID, error)) (Report, error) {
	s.world.saves.taking = true
	defer func() { s.world.saves.taking = false }()
	defer s.world.becauseLocked(Cause{By: ByPlain})()
	if err := s.world.catchUpLocked(); err != nil {
		return Report{}, err
	}
	p, err := scan(dir)
	if err != nil {
		return Report{}, err
	}
	s.plainSeen = 0
	s.setPlainLoss(nil)
	if p.Files == 0 && !s.lacksAll(p) {
		s.notePlain(p)
		return Report{}, nil
	}
	t := plainTaking{world: s.world, view: s.world.snapshot(true), scan: p, missing: p.Gone, alone: dir == s.world.dir.EntitiesPath() && !s.world.control.IsWatched()}
	wasInStep, err := s.isPlainInStepLocked(p, t.view)
	if err != nil {
		return Report{}, err
	}
	if p.Gone, err = deleted(p); err != nil {
		return Report{}, err
	}
	if err := t.read(); err != nil {
		return Report{}, err
	}
	r, err := t.merge()
	if err != nil {
		return Report{}, err
	}
	if t.broken, err = t.basesOfBroken(); err != nil {
		return Report{}, err
	}
	s.notePlain(p)
	r.Unchanged = p.Files - r.Created - r.Changed - r.Broken
	if len(t.changes) > 0 || s.world.control.IsUnpublished() {
		s.world.cause.Parts = t.parts(s.world.cause)
		r.Carried = t.follow(s.world.cause.Parts)
		if err := s.world.intakeLocked(t.view, t.changes); err != nil {
			return Report{}, s.asPlainLoss(err)
		}
	}
	if err := t.takeAttrs(); err != nil {
		return Report{}, err
	}
	s.world.feed.NoteLost(t.view, t.side, t.conflicts, s.world.intakeCauseLocked())
	t.inStep = t.leavesInStep(wasInStep)
	if err := t.note(); err != nil {
		return r, err
	}
	if t.alone && (wasInStep || t.inStep) {
		s.seePlainInStepLocked(&t)
	}
	return r, nil
}

// notePlain keeps what was found in the plain files, for status.
func (s *plainSync) notePlain(p *plainfiles.Scan) {
	s.world.notes.note(func(said *said) { said.plain, said.stray = p.Notes, p.Misplaced })
}

// plainTaking is what changed in the plain files, on its way into the world.
type plainTaking struct {
	world *World
	view  *View
	scan  *plainfiles.Scan
	alone bool // of a world that is not mounted, whose plain files these are: nothing else happens meanwhile

	missing []entity.ID                    // files that were there once, whether that is a deletion or not
	texts   map[entity.ID]textcodec.Result // those that parse and are not what is served
	theirs  map[entity.ID]*entity.Entity   // what they make of the base; nil: the file has gone
	changes map[entity.ID]change           // what becomes of it here
	parted  map[entity.ID]bool             // files that are not what is served afterwards
	broken  map[entity.ID][]byte           // what texts that do not parse were made of, where that has to be known
	inStep  bool                           // all files are, see leavesInStep

	side      entity.Source // the world as the plain files have it
	conflicts []merge.Conflict
}

// read reads as entities what changed, some on each core. A text that does not
// parse takes the place of the one there, whose values stay.
func (t *plainTaking) read() error {
	t.texts = make(map[entity.ID]textcodec.Result)
	t.theirs = make(map[entity.ID]*entity.Entity)
	t.changes = make(map[entity.ID]change)
	t.parted = make(map[entity.ID]bool)
	ids := slices.Sorted(maps.Keys(t.scan.Texts))
	texts := make([]plainText, len(ids))
	err := parallel.Do(len(ids), func(_, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			texts[i], err = t.readText(ids[i])
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		switch text := texts[i]; {
		case text.served:
		case text.broken:
			t.changes[id] = change{Text: t.scan.Texts[id], Mtime: t.scan.Attrs[id].Mtime}
		default:
			t.texts[id], t.theirs[id] = text.result, text.result.Entity
		}
	}
	for _, id := range t.scan.Gone {
		if t.world.control.Exists(id) {
			t.theirs[id] = nil
		}
	}
	return nil
}

// plainText is what a plain file says.
type plainText struct {
	served bool // it is what the world has
	broken bool
	result textcodec.Result
}

func (t *plainTaking) readText(id entity.ID) (p plainText, err error) {
	text := t.scan.Texts[id]
	served, err := t.view.Text(id)
	if err == nil && bytes.Equal(served, text) {
		return plainText{served: true}, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	p.result, err = textcodec.Decode(text, id, t.view.Types())
	p.broken = err != nil
	return p, nil
}

// merge merges what changed with what changed here.
func (t *plainTaking) merge() (Report, error) {
	if len(t.theirs) == 0 {
		return count(t.view, t.changes), nil
	}
	known, err := t.world.openPlainBase(t.view, t.scan.Known)
	if err != nil {
		return Report{}, err
	}
	maps.DeleteFunc(t.theirs, func(id entity.ID, e *entity.Entity) bool { return e == nil && known.cut.wrote(id, nil) })
	base, err := known.source(t.theirs)
	if err != nil {
		return Report{}, err
	}
	if f, lost := known.finding(); lost {
		t.scan.Notes = append(t.scan.Notes, f)
	}
	// Nothing is dropped as noise here: what stands in a file is what its
	// entity is, mounted or not.
	t.side = entity.NewOverlay(base, t.theirs)
	if base.Len()+t.view.Len() == 0 {
		t.takeAll()
		return count(t.view, t.changes), nil
	}
	options, err := mergerules.Read(t.world.dir)
	if err != nil {
		t.world.log.Warn("merging goes on without ID ranges", "error", err)
	}
	result, err := merge.Worlds(
		merge.Side{Types: t.view.Types(), Entities: base},
		merge.Side{Types: t.view.Types(), Entities: t.view.Overlay},
		merge.Side{Types: t.view.Types(), Entities: t.side}, options)
	if err != nil {
		return Report{}, fmt.Errorf("merge plain files: %w", err)
	}
	t.conflicts = result.Conflicts
	addMerged(t.changes, result, false)
	for id := range t.theirs {
		if err := t.applyResult(id, base, result); err != nil {
			return Report{}, err
		}
	}
	r := count(t.view, t.changes)
	if len(result.Conflicts)+len(result.Repairs)+len(result.Renumbered) > 0 {
		r.addMerge(result)
	}
	return r, nil
}

// applyResult sees to the text of a file after the merge: where the world has the
// file's values it gets its bytes, too.
func (t *plainTaking) applyResult(id entity.ID, base entity.Source, result *merge.Result) error {
	if t.theirs[id] == nil {
		return t.applyGone(id, base)
	}
	res := t.texts[id]
	e, ok := result.Get(id)
	lacks, err := t.lacksMarks(id)
	if err != nil {
		return err
	}
	if t.changes[id].Text != nil || lacks != nil || !ok || !e.Equal(res.Entity) || !table.SameType(e, res.Entity) {
		t.part(id, e, lacks)
		return nil
	}
	t.take(id, res)
	return nil
}

// takeAll takes the files as they are, where there was nothing else: what only one
// side changed is what merging gives.
func (t *plainTaking) takeAll() {
	for id, res := range t.texts {
		t.take(id, res)
	}
}

// take has the world have a file's values and bytes.
func (t *plainTaking) take(id entity.ID, res textcodec.Result) {
	c := change{Entity: res.Entity, Mends: true, Mtime: t.scan.Attrs[id].Mtime}
	if !res.Canonical {
		c.Text = t.scan.Texts[id]
	}
	t.changes[id] = c
}

// applyGone takes away a file that had no values for the merge to look at,
// unless it was written here since.
func (t *plainTaking) applyGone(id entity.ID, base entity.Source) error {
	if _, had := base.Get(id); had {
		return nil
	}
	text, err := t.view.Text(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if sha256.Sum256(text) == t.scan.Known[id].Hash {
		t.changes[id] = change{Gone: true}
	}
	return nil
}

// follow has what is mounted come along with what a person changed in the files, and returns
// how many entities do. Of very many changes (no parts) it is not known whose they are.
func (t *plainTaking) follow(parts map[entity.ID]history.Source) int {
	if parts == nil || !hasMounts(t.view.Types()) {
		return 0
	}
	along := t.world.follow(t.view, t.view.Overlay, valuesOf(t.changes), t.changes, func(id entity.ID) bool {
		return parts[id].Origin == history.Brought
	})
	for id, c := range along.changes {
		t.changes[id] = c
		if t.scan.Texts[id] != nil {
			t.parted[id] = true
		}
	}
	t.world.noteDerived(&along)
	return along.others
}

// parts returns which of the changes version control has made, for the history: they are a
// change set of their own.
func (t *plainTaking) parts(c Cause) map[entity.ID]history.Source {
	const most = 20_000 // of more the history has one word, see package table
	if len(t.changes) > most {
		return nil
	}
	changed := make(map[string]entity.ID, len(t.changes))
	var files []worlddir.PlainChange
	for id := range t.changes {
		at := t.world.Layout().Path(id)
		changed[at] = id
		files = append(files, worlddir.PlainChange{Path: at, Was: func() []byte { return t.before(id) }, Text: t.scan.Texts[id]})
	}
	brought, system := t.world.dir.BroughtBy(files)
	parts := make(map[entity.ID]history.Source)
	source := history.Source{Set: t.world.NewSet(), Origin: history.Brought, Who: c.Who, Program: system}
	settled := t.settled()
	for at, is := range brought {
		if id := changed[at]; is && !settled[id] {
			parts[id] = source
		}
	}
	return parts
}

// settled returns the entities in whose files a person has settled conflicts that were marked
// there: what version control has of them since is the person's.
func (t *plainTaking) settled() map[entity.ID]bool {
	unmarked := make(map[entity.ID]bool)
	for id := range t.changes {
		if text := t.scan.Texts[id]; text != nil && !textcodec.HasMarkers(text) && t.world.control.IsInDoubt(id) && textcodec.HasMarkers(t.before(id)) {
			unmarked[id] = true
		}
	}
	if len(unmarked) == 0 {
		return nil
	}
	by := chosen.Entities(t.world.dir)
	maps.DeleteFunc(unmarked, func(id entity.ID, _ bool) bool { return !by[id] })
	return unmarked
}

// before returns the text that an entity had, nil where it was not there.
func (t *plainTaking) before(id entity.ID) []byte {
	text, err := t.view.Text(id)
	if err != nil {
		return nil
	}
	return text
}

// note keeps what the next merge will have to know.
func (t *plainTaking) note() error {
	w := t.world
	if len(t.scan.Stamps) == 0 && len(t.scan.Gone) == 0 {
		return nil
	}
	bases, err := w.store.Bases()
	if err != nil {
		return fmt.Errorf("note what was taken in: %w", err)
	}
	if len(t.scan.Notes) == 0 { // all have been looked at
		maps.DeleteFunc(bases, state.IsCut)
	}
	u := state.PlainUpdate{Stamps: t.scan.Stamps, Gone: t.scan.Gone, Bases: bases, Texts: make(map[entity.ID][]byte)}
	if t.inStep {
		clear(bases)
		bases[state.BaseCommon], u.InStep = w.published().Hash(), binary.LittleEndian.AppendUint64(nil, w.Edits())
	}
	now := state.NumberOf(bases, w.published().Hash())
	for id, text := range t.scan.Texts {
		st := u.Stamps[id]
		if st.Base = now; t.parted[id] {
			st.Base, u.Texts[id] = state.BaseOwn, text
		}
		if was := t.broken[id]; was != nil {
			st.Base, u.Texts[id] = state.BaseOwn, was
		}
		u.Stamps[id] = st
	}
	w.packs.KeepDurably(w.published())
	if err := w.putPlain(u); err != nil {
		return fmt.Errorf("note what was taken in: %w", err)
	}
	return nil
}
