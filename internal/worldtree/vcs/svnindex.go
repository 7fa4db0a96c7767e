package vcs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/support/slashname"
)

// Index returns what git's index would have: ours, but for files in conflict, which it
// has with their three sides, and for what was resolved.
func (m *SVNMerge) Index(q Query) *Index {
	x := &Index{control: m, query: q, Others: m.others, Untouched: make(map[string]string)}
	for _, name := range m.names() {
		if q.rank(name) < 0 || !q.wants(name) {
			if m.isUnmerged(name) {
				x.Others++
			}
			continue
		}
		m.list(x, name)
	}
	return x
}

// list adds a file to an index.
func (m *SVNMerge) list(x *Index, name string) {
	disk, known := "", ""
	if f := m.files[name]; f != nil {
		disk, known = f.disk, f.base
	}
	if p := m.kept.Files[name]; p != nil {
		if known = p.Sides[1]; p.Staged != nil {
			known = *p.Staged
		}
		if m.isUnmerged(name) {
			m.listUnmerged(x, name, p)
			return
		}
		if p.Conflict != "" || p.Above != "" {
			x.Resolved = append(x.Resolved, name)
		}
	}
	if known != "" {
		x.Files = append(x.Files, Staged{Listed: Listed{Name: name, Object: known}})
	}
	switch {
	case known == "" && disk != "":
		x.New = append(x.New, name)
	case known != disk:
		x.Edited = append(x.Edited, name)
	}
}

func (m *SVNMerge) listUnmerged(x *Index, name string, p *svnPinned) {
	for side, object := range p.Sides {
		x.Files = append(x.Files, Staged{Listed: Listed{Name: name, Object: object}, Stage: side + 1})
	}
	if !p.Marked {
		x.Untouched[name] = p.Sides[1]
	}
	x.Edited = append(x.Edited, name)
}

