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
	"github.com/worldfs/worldfs/internal/packstore"
	"github.com/worldfs/worldfs/internal/state"
	"github.com/worldfs/worldfs/packfile"
)

func hashBytes(p *packfile.Pack) []byte {
	hash := p.Hash()
	return hash[:]
}

// publish makes the view the pack. The caller has publishing. then is called
// with mu held once the pack is in its place, and adds to the update of
// state.db that ends it; told is called when the world is seen to be so, with
// no lock that answering a request takes. What nobody has to wait for comes
// after that.
func (w *World) publish(v *View, then func(u *state.Update), told func()) error {
	if w.store.InMemory() {
		return w.publishInMemory(v, then, told)
	}
	next, err := w.encode(v)
	if err != nil {
		return err
	}
	if w.taking != nil && next != v.pack { // where nothing else has changed it is what next is
		next.ShareHash(w.taking)
	}
	old, err := w.replacePack(next, v)
	if err != nil {
		w.laterDisplaced(old.path)
		return err
	}
	if w.taking == nil { // else whoever saved waits to see it
		_ = w.packs.CopyDurably(next) // finish tries again
	}
	w.finish(next, v, then, told)
	var tidying sync.WaitGroup
	tidying.Go(func() { w.packs.Tidy(next, packstore.Derivation{From: v.pack, Changes: v.changes}) })
	displaced, err := w.removeOld(old)
	tidying.Wait()
	if err := w.retire(displaced, err); err != nil {
		return err
	}
	w.packs.KeepDurably(w.pack) // where there was no room for it beside the old pack there is now
	return nil
}

// encode returns the pack that has what a view does.
func (w *World) encode(v *View) (*packfile.Pack, error) {
	next, err := packfile.EncodeChanges(w.dir.ID, v.types, v.pack, v.changes)
	if err != nil {
		return nil, fmt.Errorf("make pack: %w", err)
	}
	return next, nil
}

// replaced is the file that was world.pack, "" for none, and the hash that it
// has if nobody saved meanwhile.
type replaced struct {
	path  string
	known [32]byte
}

// replacePack puts next where the pack is, unless that has the same bytes.
func (w *World) replacePack(next *packfile.Pack, v *View) (old replaced, err error) {
	known := w.pack.Hash()
	if w.placed != ([32]byte{}) {
		known = w.placed
	}
	_, err = os.Lstat(w.dir.PackPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		known = [32]byte{}
	} else if !w.placedSave && bytes.Equal(next.Bytes(), w.pack.Bytes()) && known == next.Hash() {
		return replaced{}, nil
	}
	w.wasLoaded = !missing && !w.placedSave && wasRead(w.dir.PackPath())
	// By its note a pack of ours is known wherever a kill leaves it, also when the
	// mark is another's by then.
	u := state.Update{Packs: map[[32]byte]state.PackNote{next.Hash(): {At: w.packs.NextTime()}}}
	u.SetNext(w.mark(next, v))
	if err := w.store.Apply(u); err != nil {
		return replaced{}, fmt.Errorf("publish pack: %w", err)
	}
	old = replaced{known: known}
	copied := func() {}
	if w.taking == nil { // else it is published first: whoever saved waits to see it
		copied = w.packs.CopyBeside(next)
	}
	old.path, err = packfile.Place(w.disk, w.dir.PackPath(), next.Bytes())
	copied()
	if err != nil {
		if old.path != "" {
			w.placed, w.placedSave = next.Hash(), false // it has taken the old one's place, though it may not be durable yet
		}
		return old, err
	}
	w.placed, w.placedSave = [32]byte{}, false
	return old, nil
}

// removeOld removes the file that was world.pack, unless another program had saved
// there: then it returns where that is.
func (w *World) removeOld(old replaced) (displaced string, err error) {
	if old.path == "" {
		return "", nil
	}
	return packfile.Retire(w.disk, old.path, old.known)
}

// retire takes in what another program had saved where world.pack is. A file that
// only cannot be removed is looked at again later.
func (w *World) retire(displaced string, err error) error {
	if displaced == "" {
		return nil
	}
	w.laterDisplaced(displaced)
	if !errors.Is(err, packfile.ErrDisplaced) {
		w.log.Warn("the pack before the published one is left for now", "error", err)
		return nil
	}
	_, err = w.attendDisplaced()
	return err
}

