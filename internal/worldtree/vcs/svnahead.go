package vcs

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// SVNAhead is an update of svn that was not made yet: a merge of BASE with what is here and
// with what the server has. Once the update is made (Update), it is known to resolve as
// one whose sides are known, whatever svn says of it (Pin).
type SVNAhead struct {
	*SVNMerge
	Revision string      // that the working copy is to be updated to
	Commits  []SVNCommit // that come in, the newest first
	Outside  []string    // files that the query is not about and that would be in conflict, from the top
}

// SVNCommit is a revision of svn's.
type SVNCommit struct {
	Revision, Subject string
	Commit
}

// Ahead asks the server what an update of the working copy would bring. Nothing is changed.
// Where a conflict is left here it is an ErrConflicts.
func (s SVN) Ahead(q Query) (*SVNAhead, error) {
	w, err := s.open()
	if err != nil {
		return nil, err
	}
	if !w.isIn() {
		return nil, fmt.Errorf("%s: %w: it lies in no svn working copy", s.Dir, ErrNoRepository)
	}
	a := &SVNAhead{SVNMerge: &SVNMerge{workingCopy: w, query: q, disk: make(map[string]string)}}
	if err := a.look(); err != nil {
		return nil, fmt.Errorf("ask what an update of svn would bring: %w", w.explain(err))
	}
	return a, nil
}

// ErrConflicts says that svn has conflicts from before.
var ErrConflicts = errors.New("svn has conflicts that are left from before")

// IsEdited reports whether a file is here otherwise than in BASE.
func (a *SVNAhead) IsEdited(name string) bool {
	f := a.files[name]
	return f != nil && (f.disk != f.base || f.replaced)
}

func (a *SVNAhead) look() error {
	if err := a.readFiles(); err != nil {
		return err
	}
	if a.locked { // svn's BASE may be ahead of the files
		return a.lockedError()
	}
	if len(a.dirs) > 0 || a.hasConflicts() || a.others > 0 {
		return ErrConflicts
	}
	from, err := a.at(context.Background(), Base)
	if err != nil {
		return err
	}
	to, err := a.at(context.Background(), "HEAD")
	if err != nil {
		return err
	}
	a.Revision = to.rev
	p := &pinning{SVNMerge: a.SVNMerge}
	p.fresh = svnKept{Kind: Updating, Operation: fmt.Sprintf("svn pull %s@%s %s", from.url, from.rev, to.rev),
		Files: make(map[string]*svnPinned), Texts: make(map[string][]byte)}
	a.kept = &p.fresh
	if err := a.readLog(from.rev); err != nil {
		return err
	}
	return a.pinAhead(p, to)
}

