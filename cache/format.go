package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// Format makes texts canonical: of these entities, or of all. With upgrade it
// also brings them to their types' current revisions. A text that does not
// parse is left as it is and counted as broken; an entity that has a conflict in
// it, or cannot be upgraded without loss, is left as it is and named in the error,
// by ID, after all others are done.
func (w *World) Format(ids []entity.ID, upgrade bool) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(Cause{By: ByFormat})()
	if err := w.catchUpLocked(); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	if ids == nil {
		if err := w.dir.Need(worlddir.FormatFor(w.Types().All()...)); err != nil {
			return Report{}, err
		}
		ids = w.formattable(v, upgrade)
	}
	var r Report
	var refused []error
	changes := make(map[entity.ID]change)
	for _, id := range slices.Sorted(slices.Values(ids)) {
		c, err := w.format(id, v, upgrade)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Report{}, fmt.Errorf("there is no entity %d", id)
		case errors.Is(err, errBroken):
			r.Broken++
		case err != nil:
			refused = append(refused, err)
		case c.Entity == nil:
			r.Unchanged++
		default:
			changes[id] = c
			r.Changed++
		}
	}
	if len(changes) > 0 {
		if err := w.intakeLocked(v, changes); err != nil {
			return Report{}, err
		}
	}
	return r, errors.Join(refused...)
}

var errBroken = errors.New("the text does not parse")

// DropText puts the text of an entity's last good values in the place of one
// that does not parse. An entity that never had any goes.
func (w *World) DropText(id entity.ID, c Cause) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(c)()
	if err := w.catchUpLocked(); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	v.Means(id)
	e, ok := v.Get(id)
	changes := map[entity.ID]change{id: {Entity: e, Gone: !ok}}
	return count(v, changes), w.intakeLocked(v, changes)
}

// PutText puts a text in the place of an entity's, whether it parses or not. The
// values follow once it has been read.
func (w *World) PutText(id entity.ID, text []byte, c Cause) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(c)()
	if err := w.catchUpLocked(); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	changes := map[entity.ID]change{id: {Text: append([]byte{}, text...)}}
	return count(v, changes), w.intakeLocked(v, changes)
}

// formattable returns the entities that there may be something to do for.
func (w *World) formattable(v *View, upgrade bool) (ids []entity.ID) {
	if upgrade {
		for e := range v.All() {
			ids = append(ids, e.ID)
		}
		return ids
	}
	return w.control.NotCanonical()
}

// format returns the change that formatting makes, none where the text is canonical.
func (w *World) format(id entity.ID, v *View, upgrade bool) (change, error) {
	if !w.control.Exists(id) {
		return change{}, fs.ErrNotExist
	}
	broken, canonical := w.control.FormOf(id)
	e, ok := v.Get(id)
	switch {
	case broken || !ok:
		return change{}, errBroken
	case w.control.IsInDoubt(id):
		return change{}, &entity.FieldError{Subject: e.String(), Reason: "it has conflict markers, and stays as it is: keep the lines of one side and take the markers out"}
	}
	if upgrade {
		up, err := textcodec.Upgrade(e)
		if err != nil {
			return change{}, err
		}
		canonical = canonical && up == e
		e = up
	}
	if canonical {
		return change{}, nil
	}
	return change{Entity: e}, nil
}
