package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
	"github.com/worldfs/worldfs/typefile"
)

// Intake is what comes into a world from outside.
type Intake struct {
	Types    []*entity.Type
	Entities []*entity.Entity
	Whole    bool // what is missing is deleted
}

// Report says what became of an intake.
type Report struct {
	Created   int `json:"created"`
	Changed   int `json:"changed"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Conflicts int `json:"conflicts"`
	Broken    int `json:"broken"` // texts that do not parse; they are kept
}

// change is what an intake does to one entity's file.
type change struct {
	entity *entity.Entity // its new values; nil: see gone
	gone   bool           // the file goes; otherwise nil leaves the values
	text   []byte         // the file's exact bytes; nil: rendered from the values
}

// TakeIn takes in types and entities. What did not change keeps its text, its
// times and its inode number. When it returns without an error all of it is in
// the published pack, otherwise none of the entities are.
func (w *World) TakeIn(in Intake) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.takeInTypes(in); err != nil {
		return Report{}, err
	}
	if err := w.settle(true); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	changes := make(map[entity.ID]change)
	named := make(map[entity.ID]bool, len(in.Entities))
	for _, e := range in.Entities {
		named[e.ID] = true
		e = underTypes(e, v.types)
		if old, ok := v.Get(e.ID); !ok || !old.Equal(e) {
			changes[e.ID] = change{entity: e}
		}
	}
	if in.Whole {
		for id := range v.pack.IDs() {
			w.deleteMissing(id, named, changes)
		}
		for _, id := range v.ids {
			w.deleteMissing(id, named, changes)
		}
	}
	report := count(v, changes)
	report.Unchanged = len(in.Entities) - report.Created - report.Changed
	return report, w.intake(v, changes)
}

func (w *World) deleteMissing(id entity.ID, named map[entity.ID]bool, changes map[entity.ID]change) {
	if !named[id] && w.exists(id) {
		changes[id] = change{gone: true}
	}
}

// takeInTypes writes the declarations that are new, and puts them in force.
func (w *World) takeInTypes(in Intake) error {
	if len(in.Types) > 0 {
		if err := os.MkdirAll(w.dir.TypesPath(), 0o755); err != nil {
			return fmt.Errorf("write types: %w", err)
		}
		if _, err := typefile.WriteDir(w.dir.TypesPath(), in.Types); err != nil {
			return err
		}
	}
	if in.Whole {
		if err := w.removeTypes(in.Types); err != nil {
			return err
		}
	}
	return w.reloadTypes()
}

// removeTypes removes the files of types that are not among keep.
func (w *World) removeTypes(keep []*entity.Type) error {
	kept := entity.NewTypes(keep...)
	for _, t := range w.Types().All() {
		if kept.Get(t.Name) != nil {
			continue
		}
		path := filepath.Join(w.dir.TypesPath(), typefile.FileName(t.Name))
		if err := w.disk.Remove("types file", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// underTypes returns e with the layout that the types give it.
func underTypes(e *entity.Entity, types *entity.Types) *entity.Entity {
	t := types.Get(e.Type())
	if t == nil || t == e.Layout.Type {
		return e
	}
	l := t.Layout(e.Revision())
	if !slices.EqualFunc(l.Fields, e.Layout.Fields, func(a, b *entity.Field) bool { return a.Name == b.Name && a.Kind == b.Kind }) {
		return entity.Carry(e, t)
	}
	n := *e
	n.Layout = l
	return &n
}

func count(v *View, changes map[entity.ID]change) (r Report) {
	for id, c := range changes {
		_, had := v.Get(id)
		switch {
		case c.gone:
			r.Deleted++
		case c.entity == nil:
			r.Broken++
		case had:
			r.Changed++
		default:
			r.Created++
		}
	}
	return r
}

// intake publishes the view with the changes, and brings the files in step.
// The caller has publishing.
func (w *World) intake(v *View, changes map[entity.ID]change) error {
	if err := w.commit(); err != nil {
		return err
	}
	values := make(map[entity.ID]*entity.Entity, len(changes))
	for id, c := range changes {
		if c.entity != nil || c.gone {
			values[id] = c.entity
		}
	}
	in := intaking{world: w, view: v, changes: changes}
	if err := in.prepare(); err != nil {
		return err
	}
	if err := w.publish(v.with(values), in.apply); err != nil {
		return err
	}
	in.announce()
	return nil
}

// intaking brings files in step with an intake.
type intaking struct {
	world   *World
	view    *View
	changes map[entity.ID]change
	born    bool // the world was empty: its files have default attributes
	inos    []uint64
	created []entity.ID
	removed []entity.ID
	altered []entity.ID
}

// prepare sets inode numbers aside for files that are new.
func (in *intaking) prepare() error {
	w := in.world
	w.mu.RLock()
	in.born = w.pack.Len() == 0 && len(w.slots) == 0
	w.mu.RUnlock()
	if in.born {
		return nil
	}
	for id, c := range in.changes {
		if c.gone || w.exists(id) {
			continue
		}
		ino, err := w.inodes.get()
		if err != nil {
			return err
		}
		in.inos = append(in.inos, ino)
	}
	return nil
}

// apply runs once the pack is in its place, with mu held.
func (in *intaking) apply(u *update) {
	w := in.world
	if in.born {
		w.born = fileTime(time.Time{})
		u.meta[string(keyBorn)] = dirTimes{mtime: w.born, ctime: w.born}.append(nil)[:8]
	}
	for id, c := range in.changes {
		s := w.slots[id]
		if s != nil && s.seq > in.view.seq {
			continue // somebody wrote it since: that is newer, and is judged by itself
		}
		switch {
		case c.gone:
			in.remove(id, s, u)
		case s != nil && s.file != nil:
			in.altered = append(in.altered, id)
			in.alter(s, c, u)
		case in.view.pack.Has(id) && s == nil:
			in.altered = append(in.altered, id)
			s = &slot{id: id, file: &File{world: w, id: id, attr: w.defaultAttr(id)}}
			w.slots[id] = s
			in.alter(s, c, u)
		default:
			in.created = append(in.created, id)
			in.create(id, c, u)
		}
	}
	if len(in.created)+len(in.removed) > 0 {
		w.touchDir()
	}
}

func (in *intaking) remove(id entity.ID, s *slot, u *update) {
	w := in.world
	in.removed = append(in.removed, id)
	if s != nil && s.file != nil {
		f := s.file
		f.mu.Lock()
		if e, ok := in.view.Get(id); ok && !f.held {
			f.text, f.held = textcodec.Append(nil, e), true // for those who have it open
		}
		f.version++
		f.mu.Unlock()
		f.id = 0
	}
	delete(w.slots, id)
	delete(w.dirty, id)
	delete(w.unjudged, id)
	u.records[id] = nil
}

func (in *intaking) create(id entity.ID, c change, u *update) {
	w := in.world
	if in.born && c.text == nil {
		return // nothing is known of it but what the pack has
	}
	attr := w.defaultAttr(id)
	attr.Mtime = fileTime(time.Time{})
	attr.Ctime, attr.Atime = attr.Mtime, attr.Mtime
	if !in.born {
		attr.Ino, in.inos = in.inos[0], in.inos[1:]
	}
	s := &slot{id: id, file: &File{world: w, id: id, attr: attr}, origin: inThePack}
	if c.entity == nil {
		s.origin = nowhere
	}
	w.slots[id] = s
	in.alter(s, c, u)
}

// alter makes c the contents of a slot's file.
func (in *intaking) alter(s *slot, c change, u *update) {
	w, f := in.world, s.file
	f.mu.Lock()
	f.text, f.held = c.text, c.text != nil
	f.sized = false
	f.version++
	f.attr.touch()
	version := f.version
	f.mu.Unlock()
	if c.entity != nil {
		s.origin, s.good = inThePack, nil
	}
	s.judged, s.canonical, s.version = c.text == nil, c.text == nil, version
	s.problem, s.findings, s.unpublished, s.dirty = false, nil, false, false
	s.at = w.now()
	delete(w.dirty, s.id)
	if !s.judged {
		w.unjudged[s.id] = s
	}
	u.records[s.id] = w.recordOf(s)
	s.recorded = true
}

// announce tells the watcher, with no lock held.
func (in *intaking) announce() {
	in.world.mu.RLock()
	watcher := in.world.watcher
	in.world.mu.RUnlock()
	if watcher == nil {
		return
	}
	for _, id := range in.removed {
		watcher.Removed(id)
	}
	for _, id := range in.created {
		watcher.Created(id)
	}
	for _, id := range in.altered {
		watcher.Changed(id)
	}
}

// takeInDisplaced takes in a pack that another program saved while ours was
// being published, and then removes it.
func (w *World) takeInDisplaced(path string, known *packfile.Pack) error {
	if path == "" {
		return nil
	}
	p, err := packfile.ReadFile(path)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return fmt.Errorf("take in the pack that was saved meanwhile: %w; it is kept", err)
	}
	if err := w.takeInPack(p, known); err != nil {
		return err
	}
	return w.disk.Remove("displaced pack", path)
}

// takeInPack takes in a pack that another program saved: what it changed since
// the pack that it had loaded, property by property. That is the one it names,
// or else the one that was published then. Where an edit of ours changed the
// same property, ours stands.
func (w *World) takeInPack(p, published *packfile.Pack) error {
	if p.World() != w.dir.ID {
		return ErrOtherWorld
	}
	if err := w.settle(true); err != nil {
		return err
	}
	v := w.snapshot(true)
	base, err := w.kept(p.BasedOn())
	if err != nil {
		base = published
	}
	changes, conflicts := rebase(entity.Diff(base, p), v)
	for id, c := range changes {
		if c.entity != nil {
			c.entity = underTypes(c.entity, v.types)
			changes[id] = c
		}
	}
	r := count(v, changes)
	w.log.Info("took in a pack that another program saved", "created", r.Created, "changed", r.Changed,
		"deleted", r.Deleted, "conflicts", conflicts)
	return w.intake(v, changes)
}

// rebase returns what a change set does to a world that has moved on. Where
// the world does not have what the set's maker knew, it stays as it is, and
// counts as a conflict unless both say the same.
func rebase(set entity.ChangeSet, v *View) (changes map[entity.ID]change, conflicts int) {
	changes = make(map[entity.ID]change)
	for _, c := range set {
		now, exists := v.Get(c.ID)
		if done, ok := changes[c.ID]; ok {
			now = done.entity
		}
		to, ok := rebaseOne(c, now, exists)
		switch {
		case !ok:
			conflicts++
		case to == nil:
			changes[c.ID] = change{gone: true}
		case to != now:
			changes[c.ID] = change{entity: to}
		}
	}
	return changes, conflicts
}

// rebaseOne returns what a change makes of now; not ok if it does not fit.
func rebaseOne(c entity.Change, now *entity.Entity, exists bool) (to *entity.Entity, ok bool) {
	switch c.Op {
	case entity.OpCreate:
		if !exists {
			return c.New, true
		}
		return now, now.Equal(c.New)
	case entity.OpDelete:
		return nil, exists && now.Equal(c.Old)
	case entity.OpReplace:
		if exists && now.Equal(c.Old) {
			return c.New, true
		}
		return now, exists && now.Equal(c.New)
	}
	if !exists {
		return nil, false
	}
	if !c.Fits(now) {
		return now, now.Value(c.Field).Equal(c.To)
	}
	return c.On(now), true
}
