package vcs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The operations of svn, besides Merging.
const (
	Updating  OperationKind = "update"
	Switching OperationKind = "switch"
)

// SVNMerge is an update, switch or merge of svn, read as three trees and an index. One that
// met no conflict is an update of what was edited here: svn does not tell whether there
// was one.
//
// svn forgets what a conflict was about as soon as it is resolved. So what differs from
// BASE when the merge is first read, by name and with its contents, is kept by the
// caller: until something is committed or updated, it is the same merge.
type SVNMerge struct {
	*workingCopy
	query     Query
	files     map[string]*svnFile
	dirs      map[string]*svnConflict // directories in conflict
	scheduled map[string]string       // what the next commit does with a directory
	top       string
	others    int
	locked    bool // by a command of svn's that is at work, or was killed
	gone      bool // it has met no conflict

	kept *svnKept
	keep func([]byte) error
	disk map[string]string // objects of files of the working copy, by the file
}

// svnFile is a file as the working copy has it.
type svnFile struct {
	base     string // the object in BASE; "" for none, and where it is replaced
	copied   string // the object that it was copied from, where BASE has no such file
	replaced bool   // BASE has a file, and svn does not tell which
	schedule string
	disk     string // the object of the file that is there, "" for none
	listed   bool   // svn status has it: it is not as in BASE
	author   Commit // of BASE

	conflict *svnConflict // its own
	above    string       // the directory in conflict that it is in
}

// svnKept is what is known of a merge from when it was first read, and from what was
// done since.
type svnKept struct {
	Operation string // its key
	Again     int    `json:",omitempty"` // how often the same was begun before, and resolved
	Kind      OperationKind
	Theirs    string            `json:",omitempty"` // what a merge takes in, as URL@REV
	Dirs      map[string]string // directories in conflict, to which conflict that was
	Files     map[string]*svnPinned
	Texts     map[string][]byte // contents that .svn need not have, by object
	Staging   []string          `json:",omitempty"` // files that svn is to follow
	Pending   map[string]string `json:",omitempty"` // files that svn revert changes, to the objects that they are to have
}

// svnPinned is a file of which the sides were not all as BASE is.
type svnPinned struct {
	Conflict string    `json:",omitempty"` // which that was
	Above    string    `json:",omitempty"` // the directory in conflict that it is in
	Base     string    // the object in BASE
	Unknown  bool      `json:",omitempty"` // BASE had one that svn does not tell
	Sides    [3]string // objects of the base, ours and theirs; "" for none
	Marked   bool      `json:",omitempty"` // svn marks the conflict in the file
	Told     bool      `json:",omitempty"` // svn was to add or to delete it
	Staged   *string   `json:",omitempty"` // what it was resolved as
	Unmerged bool      `json:",omitempty"` // it has a conflict that svn knows nothing of
}

// Merge returns the merge that a working copy is in the middle of, as far as it is about
// the names of a query, or that may have gone through; nil if there is none. What an
// earlier call kept is handed in.
func (s SVN) Merge(q Query, kept []byte, keep func([]byte) error) (*SVNMerge, error) {
	w, err := s.open()
	if err != nil {
		return nil, err
	}
	if !w.isIn() {
		return nil, fmt.Errorf("%s: %w: it lies in no svn working copy", s.Dir, ErrNoRepository)
	}
	m := &SVNMerge{workingCopy: w, query: q, keep: keep, disk: make(map[string]string)}
	if err := m.read(kept); err != nil {
		return nil, fmt.Errorf("read svn's working copy: %w", w.explain(err))
	}
	if m.kept == nil {
		return m.through()
	}
	return m, nil
}