// names returns all files of the working copy and of the sides.
func (m *SVNMerge) names() []string {
	all := make(map[string]bool)
	for name := range m.files {
		all[name] = true
	}
	for name := range m.kept.Files {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// isUnmerged reports whether a file is in conflict still.
func (m *SVNMerge) isUnmerged(name string) bool {
	p := m.kept.Files[name]
	if p == nil {
		return false
	}
	f := m.files[name]
	return p.Unmerged || f != nil && f.conflict != nil || p.Above != "" && p.Staged == nil && m.dirs[p.Above] != nil
}

func (m *SVNMerge) hash(names []string) (objects []string, err error) {
	for _, name := range names {
		data, err := m.readFile(name)
		if err != nil {
			return nil, err
		}
		if data == nil {
			return nil, fmt.Errorf("%s is gone since it was listed; run worldfs resolve again", name)
		}
		object := Checksum.ObjectOf(data)
		m.disk[object] = name
		objects = append(objects, object)
	}
	return objects, nil
}

// unmerge notes conflicts that svn knows nothing of, and has no way to be told.
func (m *SVNMerge) unmerge(files []Staged) error {
	for _, f := range files {
		m.pinned(f.Name).Unmerged = true
	}
	return m.save()
}

func (m *SVNMerge) pinned(name string) *svnPinned {
	if m.kept.Files[name] == nil {
		base := ""
		if f := m.files[name]; f != nil {
			base = f.base
		}
		m.kept.Files[name] = &svnPinned{Base: base, Sides: [3]string{base, base, base}}
	}
	return m.kept.Files[name]
}

// stage has svn's conflicts about files be resolved, and svn have them as the working
// copy has them: those that it does not know are added, those that are gone deleted.
// That this is to be done is kept first, so that the next call finishes it.
func (m *SVNMerge) stage(names []string) error {
	for _, name := range names {
		if err := m.keepStaged(name); err != nil {
			return err
		}
	}
	m.kept.Staging = names
	if err := m.save(); err != nil {
		return err
	}
	return m.finishStaging()
}

// finishStaging has svn follow what was staged.
func (m *SVNMerge) finishStaging() error {
	names := slices.Clone(m.kept.Staging)
	if len(names) == 0 {
		return nil
	}
	dirs := m.settledDirs()
	for dir := range m.kept.Dirs {
		if m.dirs[dir] == nil || slices.Contains(dirs, dir) {
			names = append(names, slices.DeleteFunc(m.below(dir), func(name string) bool { return m.kept.Files[name] == nil })...)
		}
	}
	conflicts := slices.DeleteFunc(slices.Clone(m.kept.Staging), func(name string) bool {
		f := m.files[name]
		return f == nil || f.conflict == nil
	})
	if err := m.onAll("resolve", append(conflicts, dirs...), "--accept", "working"); err != nil {
		return err
	}
	if err := m.readFiles(); err != nil {
		return err
	}
	if err := m.undelete(names); err != nil {
		return err
	}
	if err := m.schedule(names); err != nil {
		return err
	}
	m.kept.Staging = nil
	return errors.Join(m.save(), m.readFiles())
}

// keepStaged notes what a file is resolved as.
func (m *SVNMerge) keepStaged(name string) error {
	data, err := m.readFile(name)
	if err != nil {
		return err
	}
	p, object := m.pinned(name), ""
	if data != nil {
		object = Checksum.ObjectOf(data)
		m.kept.Texts[object] = data
	}
	p.Staged, p.Unmerged = &object, false
	return nil
}

// settledDirs returns the directories in conflict of which all files are resolved.
func (m *SVNMerge) settledDirs() (dirs []string) {
	names := m.names()
	for dir := range m.dirs {
		if !slices.ContainsFunc(slashname.In(names, dir), m.isUnmerged) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// below returns the files of a directory.
func (m *SVNMerge) below(dir string) []string { return slices.Clone(slashname.In(m.names(), dir)) }

// schedule has svn's next commit bring files as the working copy has them.
func (m *SVNMerge) schedule(names []string) error {
	names = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(names))), func(name string) bool {
		return m.isUnmerged(name) // in a directory that is in conflict still
	})
	var add, gone []string
	for _, name := range names {
		f := m.files[name]
		switch {
		case f == nil || m.inConflict(name) != "":
		case f.disk != "" && f.schedule == "":
			add = append(add, name)
		case f.disk == "" && f.schedule != "" && f.schedule != "delete":
			gone = append(gone, name)
		}
	}
	if err := m.onAll("add", add, "--parents"); err != nil {
		return err
	}
	if err := m.onAll("delete", gone, "--force"); err != nil {
		return err
	}
	return m.removeEmptyDirs(names)
}

// undelete has svn no longer delete, or replace, files that are there: the next commit
// is to change them. svn restores the text of BASE meanwhile; what is to be there is kept
// first, so that a call that was killed is finished by the next. Directories that were
// in conflict and are replaced are restored with all that is in them.
func (m *SVNMerge) undelete(names []string) error {
	pending, revert := make(map[string]string), make(map[string]bool)
	for _, name := range names {
		f := m.files[name]
		if f == nil || f.disk == "" || m.inConflict(name) != "" || f.schedule != "delete" && !m.isReplaced(name) {
			continue
		}
		pending[name] = f.disk
		revert[name] = true
		for dir := path.Dir(name); m.scheduled[dir] == "delete"; dir = path.Dir(dir) {
			revert[dir] = true
		}
	}
	var dirs []string
	for dir := range m.kept.Dirs {
		if m.dirs[dir] != nil || m.scheduled[dir] != "replace" {
			continue
		}
		dirs = append(dirs, dir)
		for _, name := range m.below(dir) {
			pending[name] = m.file(name).disk
		}
	}
	if len(pending) == 0 {
		return nil
	}
	m.kept.Pending = pending
	if err := m.save(); err != nil {
		return err
	}
	if err := m.onAll("revert", dirs, "--depth", "infinity"); err != nil {
		return err
	}
	// A directory comes before what is in it.
	if err := m.onAll("revert", slices.Sorted(maps.Keys(revert)), "--depth", "empty"); err != nil {
		return err
	}
	return m.finishPending()
}

// isReplaced reports whether a file in conflict was replaced here, so that its history
// would end.
func (m *SVNMerge) isReplaced(name string) bool {
	p := m.kept.Files[name]
	return m.files[name].replaced && p != nil && p.Conflict != "" && !p.Unknown
}

// finishPending has the files be as they are to be that svn has restored.
func (m *SVNMerge) finishPending() error {
	if len(m.kept.Pending) == 0 {
		return nil
	}
	for name, object := range m.kept.Pending {
		if err := m.restore(name, object); err != nil {
			return err
		}
	}
	m.kept.Pending = nil
	return errors.Join(m.save(), m.readFiles())
}

// restore has a file of the working copy have the contents of an object, or not be there.
func (m *SVNMerge) restore(name, object string) error {
	at := filepath.Join(m.dir, name)
	data, err := m.readFile(name)
	switch {
	case err != nil:
		return err
	case data == nil && object == "", data != nil && Checksum.ObjectOf(data) == object:
		return nil
	case object == "":
		return os.Remove(at)
	}
	want, err := m.text(context.Background(), Listed{Name: name, Object: object})
	if err != nil {
		return err
	}
	return os.WriteFile(at, want, 0o666)
}

// removeEmptyDirs removes the directories that were in conflict and of which nothing is
// left.
func (m *SVNMerge) removeEmptyDirs(names []string) error {
	var remove []string
	for dir := range m.kept.Dirs {
		if m.dirs[dir] != nil || !m.isEmpty(dir) || !slices.ContainsFunc(names, func(name string) bool { return path.Dir(name) == dir }) {
			continue
		}
		if schedule := m.scheduled[dir]; schedule != "" && schedule != "delete" {
			remove = append(remove, dir)
		} else if err := os.Remove(filepath.Join(m.dir, dir)); err != nil {
			return err
		}
	}
	return m.onAll("delete", remove, "--force")
}

// onAll has one command of svn do something with files, however many.
func (m *SVNMerge) onAll(verb string, names []string, args ...string) error {
	if len(names) == 0 {
		return nil
	}
	var targets strings.Builder
	for _, name := range names {
		fmt.Fprintln(&targets, m.target(name))
	}
	// Files that were just written have another time or size than svn last saw; it
	// would wait a while after each command for that to be so.
	m.env = append(slices.Clip(m.env), "SVN_I_LOVE_CORRUPTED_WORKING_COPIES_SO_DISABLE_SLEEP_FOR_TIMESTAMPS=yes")
	cmd := m.svn(context.Background(), m.dir, verb, append([]string{"--quiet", "--targets", "-"}, args...)...)
	cmd.Stdin = strings.NewReader(targets.String())
	if _, err := cmd.Text(); err != nil {
		return fmt.Errorf("svn %s: %w", verb, err)
	}
	return nil
}
