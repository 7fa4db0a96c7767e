package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// publisher puts packs into the place of the published one. Its fields are guarded by
// World.publishing.
type publisher struct {
	world *World

	placed     [32]byte       // the pack in place, if it is not the one in memory; zero for none
	placedSave bool           // that is a save which is being taken in
	taking     *packfile.Pack // the save that the next publishing takes in, nil for none
	wasLoaded  bool           // another program has read the published pack
}

// publishLocked makes the view the pack. The caller has publishing. then is called
// with mu held once the pack is in its place, and adds to the update of
// state.db that ends it; told is called when the world is seen to be so, with
// no lock that answering a request takes. What no caller has to wait for comes
// after that.
func (pub *publisher) publishLocked(v *View, then func(u *state.Update), told func()) error {
	if pub.world.store.InMemory() {
		return pub.publishInMemoryLocked(v, then, told)
	}
	next, err := pub.encode(v)
	if err != nil {
		return err
	}
	if pub.taking != nil && next != v.pack { // where nothing else has changed it is what next is
		next.ShareHash(pub.taking)
	}
	old, err := pub.replacePack(next, v)
	if err != nil {
		pub.world.saves.laterDisplaced(old.path)
		return err
	}
	if pub.taking == nil { // else the program that saved waits to see it
		_ = pub.world.packs.CopyDurably(next) // finish tries again
	}
	pub.finish(next, v, then, told)
	var tidying sync.WaitGroup
	tidying.Go(func() { pub.world.packs.Tidy(next, packstore.Derivation{From: v.pack, Changes: v.changes}) })
	displaced, err := pub.removeOld(old)
	tidying.Wait()
	if err := pub.retire(displaced, err); err != nil {
		return err
	}
	pub.world.packs.KeepDurably(pub.world.pack) // where there was no room for it beside the old pack there is now
	return nil
}

// encode returns the pack that has what a view does.
func (pub *publisher) encode(v *View) (*packfile.Pack, error) {
	next, err := packfile.EncodeChanges(pub.world.dir.ID, v.types, v.pack, v.changes)
	if err != nil {
		return nil, fmt.Errorf("make pack: %w", err)
	}
	return next, nil
}

// replaced is the file that was world.pack, "" for none, and the hash that it
// has if no program saved meanwhile.
type replaced struct {
	path  string
	known [32]byte
}

// replacePack puts next where the pack is, unless that has the same bytes.
func (pub *publisher) replacePack(next *packfile.Pack, v *View) (old replaced, err error) {
	known := pub.world.pack.Hash()
	if pub.placed != ([32]byte{}) {
		known = pub.placed
	}
	_, err = os.Lstat(pub.world.dir.PackPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		known = [32]byte{}
	} else if !pub.placedSave && bytes.Equal(next.Bytes(), pub.world.pack.Bytes()) && known == next.Hash() {
		return replaced{}, nil
	}
	pub.wasLoaded = !missing && !pub.placedSave && wasRead(pub.world.dir.PackPath())
	// By its note a pack of ours is known wherever a kill leaves it, also when the
	// mark is another's by then.
	u := state.Update{Packs: map[[32]byte]state.PackNote{next.Hash(): {At: pub.world.packs.NextTime()}}}
	u.SetNext(pub.mark(next, v))
	if err := pub.world.store.Apply(u); err != nil {
		return replaced{}, fmt.Errorf("publish pack: %w", err)
	}
	old = replaced{known: known}
	copied := func() {}
	if pub.taking == nil { // else it is published first: the program that saved waits to see it
		copied = pub.world.packs.CopyBeside(next)
	}
	old.path, err = packfile.Place(pub.world.disk, pub.world.dir.PackPath(), next.Bytes())
	copied()
	if err != nil {
		if old.path != "" {
			pub.placed, pub.placedSave = next.Hash(), false // it has taken the old one's place, though it may not be durable yet
		}
		return old, err
	}
	pub.placed, pub.placedSave = [32]byte{}, false
	return old, nil
}

// removeOld removes the file that was world.pack, unless another program had saved
// there: then it returns where that is.
func (pub *publisher) removeOld(old replaced) (displaced string, err error) {
	if old.path == "" {
		return "", nil
	}
	return packfile.Retire(pub.world.disk, old.path, old.known)
}

// retire takes in what another program had saved where world.pack is. A file that
// only cannot be removed is looked at again later.
func (pub *publisher) retire(displaced string, err error) error {
	if displaced == "" {
		return nil
	}
	pub.world.saves.laterDisplaced(displaced)
	if !errors.Is(err, packfile.ErrDisplaced) {
		pub.world.log.Warn("the pack before the published one is left for now", "error", err)
		return nil
	}
	_, err = pub.world.saves.attendDisplacedLocked()
	return err
}

