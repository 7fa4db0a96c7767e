package changelog

import (
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Answer is what was undone, or made again, or what would be.
type Answer struct {
	Sets    []Summary      `json:"sets"`             // of which something is taken back, the latest first
	Changes []events.Event `json:"changes"`          // what that changes
	Unnamed []events.Event `json:"unnamed"`          // creations and deletions that stand, since their entities were not named
	Undone  *events.Event  `json:"undone,omitempty"` // what was taken back of the first entity
	Report  cache.Report   `json:"report"`           // what it came to; its conflicts are what was changed since, and stands
}

// Do undoes, or makes again, what a request is about.
func Do(w *cache.World, r Request) (Answer, error) {
	if back, err := undelete(w, r); back != nil || err != nil {
		return Answer{Sets: []Summary{}, Changes: back, Unnamed: []events.Event{}, Undone: first(back), Report: cache.Report{Created: len(back)}}, err
	}
	log, err := w.HistoryNow()
	if err != nil {
		return Answer{}, err
	}
	s, a, err := plan(w, log, r)
	if err != nil || r.DryRun {
		return a, err
	}
	var total cache.Report
	for _, b := range s.batches {
		report, err := s.do(w, b, r)
		if err != nil {
			return a, err
		}
		total.Created += report.Created
		total.Changed += report.Changed
		total.Deleted += report.Deleted
		total.Conflicts = append(total.Conflicts, report.Conflicts...)
		total.Repairs = append(total.Repairs, report.Repairs...)
		total.Carried += report.Carried
		total.Derived = append(total.Derived, report.Derived...)
	}
	a.Report = total
	return a, nil
}

// undelete has entities be again that are gone by a great loss that is not published: their
// deletion is in no history.
func undelete(w *cache.World, r Request) (back []events.Event, err error) {
	if r.Redo || r.Set != 0 || !w.LosesMuch() {
		return nil, nil
	}
	restore := w.Undelete
	if r.DryRun {
		restore = func(id entity.ID) (*entity.Entity, error) { return goneOf(w, id) }
	}
	for _, id := range r.IDs {
		e, err := restore(id)
		if err != nil {
			return back, err
		}
		if e != nil {
			gone := history.Entry{ID: id, Kind: history.Changed, Time: time.Now(), By: cache.ByEdit, Was: textcodec.Append(nil, e)}
			back = append(back, events.Of(gone, w.Types()))
		}
	}
	return back, nil
}

// goneOf returns an entity of the published pack that is gone; nil if it is not.
func goneOf(w *cache.World, id entity.ID) (*entity.Entity, error) {
	view, err := w.View()
	if err != nil {
		return nil, err
	}
	e, had := view.Pack().Get(id)
	if _, there := view.Get(id); there || !had {
		return nil, nil
	}
	return e, nil
}

func first(list []events.Event) *events.Event {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// plan finds what is to be done, and what it would come to. What was done last, but of which
// nothing is left to take back, or to make again, since all is so already, is passed over.
// Where entities are named and nothing else is left of them, that comes to nothing.
func plan(w *cache.World, log *history.Log, r Request) (s *selection, a Answer, err error) {
	skip := make(map[key]bool)
	for {
		view, err := w.View()
		if err != nil {
			return nil, Answer{}, err
		}
		next, err := choose(log, view.Types(), r, skip)
		if err != nil && s != nil && len(r.IDs) > 0 {
			return s, a, nil
		} else if err != nil {
			return nil, Answer{}, err
		}
		s = next
		a, err = s.answer(view)
		last := r.Set == 0 && r.Since.IsZero()
		if err != nil || !last || len(a.Changes)+len(a.Unnamed)+len(a.Report.Conflicts) > 0 {
			return s, a, err
		}
		for _, m := range s.batches[0].steps {
			skip[m.key] = true
		}
	}
}

// answer says what a selection would come to on a view.
func (s *selection) answer(view *cache.View) (Answer, error) {
	a := Answer{Sets: []Summary{}, Changes: []events.Event{}, Unnamed: []events.Event{}}
	a.Report.Conflicts, a.Report.Repairs = []cache.Conflict{}, []string{}
	now, types := entity.Source(view.Overlay), view.Types()
	said := make(map[uint64]bool)
	for _, b := range s.batches {
		for _, m := range append(b.steps, b.unnamed...) {
			if !said[m.set] {
				said[m.set] = true
				a.Sets = append(a.Sets, s.journal.summary(s.journal.byNo[m.set]))
			}
		}
		for _, m := range b.unnamed {
			a.Unnamed = append(a.Unnamed, events.Of(s.entry(m), types))
		}
		if a.Undone == nil && len(b.steps) > 0 {
			undone := events.Of(s.entry(b.steps[0]), types)
			a.Undone = &undone
		}
		o, err := s.on(b, now, types, textOf(view))
		if err != nil {
			return a, err
		}
		for _, e := range o.entries(now, types, textOf(view)) {
			a.Changes = append(a.Changes, events.Of(e, types))
		}
		a.Report.Conflicts = append(a.Report.Conflicts, o.conflicts...)
		now = entity.NewOverlay(now, o.edits)
	}
	return a, nil
}

// textOf returns the texts of files as a view has them, nil where there is none.
func textOf(view *cache.View) func(entity.ID) []byte {
	return func(id entity.ID) []byte {
		text, err := view.Text(id)
		if err != nil {
			return nil
		}
		return text
	}
}

// entry returns what a step did, as one entry of the history.
func (s *selection) entry(m *step) history.Entry {
	x := s.journal.byNo[m.set]
	e := history.Entry{Time: m.time, ID: m.id, By: x.by, Note: x.note, Source: x.source, Cut: m.cut, Kind: history.Changed}
	switch {
	case m.first != 0:
		e.Was, e.Is = s.texts.was(m), s.texts.is(m)
	case m.broken != 0:
		e.Kind, e.Is = history.Broken, s.texts.brokenText(m)
	case m.marked[0] != 0:
		e.Kind = history.Marked
		e.Was, e.Is = s.texts.markedTexts(m)
	default:
		e.Kind = history.Mended
	}
	return e
}

// do takes a batch back.
func (s *selection) do(w *cache.World, b batch, r Request) (cache.Report, error) {
	if len(b.steps) == 0 {
		return cache.Report{}, nil
	}
	cause := s.cause(w, b)
	var out *outcome
	report, err := w.Edit(cause, func(v *cache.View) (base, theirs entity.Source, err error) {
		if len(r.IDs) == 1 {
			v.Means(r.IDs[0])
		} else if len(r.IDs) > 1 {
			v.AllowLoss() // each of them was named
		}
		if out, err = s.on(b, v.Overlay, v.Types(), textOf(v)); err != nil {
			return nil, nil, err
		}
		for id, text := range out.marks {
			v.Marks(id, text)
		}
		for id, text := range out.wholes {
			v.Restores(id, text)
		}
		for _, m := range out.drops {
			v.Mends(m.id)
		}
		return v.Overlay, entity.NewOverlay(v.Overlay, out.edits), nil
	}, merge.Options{Policy: merge.Mine})
	if err != nil {
		return report, err
	}
	report.Conflicts = append(report.Conflicts, out.conflicts...)
	for _, m := range out.drops {
		dropped, err := w.DropText(m.id, cause)
		if err != nil {
			return report, err
		}
		report.Changed += dropped.Changed + dropped.Created
		report.Deleted += dropped.Deleted
	}
	for id, text := range out.puts {
		if _, err := w.PutText(id, text, cause); err != nil {
			return report, err
		}
		report.Changed++
	}
	return report, nil
}

// cause is what the history is to say of a batch.
func (s *selection) cause(w *cache.World, b batch) cache.Cause {
	about := s.journal.origin(s.journal.byNo[b.steps[0].set])
	c := cache.Cause{By: cache.ByUndo, Parts: make(map[entity.ID]history.Source)}
	if b.redo {
		c.By = cache.ByRedo
	}
	c.Note = "what " + s.journal.summary(about).How() + " did at " + about.time.Format(time.RFC3339)
	c.Source = history.Source{Set: w.NewSet(), Origin: history.Here, Undoes: about.number}
	for _, m := range b.steps {
		part := c.Source
		part.Undoes = m.set
		c.Parts[m.id] = part
	}
	return c
}