// pinAhead finds out the sides of all files that come in otherwise, or are here.
func (a *SVNAhead) pinAhead(p *pinning, to place) error {
	for name, f := range a.files {
		if f.disk != f.base || f.replaced {
			if err := p.pinFile(name, f); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	all, err := a.coming()
	if err != nil {
		return err
	}
	needs := make(map[string]bool)
	for _, name := range all.files {
		f := a.file(name)
		if p.fresh.Files[name] == nil {
			p.fresh.Files[name] = &svnPinned{Base: f.base, Sides: [3]string{f.base, f.disk, f.base}}
		}
		if p.fresh.Files[name].Sides[2] = ""; !all.gone[name] {
			needs[name] = true
		}
		if err := a.keepBase(p, name, f); err != nil {
			return err
		}
	}
	if err := a.fetchInto(p, to, needs); err != nil {
		return err
	}
	return a.findOutside(all.entries)
}

// keepBase keeps what BASE has of a file: after the update svn may forget it.
func (a *SVNAhead) keepBase(p *pinning, name string, f *svnFile) error {
	if f.base == "" || p.fresh.Texts[f.base] != nil {
		return nil
	}
	data, err := a.text(context.Background(), Listed{Name: name, Object: f.base})
	p.fresh.Texts[f.base] = data
	return err
}

func (a *SVNAhead) fetchInto(p *pinning, to place, needs map[string]bool) error {
	if len(needs) == 0 {
		return nil
	}
	got, err := p.fetchFrom(to, needs)
	if err != nil {
		return err
	}
	for name := range needs {
		p.fresh.Files[name].Sides[2] = got[name]
	}
	return nil
}

// mostLogged is how many commits are read.
const mostLogged = 1000

// readLog reads the commits that come in.
func (a *SVNAhead) readLog(from string) error {
	out, err := a.svn(context.Background(), a.dir, "log", "--xml", "-r", a.Revision+":"+from, "--limit", fmt.Sprint(mostLogged), a.top+"@").Text()
	if err != nil {
		return err
	}
	var log struct {
		Entries []struct {
			Revision string `xml:"revision,attr"`
			Author   string `xml:"author"`
			Date     string `xml:"date"`
			Msg      string `xml:"msg"`
		} `xml:"logentry"`
	}
	if err := xml.Unmarshal(out, &log); err != nil {
		return fmt.Errorf("svn log printed what cannot be read: %w", err)
	}
	for _, e := range log.Entries {
		if e.Revision == from {
			continue
		}
		subject, _, _ := strings.Cut(strings.TrimSpace(e.Msg), "\n")
		at, _ := time.Parse(time.RFC3339Nano, e.Date) // the zero time is not known
		a.Commits = append(a.Commits, SVNCommit{e.Revision, subject, Commit{e.Author, at}})
	}
	return nil
}

// Record returns what Pin needs to know once the update is made.
func (a *SVNAhead) Record() ([]byte, error) { return json.Marshal(a.kept) }

// Updated returns the revision that the directory was last updated to.
func (s SVN) Updated() (uint64, error) {
	w, err := s.open()
	if err != nil {
		return 0, err
	}
	at, err := w.at(context.Background(), Base)
	if err != nil {
		return 0, w.explain(err)
	}
	return strconv.ParseUint(at.rev, 10, 63)
}

// Update has svn make an update to a revision, and leave conflicts as they are. What was
// interrupted goes on.
func (s SVN) Update(revision string) error {
	w, err := s.open()
	if err != nil {
		return err
	}
	top, err := s.Root()
	if err != nil {
		return err
	}
	update := func() error {
		_, err := w.svn(context.Background(), w.dir, "update", "--quiet", "--accept", "postpone", "-r", revision, top+"@").Text()
		return err
	}
	err = update()
	if tool.Says(err, svnLocked) {
		if _, err := w.svn(context.Background(), w.dir, "cleanup", top+"@").Text(); err != nil {
			return w.explain(err)
		}
		err = update()
	}
	return w.explain(err)
}

// Pin has keep what resolve is to know of an update that was looked at ahead: the sides as
// they were. What svn has merged by itself gives way.
func (s SVN) Pin(q Query, record []byte, keep func([]byte) error) error {
	w, err := s.open()
	if err != nil {
		return err
	}
	m := &SVNMerge{workingCopy: w, query: q, keep: keep, kept: &svnKept{}, disk: make(map[string]string)}
	if err := json.Unmarshal(record, m.kept); err != nil {
		return err
	}
	if err := m.readFiles(); err != nil {
		return w.explain(err)
	}
	m.kept.Dirs = make(map[string]string)
	for dir, c := range m.dirs {
		m.kept.Dirs[dir] = c.id()
	}
	for name, f := range m.files {
		if f.conflict != nil || f.above != "" {
			m.pinned(name)
		}
	}
	for name, p := range m.kept.Files {
		if err := m.settlePin(name, p); err != nil {
			return err
		}
	}
	return m.save()
}

// settlePin has a pinned file be as the update has left it. What svn has in BASE of one that
// it replaces it does not tell: that is what came in.
func (m *SVNMerge) settlePin(name string, p *svnPinned) error {
	f := m.file(name)
	if p.Base, p.Unknown, p.Above = f.base, false, f.above; m.isUntold(f) {
		p.Base = p.Sides[2]
	}
	if c := f.conflict; c != nil {
		p.Conflict, p.Marked = c.id(), !c.tree
		return nil
	}
	if f.above != "" {
		return nil
	}
	object := f.disk
	p.Staged = &object
	if object == "" || m.kept.Texts[object] != nil {
		return nil
	}
	data, err := m.text(context.Background(), Listed{Name: name, Object: object})
	m.kept.Texts[object] = data
	return err
}
