package changelog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Request says what is to be undone, or made again.
type Request struct {
	IDs    []entity.ID // the last of these; none: the last change set
	Set    uint64      // a change set, by its number; 0: the last one
	Any    bool        // also what is not one's own
	Since  time.Time   // all since then, where it is not zero
	Redo   bool        // make again what was undone
	DryRun bool        // only say it
}

// Errors that say that there is nothing to do.
var (
	ErrNothing     = errors.New("nothing of your own is there to undo: worldfs history lists what has happened")
	ErrNothingMore = errors.New("nothing is there to redo: what was undone is made again, or you have changed something since")
)

// batch is what is taken back at once: parts of sets, of each entity one.
type batch struct {
	steps   []*step
	unnamed []*step             // creations and deletions whose entities were not named
	became  map[*step]entity.ID // the IDs that entities that were not named got, or had before
	redo    bool
}

// selection is what a request is about.
type selection struct {
	journal *journal
	texts   texts
	batches []batch // the latest first
}

// choose finds what a request is about, but for steps that are to be skipped.
func choose(log *history.Log, types *entity.Types, r Request, skip map[key]bool) (*selection, error) {
	j, err := readJournal(log)
	if err != nil {
		return nil, err
	}
	for k := range skip {
		j.steps[k].taken = true
	}
	sets, err := j.chosen(r)
	if err != nil {
		return nil, err
	}
	s := &selection{journal: j}
	var needed []*step
	for _, members := range sets {
		for _, m := range members {
			needed = append(needed, m, cmp.Or(j.steps[key{m.undoes, m.id}], m))
			needed = append(needed, j.byNo[m.set].members...) // for entities that have another ID since
			needed = append(needed, cmp.Or(m.found, m))
		}
	}
	if s.texts, err = readTexts(log, needed); err != nil {
		return nil, err
	}
	for _, members := range sets {
		s.batches = append(s.batches, s.batch(r, members, types))
	}
	return s, nil
}

// chosen returns the steps that a request is about, by what is done at once.
func (j *journal) chosen(r Request) (sets [][]*step, err error) {
	none := ErrNothing
	switch {
	case r.Redo && len(r.IDs) > 0:
		members, err := j.undoneOf(r.IDs)
		if err != nil {
			return nil, err
		}
		sets = append(sets, members)
	case r.Redo:
		none = ErrNothingMore
		if s := j.lastUndone(); s != nil {
			sets = append(sets, slices.DeleteFunc(slices.Clone(s.members), func(m *step) bool { return m.taken }))
		}
	case !r.Since.IsZero():
		for _, s := range slices.Backward(j.sets) {
			if s.time.After(r.Since) {
				sets = append(sets, j.takeable(s, r))
			}
		}
	case r.Set != 0:
		s := j.byNo[r.Set]
		if s == nil {
			return nil, fmt.Errorf("there is no change set %d: worldfs history lists them", r.Set)
		}
		if none = fmt.Errorf("change set %d is taken back already, or is not your own (--any)", r.Set); s.bulk {
			none = fmt.Errorf("change set %d changed more than the history has entity by entity: worldfs restore brings back a pack from before", r.Set)
		}
		sets = append(sets, j.takeable(s, r))
	case len(r.IDs) > 0:
		var members []*step
		for _, id := range r.IDs {
			m := j.lastOf(id, r.Any)
			if m == nil {
				return nil, j.nothingOf(id, r.Any)
			}
			members = append(members, m)
		}
		sets = append(sets, members)
	default:
		if s := j.lastSet(); s != nil {
			sets = append(sets, j.takeable(s, r))
		}
	}
	sets = slices.DeleteFunc(sets, func(members []*step) bool { return len(members) == 0 })
	if len(sets) == 0 {
		return nil, none
	}
	return sets, nil
}

// takeable returns the steps of a set that a request takes back.
func (j *journal) takeable(s *set, r Request) (members []*step) {
	for _, m := range s.members {
		if j.mayTake(m, r.Any) && (len(r.IDs) == 0 || slices.Contains(r.IDs, m.id)) {
			members = append(members, m)
		}
	}
	return members
}

// undoneOf returns what was taken back last of each of some entities.
func (j *journal) undoneOf(ids []entity.ID) (members []*step, err error) {
	for _, id := range ids {
		var last *step
		for _, s := range j.redo {
			if m := j.steps[key{s.number, id}]; m != nil && !m.taken {
				last = m
			}
		}
		if last == nil {
			return nil, fmt.Errorf("entity %d: %w", id, ErrNothingMore)
		}
		members = append(members, last)
	}
	return members, nil
}

