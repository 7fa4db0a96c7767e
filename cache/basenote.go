package cache

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/packstore"
	"github.com/worldfs/worldfs/packfile"
)

// baseNote is what there is to say about the base of the last save. It is in
// state.db: the command that takes a save in is seldom the one that is asked. It
// is said until the next save, and no longer than the packs are kept at which
// somebody could look.
type baseNote struct {
	At      time.Time      `json:"at"`
	Finding entity.Finding `json:"finding"` // no code: there is nothing to say
}

// noteBase notes what a save was made from, for status.
func (w *World) noteBase(b packstore.Base) error {
	hash := b.Pack.Hash()
	w.log.Info("another program saved a pack", "base", hex.EncodeToString(hash[:6]), "uncertain", b.Unknown)
	n := baseNote{At: w.now()}
	switch {
	case b.Unknown != "":
		n.Finding.Code = entity.CodeBaseUnknown
		n.Finding.Message = b.Unknown + "; look at what changed (worldfs restore --list has the packs from before)"
	case b.Old:
		n.Finding.Code = entity.CodeSaveOld
		n.Finding.Message = fmt.Sprintf("a program saved the world as it was some time ago, and nothing that it had changed; "+
			"the world stays as it is (worldfs restore %x makes it what was saved)", hash[:6])
	default:
		n = baseNote{}
	}
	return w.putBaseNote(n)
}

// noteSaveLoss notes for status that a save was not taken in, since that were a great
// loss.
func (w *World) noteSaveLoss(p *packfile.Pack, err error) error {
	var loss *LossError
	errors.As(err, &loss)
	hash := p.Hash()
	w.log.Warn("a saved pack lacks most entities; it is not taken in", "gone", loss.Gone, "had", loss.Had)
	return w.putBaseNote(baseNote{At: w.now(), Finding: entity.Finding{Code: entity.CodeSaveLoss, Message: fmt.Sprintf(
		"a program saved the world without %s of its %s entities; nothing of the save is taken in, and the pack from before it is in its place "+
			"(worldfs restore %x --allow-loss makes the world what was saved)",
		humanize.Comma(int64(loss.Gone)), humanize.Comma(int64(loss.Had)), hash[:6])}})
}

// putBaseNote keeps what there is to say about the last save.
func (w *World) putBaseNote(n baseNote) error {
	if n.Finding.Code != "" {
		n.Finding.File = filepath.Base(w.dir.PackPath())
	}
	w.mu.RLock()
	before := w.baseNote
	w.mu.RUnlock()
	if n == before {
		return nil
	}
	data, err := json.Marshal(n)
	if err == nil {
		err = w.store.PutSaved(data)
	}
	if err != nil {
		return fmt.Errorf("note what a save was made from: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.baseNote = n
	return nil
}

// loadBaseNote reads what noteBase noted.
func (w *World) loadBaseNote() error {
	data, err := w.store.Saved()
	if err != nil {
		return err
	}
	if json.Unmarshal(data, &w.baseNote) != nil {
		w.baseNote = baseNote{} // it is none of ours
	}
	return nil
}

// baseFinding says what there is to say about the base of the last save. The
// caller has mu.
func (w *World) baseFinding() []entity.Finding {
	if w.baseNote.Finding.Code == "" || w.now().Sub(w.baseNote.At) > packstore.MaxAge {
		return nil
	}
	return []entity.Finding{w.baseNote.Finding}
}
