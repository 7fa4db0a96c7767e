package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Done is what a call changed.
type Done struct {
	Written  int // files
	Removed  int
	Resolved int // files that were unmerged
}

// Apply has the working copy and the index be as the merged world is. Killed in
// between, it is done by the next call: the index comes last.
func (r *Resolution) Apply() (d Done, err error) {
	left := make(map[entity.ID]bool)
	for _, c := range r.Left {
		left[c.ID] = true
	}
	a := applying{Resolution: r, left: left, marked: r.Merged.Marked(), names: r.files.names(), touched: make(map[string]bool), exact: make(map[entity.ID][]byte)}
	if err := a.writeTypes(); err != nil {
		return d, err
	}
	ids := a.candidates()
	if err := a.readExact(ids); err != nil {
		return d, err
	}
	a.sweep(ids)
	for _, id := range ids {
		if err := a.settle(id); err != nil {
			return a.done, err
		}
	}
	if err := a.record(); err != nil {
		return a.done, err
	}
	if err := (byPolicy{a.Resolution}).keepLost(); err != nil || a.taking {
		return a.done, err
	}
	return a.done, a.stage()
}

// applying is one call of Apply.
type applying struct {
	*Resolution
	left    map[entity.ID]bool
	marked  map[entity.ID][]byte
	names   map[entity.ID][]string
	touched map[string]bool // files that were written or removed
	exact   map[entity.ID][]byte
	done    Done
}

func (a *applying) layout() layout.Layout { return a.dir.Settings.Shard }

