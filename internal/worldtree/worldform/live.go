package worldform

import (
	"errors"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// openLive opens a world that is in use: through its daemon, or by itself. Where
// the daemon goes away in between, it is opened once more.
func openLive(dir *worlddir.Dir, o Options) (*World, error) {
	w, err := readLive(dir, o)
	if errors.Is(err, daemon.ErrNoDaemon) {
		w, err = readLive(dir, o)
	}
	return w, err
}

// readLive reads a world at one moment and gives it back at once, so that others
// can use it meanwhile: a Reading goes on without it.
func readLive(dir *worlddir.Dir, o Options) (_ *World, err error) {
	live, err := daemon.Open(dir, o.Note)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	status, err := live.Status()
	if err != nil {
		return nil, err
	}
	r, err := live.Read()
	if err != nil {
		return nil, err
	}
	w := &World{ID: dir.ID, Types: r.Types, Source: r.Source}
	return w, w.addTexts(live, status.Findings, o)
}

// addTexts keeps those of a world's findings that are about its texts, and
// those texts.
func (w *World) addTexts(live *daemon.World, findings []entity.Finding, o Options) error {
	for _, f := range findings {
		if aboutText(f) {
			w.Findings = append(w.Findings, f)
		}
		exact := f.Code == entity.CodeBroken || f.Code == entity.CodeConflict || o.Exact && saysOtherwise(f.Code)
		if f.ID == 0 || !exact || w.Texts[f.ID] != nil {
			continue
		}
		text, err := live.Text(f.ID)
		if err != nil {
			return err
		}
		w.keepText(f.ID, text)
	}
	return nil
}

func (w *World) keepText(id entity.ID, text []byte) {
	if w.Texts == nil {
		w.Texts = make(map[entity.ID][]byte)
	}
	w.Texts[id] = text
}

// saysOtherwise reports whether a finding of that code is about a text that is not
// canonical. One that has lines which are unknown may be, and says the same if it is not.
func saysOtherwise(code string) bool {
	switch code {
	case entity.CodeNotCanonical, entity.CodeComputed, entity.CodeIDDiffers, entity.CodeFloatEdited,
		entity.CodeFieldMissing, entity.CodeFieldTwice, entity.CodeFieldNotSaved, entity.CodeSetUnordered:
		return true
	}
	return false
}

// aboutText reports whether a finding says that a text could not be read, or
// that what it says is in doubt.
func aboutText(f entity.Finding) bool {
	switch f.Code {
	case entity.CodeBroken, entity.CodeConflict, entity.CodeIDDiffers, entity.CodeTypeFile,
		entity.CodeUnreadable, entity.CodeTypeUnknown, entity.CodeRevisionNewer, entity.CodeFieldTwice:
		return true
	}
	return false
}
