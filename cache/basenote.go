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
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/packfile"
)

// baseNote is what there is to say about the base of the last save. It is in
// state.db: the command that takes a save in is seldom the one that is asked. It
// is said until the next save, and no longer than the packs that it speaks of
// are kept.
type baseNote struct {
	At      time.Time      `json:"at"`
	Finding entity.Finding `json:"finding"` // no code: there is nothing to say
}

// noteBase notes what a save was made from, for status.
func (s *saveWatcher) noteBase(b packstore.Base) error {
	hash := b.Pack.Hash()
	s.world.log.Info("another program saved a pack", "base", hex.EncodeToString(hash[:6]), "uncertain", b.Unknown)
	n := baseNote{At: s.world.now()}
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
	return s.putBaseNote(n)
}

// noteSaveLoss notes for status that a save was not taken in, since that were a great
// loss.
func (s *saveWatcher) noteSaveLoss(p *packfile.Pack, err error) error {
	var loss *LossError
	errors.As(err, &loss)
	hash := p.Hash()
	s.world.log.Warn("a saved pack lacks most entities; it is not taken in", "gone", loss.Gone, "had", loss.Had)
	return s.putBaseNote(baseNote{At: s.world.now(), Finding: entity.Finding{Code: entity.CodeSaveLoss, Message: fmt.Sprintf(
		"a program saved the world without %s of its %s entities; nothing of the save is taken in, and the pack from before it is in its place "+
			"(worldfs restore %x --allow-loss makes the world what was saved)",
		humanize.Comma(int64(loss.Gone)), humanize.Comma(int64(loss.Had)), hash[:6])}})
}

// putBaseNote keeps what there is to say about the last save.
func (s *saveWatcher) putBaseNote(n baseNote) error {
	if n.Finding.Code != "" {
		n.Finding.File = filepath.Base(s.world.dir.PackPath())
	}
	if n == s.world.notes.read().base {
		return nil
	}
	data, err := json.Marshal(n)
	if err == nil {
		err = s.world.store.PutSaved(data)
	}
	if err != nil {
		return fmt.Errorf("note what a save was made from: %w", err)
	}
	s.world.notes.note(func(said *said) { said.base = n })
	return nil
}

// loadBaseNote reads what noteBase noted.
func (s *saveWatcher) loadBaseNote() error {
	data, err := s.world.store.Saved()
	if err != nil {
		return err
	}
	var n baseNote
	if json.Unmarshal(data, &n) != nil {
		n = baseNote{} // it is none of ours
	}
	s.world.notes.note(func(said *said) { said.base = n })
	return nil
}

// findings says what there is to say about the base of the last save, at a time.
func (n *baseNote) findings(now time.Time) []entity.Finding {
	if n.Finding.Code == "" || now.Sub(n.At) > packstore.MaxAge {
		return nil
	}
	return []entity.Finding{n.Finding}
}
