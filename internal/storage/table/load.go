package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// Opening brings in the entities that there are when a world is opened: the pack, and
// what the state has beyond it. Until it is done the caller has the table to itself.
type Opening struct{ table *Table }

// Begin has the table go on from where the state was left, which has no entities yet.
func (o *Opening) Begin(m state.Meta) (err error) {
	t := o.table
	t.inodes = state.NewInodes(t.store, m)
	t.seq, t.born = m.Seq, m.Born
	t.times = state.DirTimes{Mtime: m.Mtime, Ctime: m.Ctime}
	t.shardTimes, err = t.store.ShardTimes(t.layout)
	return err
}

// SetPack says which pack the edits in the state are made on.
func (o *Opening) SetPack(p *packfile.Pack) { o.table.pack = p }

// LoadRecords makes the slots that the records of the state stand for. The types in
// force are those of the pack.
func (o *Opening) LoadRecords(m state.Meta) error {
	t := o.table
	if err := t.store.EachRecord(func(id entity.ID, r *state.Record) error { return t.loadRecord(id, r, m) }); err != nil {
		return err
	}
	t.recount()
	t.types = t.pack.Types().Clone()
	return nil
}

// RetypeLines reads under the types now in force the values that LoadRecords could not
// read under the pack's, where Control.Retype has not done so.
func (o *Opening) RetypeLines() error {
	t := o.table
	for id, s := range t.active {
		if s.origin != itsOwn || !s.good.Layout.Type.Unknown || t.types.Get(s.good.Type()) == nil {
			continue
		}
		r, err := t.readUnder(t.types, id)
		if err != nil {
			return err
		}
		t.takeRetypedLocked(r, t.types, &Cause{By: ByTypes, Source: history.Source{Set: t.feed.NewSet(), Origin: history.Brought}})
	}
	return nil
}

// loadRecord makes the slot that a record stands for.
func (t *Table) loadRecord(id entity.ID, r *state.Record, m state.Meta) error {
	if r.Unpublished && m.NextSeq != 0 && m.NextHas(id, r) && t.pack.Hash() == m.Next {
		r.Unpublished = false // the crash came after the exchange: the pack has it
	}
	inPack := t.pack.Has(id)
	if r.Gone && !r.Unpublished || !r.Gone && !r.HasText && !inPack {
		return nil
	}
	s := &slot{id: id, unpublished: r.Unpublished, seq: r.Seq, origin: inThePack, stored: r.HasText, judged: !r.HasText, canonical: !r.HasText, recorded: true}
	if r.GoodNone || !inPack {
		s.origin = nowhere
	}
	if r.HasGood {
		good, err := t.readGood(id, r.Good)
		if err != nil {
			return err
		}
		t.acceptLocked(id, s, good) // the record may be of before the pack that has them
	}
	if s.loaded = loadedOld; r.Unpublished {
		s.loaded = loadedNew
	}
	if r.Gone {
		s.at = r.Attr.Ctime
	} else {
		s.file = t.newFile(id, r.Attr)
	}
	s.loadCause(r)
	t.slots[id], t.active[id] = s, s
	if !s.judged {
		t.unjudged[id] = s
	}
	return nil
}

// readGood reads an entity's last good values. They may be of a type that was changed
// after the pack was published: what the pack's types do not read stays lines until
// types/ is read.
func (t *Table) readGood(id entity.ID, text []byte) (*entity.Entity, error) {
	res, err := textcodec.Decode(text, id, t.pack.Types())
	if err != nil {
		res, err = textcodec.Decode(text, id, entity.NewTypes())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: last good values of %d: %w", state.ErrRecord, id, err)
	}
	return res.Entity, nil
}

// recount finds anew which IDs the pack and the files differ in.
func (t *Table) recount() {
	t.extra, t.gone = t.extra[:0], 0
	for id, s := range t.active {
		switch inPack := t.pack.Has(id); {
		case s.file != nil && !inPack:
			t.extra = append(t.extra, id)
		case s.file == nil && inPack:
			t.gone++
		}
	}
	slices.Sort(t.extra)
}

// TouchUntouched goes on from a pack of which it is not known what it changes. Files
// without a record may have other bytes now than those that their times were shown with.
func (o *Opening) TouchUntouched(p *packfile.Pack) error {
	t := o.table
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetBase(p.Hash())
	known := make(map[entity.ID]bool)
	if err := t.store.EachRecord(func(id entity.ID, _ *state.Record) error { known[id] = true; return nil }); err != nil {
		return err
	}
	for _, id := range t.plainTimes.Load().Entities() {
		if known[id] || !p.Has(id) {
			continue
		}
		r := &state.Record{Attr: t.untouched(id).attrsLocked()}
		r.Attr.Touch()
		u.Records[id] = r
	}
	return t.store.Apply(u)
}

// FinishCrashed ends a publishing that was cut short after the exchange: p took the place
// of base, which is nil where it is not known any more. What came in by it without a
// record has no times of its own yet: it changes now.
func (o *Opening) FinishCrashed(p, base *packfile.Pack, notes map[[32]byte]state.PackNote, m state.Meta) error {
	t := o.table
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetPublished(p.Hash())
	u.Packs = notes
	known := make(map[entity.ID]*state.Record)
	if err := t.store.EachRecord(func(id entity.ID, r *state.Record) error { known[id] = r; return nil }); err != nil {
		return err
	}
	for id, r := range known {
		if r.Unpublished && m.NextHas(id, r) {
			r.Unpublished = false
			dropStale(r, id, p)
			u.Records[id] = r
		}
	}
	if base != nil {
		set := t.feed.NewSet()
		for was, is := range entity.Differing(base, p) {
			if t.feed.noteChangeLocked(cmp.Or(was, is).ID, was, is, Cause{By: ByEdit, Source: history.Source{Set: set}}) {
				t.feed.lastEventLocked().doubtful = true
			}
		}
		for _, c := range entity.Diff(base, p) {
			r := known[c.ID]
			if r == nil {
				r = &state.Record{Attr: t.untouched(c.ID).attrsLocked()}
			}
			if r.HasText || c.Op == entity.OpDelete {
				continue
			}
			r.Attr.Touch()
			u.Records[c.ID] = r
		}
	}
	return t.store.Apply(u)
}

// dropStale drops a text that reads as other values than the pack has, which
// came in after it.
func dropStale(r *state.Record, id entity.ID, p *packfile.Pack) {
	if !r.HasText {
		return
	}
	res, err := textcodec.Decode(r.Text, id, p.Types())
	if e, ok := p.Get(id); err == nil && ok && !e.Equal(res.Entity) {
		r.HasText, r.Text = false, nil
	}
}