// mark returns what state.db is to know while next, made of v, takes the place
// of the pack: after a crash it tells which edits next has.
func (pub *publisher) mark(next *packfile.Pack, v *View) state.Mark {
	m := state.Mark{Next: next.Hash(), NextSeq: max(v.seq, 1), Lacks: v.lacks}
	if pub.taking != nil {
		m.Taking = pub.taking.Hash()
	}
	return m
}

// checkpoint publishes what the pack does not have yet. With final it takes in
// everything as it is at this moment; otherwise texts that still change and
// names that have just gone wait for the next.
//
// Where that were a great loss the error is a *LossError: all is durable, and the
// published pack stays. What happens by itself has no error then, and is not tried
// again before something changes.
func (w *World) checkpoint(final bool) error {
	if w.store.InMemory() {
		return state.ErrInMemory
	}
	w.publishing.Lock()
	defer w.publishing.Unlock()
	err := w.checkpointLocked(final)
	if !final && IsLoss(err) {
		return nil
	}
	return err
}

// checkpointLocked is checkpoint for a caller that has publishing, and tells of a
// great loss in either case.
func (w *World) checkpointLocked(final bool) error {
	begin := w.now()
	saveErr := w.saves.savesFirstLocked(final)
	if saveErr != nil && !IsLoss(saveErr) {
		return saveErr
	}
	reload := w.decls.reloadStillTypes
	if final {
		reload = w.decls.reloadTypesLocked
	}
	if err := reload(); err != nil {
		return err
	}
	if err := w.judgeTexts(final); err != nil {
		return err
	}
	if err := w.commits.commit(); err != nil {
		return err
	}
	w.syncHistory()
	if saveErr != nil {
		return errors.Join(w.delayPublishLocked(nil), saveErr)
	}
	if !final && w.mustWaitForNames() {
		return nil
	}
	v := w.snapshot(final)
	if err := w.refuseLossLocked(v, v); err != nil {
		return errors.Join(w.delayPublishLocked(v), err)
	}
	if w.publisher.isPublished(v) || !final && w.publisher.mustWait(v) {
		return nil
	}
	done := w.counts.checkpoints.Start()
	err := w.publisher.publishLocked(v, func(*state.Update) {}, func() {})
	done()
	w.writeHistory()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unpublishable = err
	w.clock.published = w.now().Sub(begin)
	return err
}

// isPublished reports whether the pack in place is the view, and nothing waits
// for being published.
func (pub *publisher) isPublished(v *View) bool {
	if _, err := os.Lstat(pub.world.dir.PackPath()); err != nil || pub.placed != ([32]byte{}) {
		return false
	}
	pub.world.mu.RLock()
	defer pub.world.mu.RUnlock()
	if len(v.changes) > 0 || !pub.world.clock.unpublished.IsZero() || pub.world.unpublishable != nil {
		return false
	}
	for _, s := range pub.world.active {
		if s.unpublished {
			return false
		}
	}
	return true
}

// mustWait reports whether all that the pack does not have is still too young to be
// in it, as the view says. Then no checkpoint is due before it may be.
func (pub *publisher) mustWait(v *View) bool {
	if _, err := os.Lstat(pub.world.dir.PackPath()); err != nil || pub.placed != ([32]byte{}) {
		return false
	}
	pub.world.mu.Lock()
	defer pub.world.mu.Unlock()
	if len(v.changes) > 0 || v.types != pub.world.pack.Types() && len(changedTypes(pub.world.pack.Types(), v.types)) > 0 || pub.world.unpublishable != nil {
		return false
	}
	waits := false
	for _, s := range pub.world.active {
		if s.unpublished && v.hasLocked(s) {
			return false
		}
		waits = waits || s.unpublished
	}
	pub.world.waitForRestLocked()
	return waits
}

// waitForRestLocked puts the next checkpoint off until what the pack does not have may be
// in it: texts that still changed a moment ago before names that have just gone. Of
// each it waits for the last one, so that many are published at once. The caller has
// mu.
func (w *World) waitForRestLocked() {
	var texts, names time.Time
	for _, s := range w.active {
		switch {
		case !s.unpublished:
		case s.file == nil:
			names = later(names, s.at.Add(provisional))
		default:
			texts = later(texts, s.at.Add(judgeQuiet))
		}
	}
	w.clock.waits = texts
	if texts.IsZero() {
		w.clock.waits = names
	}
}

// Sync returns when everything is durable and in the published pack.
func (w *World) Sync() error { return w.checkpoint(true) }