// ErrNoOwn says that one has done nothing to an entity that could be undone.
var ErrNoOwn = errors.New("nothing that could be undone is known of it")

func (j *journal) nothingOf(id entity.ID, any bool) error {
	if m := j.lastOf(id, true); m != nil && j.byNo[m.set].isUndo() {
		return fmt.Errorf("entity %d: %w that is not undone already: worldfs redo %d makes it again", id, ErrNoOwn, id)
	} else if m != nil && j.isByTypes(m) {
		return fmt.Errorf("entity %d: %w", id, events.ErrByTypes)
	} else if m != nil && !any {
		how := Summary{By: j.byNo[m.set].by, Program: j.byNo[m.set].source.Program, Note: j.byNo[m.set].note}.How()
		return fmt.Errorf("entity %d: %w that is your own; what happened last came by %s: worldfs undo %d --any takes that back", id, ErrNoOwn, how, id)
	}
	return fmt.Errorf("entity %d: %w", id, ErrNoOwn)
}

// batch sorts out what of some steps is done: an entity that was created or deleted must be
// named, or have got another ID by that.
func (s *selection) batch(r Request, members []*step, types *entity.Types) (b batch) {
	b.redo, b.became = r.Redo, make(map[*step]entity.ID)
	pairs := make(map[*step]*step)
	for _, m := range members {
		if whole := s.journal.byNo[m.set].members; len(pairs) == 0 {
			pairs = s.texts.moves(whole, types)
		}
	}
	members = slices.Clone(members)
	for _, m := range slices.Clone(members) {
		if pairs[m] == nil || len(members) == len(s.journal.byNo[m.set].members) {
			continue
		}
		for _, other := range s.journal.byNo[m.set].members { // its refs go with it
			if !other.taken && !slices.Contains(members, other) && !slices.ContainsFunc(members, func(x *step) bool { return x.id == other.id }) {
				members = append(members, other)
			}
		}
	}
	for _, m := range members {
		deletes := m.created && !m.deleted || r.Redo && m.created
		named := slices.Contains(r.IDs, m.id)
		if !named && pairs[m] == nil && (deletes || !r.Redo && m.deleted && !m.created) {
			b.unnamed = append(b.unnamed, m)
			continue
		}
		if !named && pairs[m] != nil {
			b.became[m] = pairs[m].id
		}
		b.steps = append(b.steps, m)
	}
	return b
}

// outcome is what a batch makes of a world.
type outcome struct {
	edits     map[entity.ID]*entity.Entity // the values afterwards; nil: it is gone
	drops     []*step                      // texts that do not parse, to be dropped
	puts      map[entity.ID][]byte         // texts to be put
	marks     map[entity.ID][]byte         // texts of before whose conflicts are to be marked again
	wholes    map[entity.ID][]byte         // texts of before that are to be again as they were, with their values
	by        map[entity.ID]*step          // what is taken back by it
	conflicts []cache.Conflict
}

