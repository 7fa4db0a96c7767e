package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
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

// publishLocked makes the view the pack. With an intake the files are brought in
// step with it, and what watches the world is told. What no caller has to wait for
// comes after that. The caller has publishing.
func (pub *publisher) publishLocked(v *View, in *table.Intake) error {
	if pub.world.store.InMemory() {
		return pub.publishInMemoryLocked(v, in)
	}
	next, err := pub.encode(v)
	if err != nil {
		return err
	}
	if pub.taking != nil && next != v.Pack() { // where nothing else has changed it is what next is
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
	pub.finish(next, v, in)
	var tidying sync.WaitGroup
	tidying.Go(func() { pub.world.packs.Tidy(next, packstore.Derivation{From: v.Pack(), Changes: v.Changes()}) })
	displaced, err := pub.removeOld(old)
	tidying.Wait()
	if err := pub.retire(displaced, err); err != nil {
		return err
	}
	pub.world.packs.KeepDurably(pub.world.published()) // where there was no room for it beside the old pack there is now
	return nil
}

// encode returns the pack that has what a view does.
func (pub *publisher) encode(v *View) (*packfile.Pack, error) {
	next, err := packfile.EncodeChanges(pub.world.dir.ID, v.Types(), v.Pack(), v.Changes())
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
	known := pub.world.published().Hash()
	if pub.placed != ([32]byte{}) {
		known = pub.placed
	}
	_, err = os.Lstat(pub.world.dir.PackPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		known = [32]byte{}
	} else if !pub.placedSave && bytes.Equal(next.Bytes(), pub.world.published().Bytes()) && known == next.Hash() {
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
	m := state.Mark{Next: next.Hash(), NextSeq: max(v.Seq(), 1), Lacks: v.Lacks()}
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
	if err := w.control.JudgeTexts(final); err != nil {
		return err
	}
	if err := w.control.Commit(); err != nil {
		return err
	}
	w.feed.Sync()
	if saveErr != nil {
		return errors.Join(w.delayPublishLocked(nil), saveErr)
	}
	if !final && w.control.MustWaitForNames() {
		return nil
	}
	v := w.snapshot(final)
	if err := w.refuseLossLocked(v, v); err != nil {
		return errors.Join(w.delayPublishLocked(v), err)
	}
	along := w.comingAlong(v)
	if len(along.changes) == 0 && (w.publisher.isPublished(v) || !final && w.publisher.mustWait(v)) {
		return nil
	}
	done := w.counts.checkpoints.Start()
	err := w.publishWithLocked(v, along)
	done()
	w.feed.Write()
	w.notes.note(func(said *said) { said.unpublishable = err })
	w.control.NotePublishing(w.now().Sub(begin))
	return err
}

// Sync returns when everything is durable and in the published pack.
func (w *World) Sync() error { return w.checkpoint(true) }

// finish has the table go on from next, made of v, which is in the place of the pack.
func (pub *publisher) finish(next *packfile.Pack, v *View, in *table.Intake) {
	pub.world.control.Publish(table.Publication{
		Pack: next, View: v.View, Intake: in, Notes: pub.packNotes(next),
		Copy: func() { _ = pub.world.packs.CopyDurably(next) }, // publish tries again
	})
}

// isPublished reports whether the pack in place is the view, and nothing waits
// for being published.
func (pub *publisher) isPublished(v *View) bool {
	return pub.isPlaced() && pub.world.notes.read().unpublishable == nil && pub.world.control.IsPublished(v.View)
}

// mustWait reports whether all that the pack does not have is still too young to be
// in it, as the view says. Then no checkpoint is due before it may be.
func (pub *publisher) mustWait(v *View) bool {
	return pub.isPlaced() && pub.world.notes.read().unpublishable == nil && pub.world.control.MustWait(v.View)
}

// isPlaced reports whether the published pack lies in its place, as far as this process
// knows.
func (pub *publisher) isPlaced() bool {
	_, err := os.Lstat(pub.world.dir.PackPath())
	return err == nil && pub.placed == [32]byte{}
}

// packNotes returns what is to be remembered once next takes the published
// pack's place.
func (pub *publisher) packNotes(next *packfile.Pack) map[[32]byte]state.PackNote {
	notes := make(map[[32]byte]state.PackNote)
	if pub.wasLoaded {
		notes[pub.world.published().Hash()] = state.PackNote{Loaded: true}
	}
	if pub.taking != nil {
		notes[pub.taking.Hash()] = state.PackNote{At: pub.world.packs.NextTime(), Saved: true}
	}
	if note := notes[next.Hash()]; next.Hash() != pub.world.published().Hash() || pub.world.published().Len() == 0 {
		notes[next.Hash()] = state.PackNote{At: pub.world.packs.NextTime(), Saved: note.Saved, Published: true}
	}
	pub.taking, pub.wasLoaded = nil, false
	return notes
}