// mark returns what state.db is to know while next, made of v, takes the place
// of the pack: after a crash it tells which edits next has.
func (w *World) mark(next *packfile.Pack, v *View) state.Mark {
	m := state.Mark{Next: next.Hash(), NextSeq: max(v.seq, 1), Lacks: v.lacks}
	if w.taking != nil {
		m.Taking = w.taking.Hash()
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
	saveErr := w.savesFirst(final)
	if saveErr != nil && !IsLoss(saveErr) {
		return saveErr
	}
	reload := w.reloadStillTypes
	if final {
		reload = w.reloadTypes
	}
	if err := reload(); err != nil {
		return err
	}
	if err := w.settle(final); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	w.syncHistory()
	if saveErr != nil {
		return errors.Join(w.hold(nil), saveErr)
	}
	if !final && w.mustWaitForNames() {
		return nil
	}
	v := w.snapshot(final)
	if err := w.refuseLoss(v, v); err != nil {
		return errors.Join(w.hold(v), err)
	}
	if w.isPublished(v) || !final && w.mustWait(v) {
		return nil
	}
	done := w.counts.checkpoints.start()
	err := w.publish(v, func(*state.Update) {}, func() {})
	done()
	w.tell()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unpublishable = err
	w.clock.published = w.now().Sub(begin)
	return err
}

// isPublished reports whether the pack in place is the view, and nothing waits
// for being published.
func (w *World) isPublished(v *View) bool {
	if _, err := os.Lstat(w.dir.PackPath()); err != nil || w.placed != ([32]byte{}) {
		return false
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if len(v.changes) > 0 || !w.clock.unpublished.IsZero() || w.unpublishable != nil {
		return false
	}
	for _, s := range w.active {
		if s.unpublished {
			return false
		}
	}
	return true
}

// mustWait reports whether all that the pack does not have is still too young to be
// in it, as the view says. Then no checkpoint is due before it may be.
func (w *World) mustWait(v *View) bool {
	if _, err := os.Lstat(w.dir.PackPath()); err != nil || w.placed != ([32]byte{}) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(v.changes) > 0 || v.types != w.pack.Types() && len(changedTypes(w.pack.Types(), v.types)) > 0 || w.unpublishable != nil {
		return false
	}
	waits := false
	for _, s := range w.active {
		if s.unpublished && v.has(s) {
			return false
		}
		waits = waits || s.unpublished
	}
	w.waitForRest()
	return waits
}

// waitForRest puts the next checkpoint off until what the pack does not have may be
// in it: texts that still changed a moment ago before names that have just gone. Of
// each it waits for the last one, so that many are published at once. The caller has
// mu.
func (w *World) waitForRest() {
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
func (w *World) finish(next *packfile.Pack, v *View, then func(u *state.Update), told func()) {
	w.committing.Lock()
	defer w.committing.Unlock()
	u := w.settleAll(next, v, then)
	told()
	// Before the edits in it are dropped: another program may write over it at once,
	// and the power fail meanwhile.
	_ = w.packs.CopyDurably(next) // publish tries again
	w.unfinished = append(w.unfinished, u)
	if err := w.applyUnfinished(); err != nil {
		w.log.Error("state.db does not know of the published pack yet", "error", err)
		w.fail(err)
	}
}

// settleAll brings everything in step with the pack just published and returns
// what state.db is to be told. The caller has committing.
func (w *World) settleAll(next *packfile.Pack, v *View, then func(u *state.Update)) state.Update {
	w.mu.Lock()
	defer w.mu.Unlock()
	leaving := w.leaving()
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetPublished(next.Hash())
	u.Packs = w.packNotes(next)
	w.pack, w.types = next, next.Types()
	w.clock.unpublished = time.Time{}
	then(&u)
	for id, s := range w.active {
		w.settlePublished(id, s, v, &u)
	}
	w.waitForRest()
	w.noteGone(leaving)
	w.recount()
	return u
}

// packNotes returns what is to be remembered once next takes the published
// pack's place.
func (w *World) packNotes(next *packfile.Pack) map[[32]byte]state.PackNote {
	notes := make(map[[32]byte]state.PackNote)
	if w.wasLoaded {
		notes[w.pack.Hash()] = state.PackNote{Loaded: true}
	}
	if w.taking != nil {
		notes[w.taking.Hash()] = state.PackNote{At: w.packs.NextTime(), Saved: true}
	}
	if note := notes[next.Hash()]; next.Hash() != w.pack.Hash() || w.pack.Len() == 0 {
		notes[next.Hash()] = state.PackNote{At: w.packs.NextTime(), Saved: note.Saved}
	}
	w.taking, w.wasLoaded = nil, false
	return notes
}

// settlePublished brings an active slot in step with the pack just published. The
// caller has mu.
func (w *World) settlePublished(id entity.ID, s *slot, v *View, u *state.Update) {
	if s.origin == itsOwn {
		if e, ok := w.pack.Get(id); ok && e.Equal(s.good) {
			s.origin, s.good = inThePack, nil
		}
	} else if s.origin == inThePack && !w.pack.Has(id) {
		s.origin = nowhere
	}
	if s.unpublished && (!v.has(s) || w.lacks(s)) {
		if w.clock.unpublished.IsZero() {
			w.clock.unpublished = w.now()
		}
		w.judgeAgain(s)
		return
	}
	if s.file == nil {
		w.noteGoneText(s)
		w.forget(id)
		u.Records[id] = nil
		return
	}
	w.dropText(s)
	if s.unpublished || s.dirty {
		s.unpublished = false
		u.Records[id] = w.recordOf(s)
		s.recorded, s.dirty = true, false
		delete(w.dirty, id)
	}
	if s.origin == inThePack && s.judged && w.pack.Has(id) {
		delete(w.active, id)
	}
}

// lacks reports whether the pack just published does not have what a slot
// stands for. A file that came and went since the last one left it nothing to
// have. The caller has mu.
func (w *World) lacks(s *slot) bool {
	if s.file == nil {
		return w.pack.Has(s.id)
	}
	return s.origin == itsOwn || !s.judged
}

// judgeAgain has a text read once more that was found to be as the pack had it:
// another pack is in its place now. The caller has mu.
func (w *World) judgeAgain(s *slot) {
	if s.file != nil && s.judged && !s.problem && s.origin == inThePack {
		s.judged = false
		w.unjudged[s.id] = s
	}
}

// dropText lets go of bytes that rendering what the pack has gives as well.
// The caller has mu.
func (w *World) dropText(s *slot) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	if s.file.held && s.rendersFromPack() {
		s.file.own.text, s.file.held = nil, false
	}
}
