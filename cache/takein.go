package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/retarget"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// Intake is types and entities that come from outside with no word about what
// they were made of, as an import does.
type Intake struct {
	Types    []*entity.Type
	Entities []*entity.Entity
	Whole    bool // what is missing is deleted

	AllowLoss bool // even if that is a great loss
}

// Report says what became of an intake.
type Report struct {
	Created   int          `json:"created"`
	Changed   int          `json:"changed"`
	Deleted   int          `json:"deleted"`
	Unchanged int          `json:"unchanged"`
	Broken    int          `json:"broken"` // texts that do not parse; they are kept
	Conflicts []Conflict   `json:"conflicts"`
	Repairs   []string     `json:"repairs"`         // in words
	Types     []string     `json:"types,omitempty"` // whose declarations are the other side's now
	Noise     entity.Noise `json:"noise"`           // changes that are none and were left out

	Carried int       `json:"carried,omitempty"` // entities that came along with what they are mounted on; they are no part of Changed
	Derived []Derived `json:"derived,omitempty"` // poses whose change has no effect
}

// Derived is an entity whose pose was changed, which follows from what it is mounted on: it
// is as it was.
type Derived struct {
	ID    entity.ID `json:"id"`
	Words string    `json:"words"`
}

// Conflict is a property that was changed here as well as in what came in.
type Conflict struct {
	Kind  merge.Kind `json:"kind"`
	ID    entity.ID  `json:"id,omitempty"`
	Field string     `json:"field,omitempty"`
	Left  bool       `json:"left"`           // people are to decide it: it is marked in the entity's text
	Gone  bool       `json:"gone,omitempty"` // there is nothing here to make the change on
	Words string     `json:"words"`
}

// Import takes in types and entities, as changes to the world as it is.
func (w *World) Import(in Intake) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(Cause{By: ByImport})()
	if err := checkTextSizes(slices.Values(in.Entities)); err != nil {
		return Report{}, err // before types/ is written
	}
	if err := w.judgeLocked(); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	v.lossAllowed = in.AllowLoss
	if err := w.refuseLossLocked(v, v.with(in.over(v))); err != nil { // likewise
		return Report{}, err
	}
	if err := w.decls.takeInTypes(in); err != nil {
		return Report{}, err
	}
	if err := w.judgeLocked(); err != nil {
		return Report{}, err
	}
	v = w.snapshot(true)
	v.lossAllowed = in.AllowLoss
	r, err := w.mergeInLocked(v, v.Overlay, entity.NewOverlay(v.Overlay, in.over(v)), merge.Options{}, !in.Whole)
	r.Unchanged = len(in.Entities) - r.Created - r.Changed
	return r, err
}

// over returns what the intake makes of the entities of a view, nil of those that it
// deletes.
func (in *Intake) over(v *View) map[entity.ID]*entity.Entity {
	theirs := make(map[entity.ID]*entity.Entity, len(in.Entities))
	for _, e := range in.Entities {
		theirs[e.ID] = e
	}
	if in.Whole {
		for e := range v.All() {
			if theirs[e.ID] == nil {
				theirs[e.ID] = nil
			}
		}
	}
	return theirs
}

// TakeIn is the one door for what others made of a base that is known: what
// they changed since comes in, property by property, and only what was changed
// here as well, to something else, is a conflict. What did not change keeps its
// text, its times and its inode number. A conflict that is left is marked in
// the entity's text. When TakeIn returns without an error all of it is in the
// published pack, otherwise none of it is.
func (w *World) TakeIn(base, theirs entity.Source, o merge.Options) (Report, error) {
	return w.Edit(Cause{By: ByMerge}, func(*View) (entity.Source, entity.Source, error) { return base, theirs, nil }, o)
}

// Edit is TakeIn of what sides makes of the world as it is at that moment, and
// says is its base.
func (w *World) Edit(c Cause, sides func(*View) (base, theirs entity.Source, err error), o merge.Options) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(c)()
	if err := w.catchUpLocked(); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	base, theirs, err := sides(v)
	if err != nil {
		return Report{}, err
	}
	return w.mergeInLocked(v, base, theirs, o, w.intakeCauseLocked().Origin == history.Here)
}

// takeInLocked is TakeIn on a view. The caller has publishing.
func (w *World) takeInLocked(v *View, base, theirs entity.Source, o merge.Options) (Report, error) {
	return w.mergeInLocked(v, base, theirs, o, false)
}