// isIn reports whether there is a working copy, as a look at the disk says.
func (w *workingCopy) isIn() bool {
	for dir := w.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".svn")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func (m *SVNMerge) read(kept []byte) error {
	if err := m.readFiles(); err != nil {
		return err
	}
	var before svnKept
	if kept != nil && json.Unmarshal(kept, &before) != nil {
		before = svnKept{} // a merge that is still in conflict can be read anew
	}
	if before.Operation != "" && m.isSame(&before) {
		m.kept = &before
		m.dropChanged()
		return m.finish()
	}
	if len(m.dirs) == 0 && !m.hasConflicts() {
		return nil
	}
	m.kept = &before // its texts, and the conflicts of which it knows more
	if err := m.pin(&before); err != nil {
		return err
	}
	return m.save()
}

// finish does what is left of an earlier call that was killed.
func (m *SVNMerge) finish() error {
	if err := m.finishPending(); err != nil {
		return err
	}
	return m.finishStaging()
}

// save has the caller keep what is known, and of the texts those that are of use.
func (m *SVNMerge) save() error {
	used := make(map[string]bool)
	for _, p := range m.kept.Files {
		for _, object := range p.Sides {
			used[object] = true
		}
		if p.Staged != nil {
			used[*p.Staged] = true
		}
	}
	for _, object := range m.kept.Pending {
		used[object] = true
	}
	maps.DeleteFunc(m.kept.Texts, func(object string, _ []byte) bool { return !used[object] })
	data, err := json.Marshal(m.kept)
	if err != nil {
		return err
	}
	return m.keep(data)
}

func (m *SVNMerge) hasConflicts() bool {
	for _, f := range m.files {
		if f.conflict != nil {
			return true
		}
	}
	return false
}

// isBegunAnew reports whether a file is in conflict again of which the conflict was resolved.
func (k *svnKept) isBegunAnew(name string, f *svnFile) bool {
	p := k.Files[name]
	return p != nil && p.Staged != nil && f.conflict != nil && !slices.Contains(k.Staging, name)
}

// isSame reports whether the working copy is in the merge that was kept: no other
// conflict came since, nor one again that was resolved, BASE is the same where there was one, and where none is left
// nothing of it was committed.
func (m *SVNMerge) isSame(k *svnKept) bool {
	for name, c := range m.dirs {
		if k.Dirs[name] != c.id() {
			return false
		}
	}
	for name, f := range m.files {
		if f.conflict != nil && (k.Files[name] == nil || k.Files[name].Conflict != f.conflict.id()) || k.isBegunAnew(name, f) {
			return false
		}
	}
	ended := len(m.dirs) == 0 && !m.hasConflicts()
	if k.isThrough() && !m.isEdited(k) {
		return false
	}
	for name, p := range k.Files {
		if (ended || p.Conflict != "" || p.Above != "") && !m.isAt(name, p) {
			return false
		}
	}
	return true
}

// isAt reports whether BASE has a file as it was when it was pinned.
func (m *SVNMerge) isAt(name string, p *svnPinned) bool {
	f := m.files[name]
	if f == nil {
		return p.Base == ""
	}
	return p.Unknown || m.isUntold(f) || f.base == p.Base
}

// isUntold reports whether svn does not tell what BASE has of a file: the next commit replaces
// it, or the directory in conflict that it is in.
func (m *SVNMerge) isUntold(f *svnFile) bool {
	return f.replaced || m.scheduled[f.above] == "replace"
}

// dropChanged forgets files that were in no conflict and were committed or updated.
func (m *SVNMerge) dropChanged() {
	maps.DeleteFunc(m.kept.Files, func(name string, p *svnPinned) bool {
		return p.Conflict == "" && p.Above == "" && !m.isAt(name, p)
	})
}

// readFiles reads what svn has and how the working copy differs.
func (m *SVNMerge) readFiles() error {
	m.files, m.dirs, m.scheduled = make(map[string]*svnFile), make(map[string]*svnConflict), make(map[string]string)
	if err := m.readNodes(); err != nil {
		return err
	}
	if err := m.readStatus(); err != nil {
		return err
	}
	for name, f := range m.files {
		if f.above = m.inConflict(name); f.listed || f.conflict != nil || f.above != "" || f.schedule != "normal" || f.base == "" {
			object, err := m.hashFile(name)
			if err != nil {
				return err
			}
			f.disk = object
		} else {
			f.disk = f.base
		}
	}
	return nil
}