// candidates returns the entities whose files may have to change.
func (a *applying) candidates() []entity.ID {
	ids := maps.Clone(a.left)
	delete(ids, 0)
	maps.Copy(ids, a.files.dropped)
	for id := range a.Resolution.marked {
		if len(a.decided(id)) > 0 {
			ids[id] = true
		}
	}
	for _, c := range a.home.Changes() {
		ids[c.ID] = true
	}
	for id, names := range a.names {
		for _, name := range names {
			_, unmerged := a.files.unmerged[name]
			if unmerged || a.files.resolved[name] && (a.past.Wrote[name] != "" || a.files.object(name) == "") || name != a.layout().Name(id) {
				ids[id] = true
			}
		}
	}
	if a.taking {
		for _, id := range a.writtenOtherwise() {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// sweep removes what a call that was killed has left beside the files that it wrote.
func (a *applying) sweep(ids []entity.ID) {
	dirs := make(map[string]bool)
	for _, id := range ids {
		dirs[filepath.Dir(a.files.path(a.layout().Name(id)))] = true
	}
	for dir := range dirs {
		disk.Sweep(filepath.Join(dir, "*"), BesideSuffix)
	}
}

// settle has an entity's files be as the merged world has it: one, where the layout says, or
// none. One in another place that version control does not know is no part of what is merged.
func (a *applying) settle(id entity.ID) error {
	if a.unread[id] {
		return nil
	}
	name := a.layout().Name(id)
	text := a.textOf(id)
	for _, other := range a.names[id] {
		if other == name && text != nil || a.files.object(other) == "" || other != name && !a.taking && a.index.IsNew(other) {
			continue
		}
		if err := a.remove(other); err != nil {
			return err
		}
	}
	if text == nil {
		return nil
	}
	return a.write(name, text)
}

// textOf returns the text that an entity's file is to have, nil if there is to be none.
func (a *applying) textOf(id entity.ID) []byte {
	e, ok := a.home.Get(id)
	if !ok {
		return nil
	}
	if text, ok := a.exact[id]; ok {
		return text
	}
	if !a.left[id] {
		return textcodec.Append(nil, e)
	}
	if merged, ok := a.Merged.Get(id); ok && a.states[id] != persons && merged.Same(e) {
		return a.marked[id]
	}
	return a.markLeft(id, e)
}

// markLeft returns the text of an entity in which a person has settled some of the
// conflicts, with those marked that are left.
func (a *applying) markLeft(id entity.ID, e *entity.Entity) []byte {
	names := a.rules.SideNames()
	m := textcodec.Marks{Ours: names[merge.Ours], Theirs: names[merge.Theirs]}
	for _, left := range a.Merged.LeftEntities() {
		if left.Theirs != nil && left.Theirs.ID == id {
			m.Other = left.Theirs
		}
	}
	for _, c := range a.Left {
		switch {
		case c.ID != id:
		case c.Field == "":
			m.Whole = c.Whole(names)
		case !slices.Contains(m.Fields, c.Field):
			m.Fields = append(m.Fields, c.Field)
		}
	}
	return textcodec.AppendMarked(nil, e, m)
}

// write writes a file, unless what it says is there already.
func (a *applying) write(name string, text []byte) error {
	path := a.files.path(name)
	if err := makeRoom(path); err != nil {
		return err
	}
	was, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if a.files.isAway([]string{name}) {
		a.note(fmt.Sprintf("%s was removed in the middle of a conflict, and is written again: %s removes an entity for good", name, a.control.name()+" rm"))
	}
	text = a.withOpen(name, text, was)
	if err == nil && (bytes.Equal(was, text) || a.says(name, was, text)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	a.touched[name] = true
	a.done.Written++
	return disk.Replace(path, BesideSuffix, text, 0o666)
}

// makeRoom removes an empty directory that stands where a file is to be.
func makeRoom(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("%s is a directory where the entity's file is to be; move it away and run worldfs resolve again: %w", path, err)
	}
	return nil
}

// withOpen returns a text with the conflicts marked that there were before this merge and
// that no person has decided: those of the sides where git could not merge the file, else
// those that are marked in it now; and first what a game's save has marked in it.
func (a *applying) withOpen(name string, text, was []byte) []byte {
	_, id, _ := layout.Of(name[len(layout.Prefix):])
	e, ok := a.home.Get(id)
	if !ok {
		return text
	}
	open := make(worldform.OpenConflicts)
	for _, s := range a.saved[id] {
		var saved []byte
		saved, text = s.On(e, a.home.Types, text)
		open.Add(id, saved)
	}
	if _, unmerged := a.files.unmerged[name]; !unmerged && !a.files.resolved[name] {
		open.Add(id, a.withoutDecided(id, was))
	} else {
		open.Add(id, a.sides[1].Texts[id])
		open.Add(id, a.sides[2].Texts[id])
	}
	return open.Mark(text, e, a.home.Types)
}

// withoutDecided returns a text without the markers of conflicts that are decided: the
// merge may have been committed with them.
func (a *applying) withoutDecided(id entity.ID, text []byte) []byte {
	fields := a.decided(id)
	if len(fields) == 0 || !textcodec.HasMarkers(text) {
		return text
	}
	if slices.Contains(fields, "") {
		return nil
	}
	rest, err := textcodec.Unmark(text, id, a.home.Types, fields)
	if err != nil {
		return nil // the markers are of both sides' whole texts
	}
	return rest
}

// decided returns the fields of an entity about which there was a conflict that is not
// left, "" among them where it was about the entity as a whole, or can be none.
func (a *applying) decided(id entity.ID) (fields []string) {
	for _, c := range a.Merged.Conflicts {
		if c.ID == id && !slices.ContainsFunc(a.Left, func(l merge.Conflict) bool { return l.ID == id && l.Field == c.Field }) {
			fields = append(fields, c.Field)
		}
	}
	for _, c := range a.past.Choices {
		if c.ID == id {
			fields = append(fields, c.Field)
		}
	}
	return append(fields, follow.In(a.Merged).Derived(id)...)
}

// says reports whether a text without conflict markers is that of the same entity: then
// it is left as it was written.
func (a *applying) says(name string, text, want []byte) bool {
	if textmerge.HasMarkers(text) || textmerge.HasMarkers(want) {
		return false
	}
	_, id, ok := layout.Of(name[len(layout.Prefix):])
	if _, exact := a.exact[id]; !ok || exact {
		return false
	}
	have, err := textcodec.Decode(text, id, a.home.Types)
	if err != nil || slices.ContainsFunc(have.Findings, isDoubtful) {
		return false
	}
	e, _ := a.home.Get(id)
	return have.Entity.Same(e) && have.Entity.Layout.Type == e.Layout.Type
}

// BesideSuffix is of files that are to take the place of another.
const BesideSuffix = "resolve"

func (a *applying) remove(name string) error {
	if err := os.Remove(a.files.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a.touched[name] = true
	a.done.Removed++
	return nil
}

// byPerson is noted of a file in which a person has settled something: what else of it was
// written here does not make it ours to the next call.
const byPerson = "by a person"

// record notes what was written, for the next call, and what git had left as it is to be.
func (a *applying) record() error {
	var there []string
	noted := maps.Clone(a.touched)
	for name := range a.files.unmerged {
		if id, ok := layout.EntityOf(name); ok && a.states[id] == gits {
			noted[name] = true
		}
	}
	for name := range noted {
		if id, ok := layout.EntityOf(name); ok && a.states[id] == persons || a.isEditedType(name) {
			a.past.Wrote[name] = byPerson
			continue
		}
		a.past.Wrote[name] = ""
		if _, err := os.Lstat(a.files.path(name)); err == nil {
			there = append(there, name)
		}
	}
	slices.Sort(there)
	objects, err := a.index.Hash(there)
	if err != nil {
		return err
	}
	for i, name := range there {
		a.past.Wrote[name] = objects[i]
	}
	noteEdited(a)
	a.past.Applied = slices.Clone(a.past.Choices)
	a.past.Renumbered = renumbered.In(a.Operation, slices.Concat(a.past.united, a.Merged.Renumbered))
	// A text that a mount has lost with its daemon would seem to be taken back by a person.
	if err = new(disk.Disk).SyncDir("entities", a.dir.EntitiesPath()); err == nil || errors.Is(err, fs.ErrNotExist) {
		err = a.keep()
	}
	return err
}

// stage has the index follow: what is settled is merged, what is left is not.
func (a *applying) stage() error {
	leftNames := a.leftNames()
	var merged []string
	for name := range a.files.unmerged {
		if a.isSettled(name, leftNames) {
			merged = append(merged, name)
			a.done.Resolved++
		}
	}
	for name := range a.touched {
		if _, unmerged := a.files.unmerged[name]; !unmerged && leftNames[name] == 0 {
			merged = append(merged, name)
		}
	}
	for _, name := range a.index.New {
		if !a.touched[name] && leftNames[name] == 0 && a.isUnstaged(name) {
			merged = append(merged, name)
		}
	}
	for _, id := range a.carried { // a mount may have had it come along, in a file that was staged before
		name := a.layout().Name(id)
		if _, unmerged := a.files.unmerged[name]; !unmerged && !a.touched[name] && leftNames[name] == 0 && a.files.object(name) != "" {
			merged = append(merged, name)
		}
	}
	merged, err := a.unstagePulled(slices.Sorted(slices.Values(merged)))
	if err == nil {
		err = a.index.Stage(merged)
	}
	if err != nil {
		return err
	}
	return a.unmerge(leftNames)
}

// leftNames returns the files of entities about which conflicts are left.
func (r *Resolution) leftNames() map[string]entity.ID {
	names := make(map[string]entity.ID)
	for _, c := range r.Left {
		if c.ID != 0 {
			names[r.dir.Settings.Shard.Name(c.ID)] = c.ID
		}
	}
	return names
}

// isUnstaged reports whether a file that version control does not know is one that a call
// which was killed has written: the merged world has the entity, and ours had none. What
// was pulled leaves a person's own as git knew it.
func (a *applying) isUnstaged(name string) bool {
	id, ok := layout.EntityOf(name)
	if !ok || name != a.layout().Name(id) || a.unread[id] || a.Operation.Kind == vcs.Pulling {
		return false
	}
	_, merged := a.Merged.Get(id)
	_, ours := a.sides[1].Source.Get(id)
	return merged && !ours
}

func (a *applying) isSettled(name string, left map[string]entity.ID) bool {
	if left[name] != 0 || slices.ContainsFunc(a.Unread, func(u Unread) bool { return u.File == name }) {
		return false
	}
	return !a.isDisputed(name)
}

// isDisputed reports whether a file declares a type about which a conflict is left.
func (a *applying) isDisputed(name string) bool {
	return slices.ContainsFunc(a.Left, func(c merge.Conflict) bool {
		return c.ID == 0 && name == typePath(c.Type)
	})
}

// unmerge has the index have files with conflicts that are left as unmerged, as git does.
func (r *Resolution) unmerge(left map[string]entity.ID) error {
	var files []vcs.Staged
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if _, unmerged := r.files.unmerged[name]; unmerged {
			continue
		}
		for i, side := range r.sides {
			if object, ok := side.Object(left[name]); ok {
				files = append(files, vcs.Staged{Listed: vcs.Listed{Name: name, Object: object}, Mode: "100644", Stage: i + 1})
			}
		}
	}
	if err := r.index.Unmerged(files); err != nil {
		return fmt.Errorf("%w; what is left is marked in its files all the same", err)
	}
	return nil
}

// Stage has the index have the files of entities as the working copy does, of an operation
// that is not over.
func (r *Resolution) Stage(ids []entity.ID) error {
	names := r.files.names()
	var changed []string
	for _, id := range ids {
		changed = append(changed, names[id]...)
		name := r.dir.Settings.Shard.Name(id)
		if _, err := os.Lstat(r.files.path(name)); err == nil {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return r.index.Stage(slices.Compact(changed))
}