// mergeInLocked is takeInLocked. Where it is edits of this world, what is mounted comes along
// with what they move; else it is a world as it was made elsewhere. The caller has publishing.
func (w *World) mergeInLocked(v *View, base, theirs entity.Source, o merge.Options, edits bool) (Report, error) {
	was, is, noise := retarget.Quieten(base, theirs, w.decls.target(v))
	changes, blind := make(map[entity.ID]change), isBlind(w.intakeCauseLocked().By)
	var spared []Conflict
	if blind {
		var err error
		if is, changes, spared, err = w.spare(v, is); err != nil {
			return Report{}, err
		}
	}
	result, err := merge.Worlds(
		merge.Side{Types: v.Types(), Entities: was},
		merge.Side{Types: v.Types(), Entities: v.Overlay},
		merge.Side{Types: v.Types(), Entities: is}, o)
	if err != nil {
		return Report{}, fmt.Errorf("take in: %w", err)
	}
	addMerged(changes, result, blind)
	var along following
	if edits {
		along = w.follow(v, v.Overlay, valuesOf(changes), changes, nil)
		along.addTo(changes, v)
	}
	w.markAgain(v, changes)
	for id := range v.mends {
		if c, changed := changes[id]; changed {
			c.Mends = true
			changes[id] = c
		}
	}
	r := count(v, changes)
	along.addToReport(&r)
	r.Noise = noise
	r.addMerge(result)
	r.Conflicts = append(r.Conflicts, spared...)
	marked := result.Marked()
	for _, c := range spared {
		marked[c.ID] = changes[c.ID].Text
	}
	w.keepMarksLocked(marked)
	if len(changes) > 0 || w.control.IsUnpublished() {
		if err := w.intakeLocked(v, changes); err != nil {
			return r, err
		}
	}
	w.feed.NoteLost(v, is, result.Conflicts, w.intakeCauseLocked())
	return r, nil
}

// isBlind reports whether what changes the world so knows of no conflict that is marked in it: a
// pack and a change set have one value of a field.
func isBlind(by string) bool { return by == ByPack || by == ByApply }

// addMerged adds what a merge changes here.
func addMerged(changes map[entity.ID]change, result *merge.Result, blind bool) {
	for _, c := range result.Changes() {
		e, exists := result.Get(c.ID)
		changes[c.ID] = change{Entity: e, Gone: !exists, Keeps: exists, Blind: blind}
	}
	for id, text := range result.Marked() {
		e, _ := result.Get(id)
		changes[id] = change{Entity: e, Text: text, Keeps: true, Blind: blind}
	}
}

// addMerge puts a merge's conflicts and repairs into the report.
func (r *Report) addMerge(result *merge.Result) {
	r.Conflicts, r.Repairs = []Conflict{}, []string{}
	for _, c := range result.Conflicts {
		r.Conflicts = append(r.Conflicts, Conflict{Kind: c.Kind, ID: c.ID, Field: c.Field, Left: c.Left, Words: c.String()})
	}
	for _, repair := range result.Repairs {
		r.Repairs = append(r.Repairs, repair.String())
	}
	for _, n := range result.Renumbered {
		r.Repairs = append(r.Repairs, n.String())
	}
}

// NoEffect returns, in words, which changes of poses have no effect.
func (r *Report) NoEffect() (words []string) {
	for _, d := range r.Derived {
		words = append(words, d.Words)
	}
	return words
}

// Left returns how many conflicts are left to people.
func (r *Report) Left() int { return r.count(func(c Conflict) bool { return c.Left }) }

// Gone returns how many changes there was nothing to make on.
func (r *Report) Gone() int { return r.count(func(c Conflict) bool { return c.Gone }) }

func (r *Report) count(is func(Conflict) bool) (n int) {
	for _, c := range r.Conflicts {
		if is(c) {
			n++
		}
	}
	return n
}

// takeInTypes writes the declarations that are new, and puts them in force.
func (d *declarations) takeInTypes(in Intake) error {
	if len(in.Types) > 0 {
		// First: an older build must not meet the types without it.
		if err := d.world.dir.Need(worlddir.FormatFor(in.Types...)); err != nil {
			return fmt.Errorf("write types: %w", err)
		}
		if err := os.MkdirAll(d.world.dir.TypesPath(), 0o755); err != nil {
			return fmt.Errorf("write types: %w", err)
		}
		if _, err := typefile.WriteDir(d.world.dir.TypesPath(), in.Types); err != nil {
			return err
		}
	}
	if in.Whole {
		if err := d.removeTypes(in); err != nil {
			return err
		}
	}
	look := d.lookAtTypes()
	if !look.changed() {
		return nil
	}
	err := d.readTypes(look.stamp) // we wrote them: there is nothing to wait for
	d.mu.Lock()
	defer d.mu.Unlock()
	d.typeIn.ours = true
	return err
}

// removeTypes removes the files of types that an intake neither declares nor has entities of.
func (d *declarations) removeTypes(in Intake) error {
	kept := make(map[string]bool)
	for _, t := range in.Types {
		kept[t.Name] = true
	}
	for _, e := range in.Entities {
		kept[e.Type()] = true
	}
	var gone []string
	for _, t := range d.world.Types().All() {
		if !kept[t.Name] {
			gone = append(gone, t.Name)
		}
	}
	paths, err := typefile.FilesOf(d.world.dir.TypesPath(), gone)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := d.world.disk.Remove("types file", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