// finish notes that next, made of v, is the pack now: here, which told is told
// of, and then in state.db. Where that cannot be written it is done later, with
// the next commit; after a crash before that, the pack's hash tells.
func (pub *publisher) finish(next *packfile.Pack, v *View, then func(u *state.Update), told func()) {
	pub.world.commits.committing.Lock()
	defer pub.world.commits.committing.Unlock()
	u := pub.updateTableLocked(next, v, then)
	told()
	// Before the edits in it are dropped: another program may write over it at once,
	// and the power fail meanwhile.
	_ = pub.world.packs.CopyDurably(next) // publish tries again
	pub.world.commits.unfinished = append(pub.world.commits.unfinished, u)
	if err := pub.world.commits.applyUnfinishedLocked(); err != nil {
		pub.world.log.Error("state.db does not know of the published pack yet", "error", err)
		pub.world.fail(err)
	}
}

// updateTableLocked brings everything in step with the pack just published and returns
// what state.db is to be told. The caller has committing.
func (pub *publisher) updateTableLocked(next *packfile.Pack, v *View, then func(u *state.Update)) state.Update {
	pub.world.mu.Lock()
	defer pub.world.mu.Unlock()
	unlinked := pub.world.unlinkedLocked()
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetPublished(next.Hash())
	u.Packs = pub.packNotes(next)
	pub.world.pack, pub.world.types = next, next.Types()
	pub.world.clock.unpublished = time.Time{}
	then(&u)
	for id, s := range pub.world.active {
		pub.updateSlotLocked(id, s, v, &u)
	}
	pub.world.waitForRestLocked()
	pub.world.noteGoneLocked(unlinked)
	pub.world.recount()
	return u
}

// packNotes returns what is to be remembered once next takes the published
// pack's place.
func (pub *publisher) packNotes(next *packfile.Pack) map[[32]byte]state.PackNote {
	notes := make(map[[32]byte]state.PackNote)
	if pub.wasLoaded {
		notes[pub.world.pack.Hash()] = state.PackNote{Loaded: true}
	}
	if pub.taking != nil {
		notes[pub.taking.Hash()] = state.PackNote{At: pub.world.packs.NextTime(), Saved: true}
	}
	if note := notes[next.Hash()]; next.Hash() != pub.world.pack.Hash() || pub.world.pack.Len() == 0 {
		notes[next.Hash()] = state.PackNote{At: pub.world.packs.NextTime(), Saved: note.Saved}
	}
	pub.taking, pub.wasLoaded = nil, false
	return notes
}

// updateSlotLocked brings an active slot in step with the pack just published. The
// caller has mu.
func (pub *publisher) updateSlotLocked(id entity.ID, s *slot, v *View, u *state.Update) {
	if s.origin == itsOwn {
		if e, ok := pub.world.pack.Get(id); ok && e.Equal(s.good) {
			s.origin, s.good = inThePack, nil
		}
	} else if s.origin == inThePack && !pub.world.pack.Has(id) {
		s.origin = nowhere
	}
	if s.unpublished && (!v.hasLocked(s) || pub.lacksLocked(s)) {
		if pub.world.clock.unpublished.IsZero() {
			pub.world.clock.unpublished = pub.world.now()
		}
		pub.judgeAgainLocked(s)
		return
	}
	if s.file == nil {
		pub.world.feed.noteGoneTextLocked(s)
		pub.world.forgetLocked(id)
		u.Records[id] = nil
		return
	}
	pub.dropTextLocked(s)
	if s.unpublished || s.dirty {
		s.unpublished = false
		u.Records[id] = pub.world.recordOfLocked(s)
		s.recorded, s.dirty = true, false
		delete(pub.world.dirty, id)
	}
	if s.origin == inThePack && s.judged && pub.world.pack.Has(id) {
		delete(pub.world.active, id)
	}
}

// lacksLocked reports whether the pack just published does not have what a slot
// stands for. A file that came and went since the last one left it nothing to
// have. The caller has mu.
func (pub *publisher) lacksLocked(s *slot) bool {
	if s.file == nil {
		return pub.world.pack.Has(s.id)
	}
	return s.origin == itsOwn || !s.judged
}

// judgeAgainLocked has a text read once more that was found to be as the pack had it:
// another pack is in its place now. The caller has mu.
func (pub *publisher) judgeAgainLocked(s *slot) {
	if s.file != nil && s.judged && !s.problem && s.origin == inThePack {
		s.judged = false
		pub.world.unjudged[s.id] = s
	}
}

// dropTextLocked lets go of bytes that rendering what the pack has gives as well.
// The caller has mu.
func (pub *publisher) dropTextLocked(s *slot) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	if s.file.held && s.rendersFromPackLocked() {
		s.file.own.text, s.file.held = nil, false
	}
}