// on returns what a batch makes of a world, whose files have the texts that text returns.
func (s *selection) on(b batch, v entity.Source, types *entity.Types, text func(entity.ID) []byte) (*outcome, error) {
	o := &outcome{edits: make(map[entity.ID]*entity.Entity), puts: make(map[entity.ID][]byte), marks: make(map[entity.ID][]byte), wholes: make(map[entity.ID][]byte), by: make(map[entity.ID]*step)}
	base, theirs := make(map[entity.ID]*entity.Entity), make(map[entity.ID]*entity.Entity)
	for _, m := range b.steps {
		if s.textOutcome(o, b, m, text) {
			continue
		}
		if m.first == 0 && !has(v, m.id) {
			o.stands(m, "it is gone since")
			continue
		}
		if m.first == 0 {
			o.markAgain(m, s.texts.decided(m, types))
			continue
		}
		if m.cut {
			o.stands(m, "the text of then was too large to keep")
			continue
		}
		is, err := decode(s.texts.is(m), m.id, types)
		was, err2 := decode(s.texts.was(m), m.id, types)
		if err := errors.Join(err, err2); err != nil {
			o.stands(m, "its text of then does not parse any more under the types of now")
			continue
		}
		if other := s.replacedSince(m); other != nil {
			o.stands(m, "it is another entity since: that of then was deleted by "+other.by)
			continue
		}
		if id, moved := b.became[m]; moved && is == nil && !has(v, id) {
			o.stands(m, fmt.Sprintf("it became entity %d, which is gone since; name %d to have it back", id, m.id))
			continue
		}
		if o.wholes[m.id] == nil {
			was = o.keepDisputed(text(m.id), is, was, types)
			o.markAgain(m, s.texts.decided(m, types))
		}
		if m.found != nil && is != nil && was != nil && s.journal.goesBackToTypes(m.found) && s.isAsLeft(m, text(m.id), is, types) {
			o.puts[m.id] = s.texts.brokenText(m.found) // with the values that it had
		}
		base[m.id], theirs[m.id], o.by[m.id] = is, was, m
	}
	for id, is := range base {
		if o.isHeld(is, theirs[id], base) {
			theirs[id] = is
		}
	}
	result, err := merge.Worlds(
		merge.Side{Types: types, Entities: entity.NewOverlay(v, base)},
		merge.Side{Types: types, Entities: v},
		merge.Side{Types: types, Entities: entity.NewOverlay(v, theirs)}, merge.Options{Policy: merge.Mine})
	if err != nil {
		return nil, err
	}
	for _, c := range result.Conflicts {
		o.conflicts = append(o.conflicts, cache.Conflict{Kind: c.Kind, ID: c.ID, Field: c.Field, Left: c.Left, Words: c.String()})
	}
	for _, c := range result.Changes() {
		o.edits[c.ID], _ = result.Get(c.ID)
	}
	o.dropMarks(v, types, text)
	return o, nil
}

// dropMarks drops the conflicts to mark that change nothing: they are marked already, or the
// values have settled them since.
func (o *outcome) dropMarks(v entity.Source, types *entity.Types, text func(entity.ID) []byte) {
	maps.DeleteFunc(o.marks, func(id entity.ID, marked []byte) bool {
		e, there := v.Get(id)
		_, edited := o.edits[id]
		return there && !edited && !marks(marked, e, text(id), types)
	})
}

// marks reports whether the conflicts of a text of before change an entity's text of now where
// they are marked in it.
func marks(marked []byte, e *entity.Entity, now []byte, types *entity.Types) bool {
	if was, err := decode(marked, e.ID, types); !textcodec.HasMarkers(now) && err == nil && was.Equal(e) {
		return true
	}
	was, err := textcodec.Remark(now, e.ID, types)
	is, err2 := textcodec.Remark(now, e.ID, types, marked)
	return err != nil || err2 != nil || !slices.Equal(was, is)
}

// keepDisputed returns what an entity is to go back to, without the properties that are in
// conflict in its text: they have both sides until a person settles them.
func (o *outcome) keepDisputed(text []byte, is, was *entity.Entity, types *entity.Types) *entity.Entity {
	was, left := events.KeepDisputed(text, is, was, types)
	o.conflicts = append(o.conflicts, left...)
	return was
}

// isHeld reports whether all that an entity is to go back in is a pose that follows from what
// it is mounted on, which is in conflict, or will be again, and stays where it is.
func (o *outcome) isHeld(is, was *entity.Entity, moved map[entity.ID]*entity.Entity) bool {
	if is == nil || was == nil || was.Layout != is.Layout || is.MountParent() == 0 || !was.WithPoseOf(is).Same(is) {
		return false
	}
	on := is.MountParent()
	return o.marks[on] != nil && moved[on] == nil || slices.ContainsFunc(o.conflicts, func(c cache.Conflict) bool { return c.Left && c.ID == on })
}

// markAgain has the conflicts be again that a step has decided, and that a text has.
func (o *outcome) markAgain(m *step, text []byte) {
	if text != nil {
		o.marks[m.id], o.by[m.id] = text, m
	}
}

func has(v entity.Source, id entity.ID) bool {
	_, there := v.Get(id)
	return there
}

// stands notes that what a step did stands.
func (o *outcome) stands(m *step, why string) {
	o.conflicts = append(o.conflicts, cache.Conflict{Kind: merge.PropertyChanged, ID: m.id, Words: fmt.Sprintf("entity %d: %s", m.id, why)})
}

