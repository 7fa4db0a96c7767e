package cache

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

// Loss is a great loss (see package greatloss) since the last pack that is not
// published: what would publish it returns a *LossError, and the published pack stays,
// until the entities are back or the caller allows the loss.
//
// Nothing notes that a loss waits: it is what pack and edits, or pack and plain
// files, differ in, so it is the same after a crash.
type Loss struct {
	Had  int      `json:"had"`  // entities in the published pack
	Gone int      `json:"gone"` // how many of them are not there any more
	By   LossKind `json:"by"`
	pack [32]byte // that pack

	during bool // what is refused is a change of something else
}

// LossKind says what has lost the entities.
type LossKind string

// The kinds of losses.
const (
	LostByEdits  LossKind = "edits"  // their files in the mount were removed
	LostByPlain  LossKind = "plain"  // their plain files were
	LostByIntake LossKind = "intake" // what was to come in does not have them
)

// LossError is why nothing is published: a great loss would be.
type LossError struct{ Loss }

func (e *LossError) Error() string {
	if e.during {
		return "nothing is changed: what a command changes is published at once, and nothing is while a great loss waits; " + e.lost()
	}
	return e.lost()
}

func (e *LossError) lost() string {
	lost := fmt.Sprintf("%s of the %s entities in world.pack", humanize.Comma(int64(e.Gone)), humanize.Comma(int64(e.Had)))
	switch e.By {
	case LostByIntake:
		return lost + " would be deleted; nothing is taken in (--allow-loss has it taken in all the same)"
	case LostByPlain:
		return lost + " have no plain file any more; world.pack stays as it is until the files are back " +
			"(worldfs unpack, or your version control, brings them back) or worldfs sync --allow-loss deletes the entities"
	}
	return fmt.Sprintf("%s are gone from entities/; world.pack stays as it is until they are back "+
		"(worldfs restore %x, or your version control, brings them back) or worldfs sync --allow-loss deletes them", lost, e.pack[:6])
}

// IsLoss reports whether an error says that a great loss is not published.
func IsLoss(err error) bool {
	var loss *LossError
	return errors.As(err, &loss)
}

// AsLoss returns the *LossError in an error of which IsLoss holds, without what was
// being done.
func AsLoss(err error) error {
	var loss *LossError
	errors.As(err, &loss)
	return loss
}

// AllowLoss allows what is made of the view to be a great loss.
func (v *View) AllowLoss() { v.lossAllowed = true }

// Means says that the caller has named the entity: its deletion is meant, and no part
// of a loss.
func (v *View) Means(id entity.ID) { v.meant = id }

// refuseLossLocked returns a *LossError if publishing next were a great loss that is not
// allowed. next is v, or what an intake makes of it. The caller has publishing.
func (w *World) refuseLossLocked(v, next *View) error {
	if w.lossAllowed || v.lossAllowed {
		return nil
	}
	if waits := w.notes.read().plainLoss; waits != nil {
		l := *waits
		l.during = v != next
		return &LossError{l}
	}
	l := lossIn(next)
	if l == nil {
		return nil
	}
	if l.during = v != next; lossIn(v) == nil {
		l.By, l.during = LostByIntake, false
	}
	return &LossError{*l}
}

// mayPublishLocked reports whether the view may be published as it is. The caller has
// publishing.
func (w *World) mayPublishLocked(v *View) bool { return w.refuseLossLocked(v, v) == nil }

// lossIn returns the great loss that a view is of the pack that it was made of, nil
// if it is none.
func lossIn(v *View) *Loss {
	var gone []entity.ID
	var made []*entity.Entity
	for id, e := range v.Changes() {
		switch has := v.Pack().Has(id); {
		case has && e == nil && id != v.meant:
			gone = append(gone, id)
		case !has && e != nil:
			made = append(made, e)
		}
	}
	l := Loss{Had: v.Pack().Len(), Gone: len(gone), By: LostByEdits}
	if !greatloss.Is(l.Had, l.Gone) {
		return nil
	}
	if l.Gone -= greatloss.Renumbered(v.Pack(), gone, made); !greatloss.Is(l.Had, l.Gone) {
		return nil
	}
	l.pack = v.Pack().Hash()
	return &l
}

// lossFinding says that a great loss waits.
func (w *World) lossFinding(l *Loss) entity.Finding {
	message := (&LossError{*l}).Error()
	if at := w.control.LastLeft(); l.By == LostByEdits && !at.IsZero() {
		message += "; the last one went at " + at.Local().Format(time.DateTime)
	}
	mend := "worldfs unpack"
	if l.By == LostByEdits {
		mend = fmt.Sprintf("worldfs restore %x", l.pack[:6])
	}
	return entity.Finding{Code: entity.CodeGreatLoss, Blocks: true, Message: message, Mend: mend}
}

// LosesMuch reports whether a great loss waits that edits are.
func (w *World) LosesMuch() bool { return lossIn(w.snapshot(true)) != nil }

// SetLossAllowed says whether a great loss may be published from now on.
func (w *World) SetLossAllowed(allowed bool) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.lossAllowed = allowed
}

// AcceptLoss is Sync that publishes a great loss, too: the entities that are gone
// are deleted from then on.
func (w *World) AcceptLoss() error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	before := w.lossAllowed
	w.lossAllowed = true
	defer func() { w.lossAllowed = before }()
	return w.checkpointLocked(true)
}

// Undelete brings the file of an entity back that went with a great loss which is not
// published, with its last good values, and returns those: its deletion never
// happened. It returns nil where the entity is none of those.
func (w *World) Undelete(id entity.ID) (*entity.Entity, error) {
	if !w.LosesMuch() {
		return nil, nil
	}
	return w.control.Undelete(id)
}

// lossIdle is after what time a loss that waits is looked at again, if there was no edit.
const lossIdle = time.Hour

// delayPublishLocked has nothing published before something changes, since that were a great loss
// (v, where it is known). The pack is in its place meanwhile. The caller has
// publishing.
func (w *World) delayPublishLocked(v *View) error {
	young := v != nil && len(v.Lacks()) > 0 // what is not judged yet may be what is gone, under another ID
	w.control.Delay(w.now().Add(lossIdle), young)
	return w.saves.ensurePlaced()
}

// Pack returns the world as it is now as a pack that is not published: for callers
// that read a world whose disk has no room for that, or where a great loss waits.
func (w *World) Pack() ([]byte, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.catchUpLocked(); err != nil {
		return nil, err
	}
	p, err := w.publisher.encode(w.snapshot(true))
	if err != nil {
		return nil, err
	}
	return p.Bytes(), nil
}

// keepStateLocked keeps the view as a pack that can be restored, where it could not be
// published. The caller has publishing.
func (w *World) keepStateLocked(v *View) error {
	p, err := w.publisher.encode(v)
	if err != nil {
		return fmt.Errorf("keep the state before: %w", err)
	}
	if err := w.packs.CopyDurably(p); err != nil || p.Len() == 0 {
		return err
	}
	return w.store.Apply(state.Update{Packs: map[[32]byte]state.PackNote{p.Hash(): {At: w.packs.NextTime()}}})
}