// inConflict returns the directory in conflict that a file is in, "" for none.
func (m *SVNMerge) inConflict(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if m.dirs[dir] != nil {
			return dir
		}
	}
	return ""
}

func (m *SVNMerge) file(name string) *svnFile {
	if m.files[name] == nil {
		m.files[name] = &svnFile{}
	}
	return m.files[name]
}

// readNodes reads what svn info says of all files.
func (m *SVNMerge) readNodes() error {
	args := []string{"--xml", "--depth", "infinity"}
	for _, name := range m.query.Names {
		args = append(args, m.target(name))
	}
	out, err := m.svn(context.Background(), m.dir, "info", args...).Text()
	if err != nil && !onlyMissing(err) {
		return err
	}
	added := make(map[string]bool) // directories that BASE does not have
	return eachNode(bufio.NewReader(bytes.NewReader(out)), func(n node) error {
		name, err := m.relative(n.path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if n.top != "" {
			m.top = n.top
		}
		isNew := added[path.Dir(name)]
		c := n.content()
		if n.kind == "dir" || n.kind == "none" && !m.isWanted(name) {
			m.scheduled[name] = n.schedule
			added[name] = isNew || n.schedule == "add" || n.schedule == "replace"
			if c != nil {
				m.dirs[name] = c
			}
			return nil
		}
		if m.isWanted(name) {
			m.file(name).take(n, c, isNew)
		}
		return nil
	})
}

func (m *SVNMerge) isWanted(name string) bool { return m.query.rank(name) >= 0 && m.query.wants(name) }

func (f *svnFile) take(n node, c *svnConflict, isNew bool) {
	f.conflict, f.schedule = c, n.schedule
	switch {
	case n.kind == "none":
		f.schedule = ""
	case n.schedule == "replace":
		f.replaced = true
	case n.schedule == "add", isNew && (n.schedule != "delete" || !isNumber(n.revision)):
		f.copied = n.checksum
	default:
		f.base = n.checksum
		f.author = commitOf(n)
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// readStatus reads which files are not as BASE has them.
func (m *SVNMerge) readStatus() error {
	out, err := m.svn(context.Background(), m.dir, "status", "--xml", m.target("")).Text()
	if err != nil {
		return err
	}
	entries, err := parseStatus(out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m.locked = m.locked || e.Status.Locked
		name, err := m.relative(e.Path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case m.isWanted(name):
			m.file(name).listed = true
		case m.query.rank(name) >= 0 && e.Status.Item == "unversioned":
			if err := m.addUnversioned(name); err != nil {
				return err
			}
		case m.dirs[name] == nil && (e.Status.Tree || e.Status.Item == "conflicted" || e.Status.Props == "conflicted"):
			m.others++
		}
	}
	return nil
}

// addUnversioned adds the files below a directory that svn does not know.
func (m *SVNMerge) addUnversioned(dir string) error {
	return filepath.WalkDir(filepath.Join(m.dir, dir), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := m.relative(at)
		if name = filepath.ToSlash(name); err == nil && m.isWanted(name) {
			m.file(name).listed = true
		}
		return err
	})
}

// hashFile returns the object of a file of the working copy, "" if there is none.
func (m *SVNMerge) hashFile(name string) (string, error) {
	data, err := m.readFile(name)
	if data == nil || err != nil {
		return "", err
	}
	object := Checksum.ObjectOf(data)
	m.disk[object] = name
	return object, nil
}

// readFile reads a file of the working copy, nil if there is none.
func (m *SVNMerge) readFile(name string) ([]byte, error) {
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || m.query.tooLarge(info.Size()) {
		return nil, nil // it is not there, or nothing that a world has
	}
	data, err := root.ReadFile(name)
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// Operation returns what svn has begun.
func (m *SVNMerge) Operation() *Operation {
	op := &Operation{Kind: m.kept.Kind, ID: m.kept.Operation}
	if len(m.dirs) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(m.files)), func(f *svnFile) bool { return f.listed }) {
		op.Next = "svn commit"
	}
	return op
}

// Theirs returns the directory that a merge takes in, as URL@REV; "" where there is none.
func (m *SVNMerge) Theirs() string { return m.kept.Theirs }

// IsMerged reports whether a file came of a merge that was kept, not of an update.
func IsMerged(kept []byte, name string) bool {
	var k svnKept
	return json.Unmarshal(kept, &k) == nil && k.Kind == Merging && k.Files[name] != nil
}

// Tree returns one of the three sides of a merge, the base, ours and theirs, as far as
// it is asked for.
func (m *SVNMerge) Tree(side int, q Query) *Tree {
	var files []Listed
	add := func(name, object string) {
		if object != "" && q.rank(name) >= 0 && q.wants(name) {
			files = append(files, Listed{Name: name, Object: object})
		}
	}
	for name, f := range m.files {
		if m.kept.Files[name] == nil {
			add(name, f.base)
		}
	}
	for name, p := range m.kept.Files {
		add(name, p.Sides[side])
	}
	slices.SortFunc(files, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return (&Index{control: m, query: q}).Tree(files)
}

// Gone returns the files that theirs does not have: those that svn knew, and that are here or
// were deleted here, and those that svn was told of here.
func (m *SVNMerge) Gone() (names []string) {
	for name, p := range m.kept.Files {
		known, here := p.Sides[0] != "", p.Sides[1] != ""
		if p.Sides[2] == "" && (p.Told || known && (here || p.isDeleted())) {
			names = append(names, name)
		}
	}
	return names
}

// IsUnknown reports whether svn does not know a file that is here.
func (m *SVNMerge) IsUnknown(name string) bool {
	f := m.files[name]
	return f != nil && f.disk != "" && f.schedule == "" && f.conflict == nil && f.above == ""
}

// Commit is by whom a file was changed, and when.
type Commit struct {
	Author string
	Time   time.Time
}

// Authors returns the last change of each file in BASE, as far as it is known.
func (m *SVNMerge) Authors(files []string) map[string]Commit {
	commits := make(map[string]Commit)
	for _, name := range files {
		if f := m.files[name]; f != nil && f.author.Author != "" {
			commits[name] = f.author
		}
	}
	return commits
}

func (m *SVNMerge) about(Query) string { return "svn's working copy" }

func (m *SVNMerge) format([]Listed) ObjectFormat { return Checksum }

// send reads contents by their objects: kept ones, svn's own, and files of the working
// copy.
func (m *SVNMerge) send(ctx context.Context, files []Listed, q Query, yield func(File) bool) error {
	for _, l := range files {
		data, err := m.text(ctx, l)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
		f := File{Name: l.Name, Kind: l.Kind, Size: int64(len(data)), Data: data}
		if q.tooLarge(f.Size) {
			f.Data = nil
		}
		if !yield(f) {
			return nil
		}
	}
	return nil
}

func (m *SVNMerge) text(ctx context.Context, l Listed) ([]byte, error) {
	if data, ok := m.kept.Texts[l.Object]; ok {
		return data, nil
	}
	if name, ok := m.disk[l.Object]; ok {
		data, err := m.readFile(name)
		if err != nil || Checksum.ObjectOf(data) == l.Object {
			return data, err
		}
	}
	if len(l.Object) != 2*sha1.Size || !isHex(l.Object) {
		return nil, fmt.Errorf("%q is no checksum of svn's", l.Object)
	}
	_, data, err := pristine(m.top, l.Object, Query{})
	if err == nil {
		return data, nil
	}
	if f := m.files[l.Name]; f != nil && f.base == l.Object {
		_, data, err = (&baseReading{workingCopy: m.workingCopy, ctx: ctx}).cat("-r", Base, m.target(l.Name))
	}
	return data, err
}