// textOutcome sees to what a step did to a text, and not only to the values: broke it, or left
// a conflict in it. It reports whether there is nothing more to see to.
func (s *selection) textOutcome(o *outcome, b batch, m *step, text func(entity.ID) []byte) bool {
	broken := m.broken != 0 && slices.Equal(text(m.id), s.texts.brokenText(m))
	if broken && s.texts.hasOwnMarks(m) {
		o.conflicts = append(o.conflicts, cache.Conflict{Kind: merge.PropertyChanged, ID: m.id, Left: true, Words: fmt.Sprintf(
			"entity %d: conflicts are marked in its text that the one before has not: mend the line that cannot be read, or settle them with worldfs resolve", m.id)})
		return true
	}
	if was, is := s.texts.markedTexts(m); is != nil && was != nil && !textcodec.HasMarkers(was) && slices.Equal(text(m.id), is) {
		o.by[m.id] = m
		if m.first != 0 {
			o.wholes[m.id] = was
			return false
		}
		o.puts[m.id] = was
		return true
	}
	if broken {
		return s.brokenOutcome(o, m)
	}
	if m.deleted && m.found != nil && !m.created && text(m.id) == nil {
		o.puts[m.id] = s.texts.brokenText(m.found) // with the values that it had
	}
	if b.redo && m.first == 0 {
		if done := s.journal.steps[key{m.undoes, m.id}]; done != nil && done.broken != 0 {
			o.puts[m.id], o.by[m.id] = s.texts.brokenText(done), m
			return true
		}
	}
	return false
}

// isAsLeft reports whether a text has been edited by no more since a step, which made its
// entity is, than the taking out of the markers that the step left.
func (s *selection) isAsLeft(m *step, text []byte, is *entity.Entity, types *entity.Types) bool {
	if _, left := s.texts.around(m); slices.Equal(text, left) {
		return true
	}
	now, err := decode(text, m.id, types)
	return err == nil && now != nil && now.Equal(is) && !textcodec.HasMarkers(text)
}

// brokenOutcome is textOutcome of a text that a step broke. The last good values take its
// place, with the conflicts that were marked beside them; but the types may have changed since
// they could be read, and have no room for them.
func (s *selection) brokenOutcome(o *outcome, m *step) bool {
	if s.journal.isByTypes(m) {
		o.stands(m, events.ErrByTypes.Error())
		return true
	}
	o.by[m.id] = m
	if m.found != nil && s.journal.isByTypes(m.found) {
		o.puts[m.id] = s.texts.brokenText(m.found)
		return true
	}
	if was := s.texts.beforeBroken(m); was != nil && m.first == 0 {
		o.puts[m.id] = was
		return true
	}
	o.drops = append(o.drops, m)
	return m.first == 0
}

// replacedSince returns a set of others in which the entity was deleted, or made anew, after a
// step; nil if there is none, or it stays gone.
func (s *selection) replacedSince(m *step) *set {
	for _, x := range s.journal.sets {
		later := s.journal.steps[key{x.number, m.id}]
		if later == nil || x.isOwn() || later.taken || !later.created || later.first <= m.last {
			continue
		}
		return x
	}
	return nil
}

// entries returns what an outcome changes, as the history would have it.
func (o *outcome) entries(v entity.Source, types *entity.Types, text func(entity.ID) []byte) (list []history.Entry) {
	ids := make(map[entity.ID]bool)
	for id := range o.edits {
		ids[id] = true
		e := history.Entry{Time: time.Now(), ID: id, Kind: history.Changed}
		if was, ok := v.Get(id); ok {
			e.Was = textcodec.Append(nil, was)
		}
		if is := o.edits[id]; is != nil {
			e.Is = textcodec.Append(nil, is)
		}
		list = append(list, e)
	}
	for _, m := range o.drops {
		if !ids[m.id] {
			list = append(list, history.Entry{Time: time.Now(), ID: m.id, Kind: history.Mended})
		}
	}
	for id, is := range o.marks {
		if _, ok := v.Get(id); ok && !ids[id] {
			list = append(list, history.Entry{Time: time.Now(), ID: id, Kind: history.Marked, Was: text(id), Is: is})
		}
	}
	for id, is := range o.puts {
		e := history.Entry{Time: time.Now(), ID: id, Kind: history.Marked, Was: text(id), Is: is}
		if _, err := decode(is, id, types); err != nil {
			e.Kind = history.Broken
		}
		if !ids[id] {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b history.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
