package vcs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pinning finds out the three sides of a merge that is read for the first time.
type pinning struct {
	*SVNMerge
	fresh svnKept
	needs map[place]map[string]bool // what only the server has: names, files or directories
	from  map[string][3]place       // files and directories whose base (0) or theirs (2) the server has
}

// pin has what is kept be about the merge that there is now. Of a conflict that was kept
// before, the sides are as they were.
func (m *SVNMerge) pin(before *svnKept) error {
	p := &pinning{SVNMerge: m, needs: make(map[place]map[string]bool), from: make(map[string][3]place)}
	p.fresh = svnKept{Dirs: make(map[string]string), Files: make(map[string]*svnPinned), Texts: make(map[string][]byte)}
	p.name(before)
	p.keepKnown(before)
	maps.Copy(p.fresh.Texts, before.Texts)
	pin := p.pinUpdate
	if p.fresh.Kind == Merging {
		pin = p.pinMerge
	}
	if err := pin(); err != nil {
		return err
	}
	m.kept = &p.fresh
	return nil
}

// keepKnown pins the files of conflicts that are known from before.
func (p *pinning) keepKnown(before *svnKept) {
	for name, f := range p.files {
		if old := before.Files[name]; old != nil && f.conflict != nil && old.Conflict == f.conflict.id() && !before.isBegunAnew(name, f) {
			p.fresh.Files[name] = old
		}
	}
}

// pinUpdate pins the files of an update or switch that are not as BASE is: that is theirs
// now, and what is here is ours.
func (p *pinning) pinUpdate() error {
	for name, f := range p.files {
		if p.fresh.Files[name] != nil || f.conflict == nil && f.above == "" && f.disk == f.base && !f.replaced {
			continue
		}
		if err := p.pinFile(name, f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, c := range p.dirs {
		p.pinDir(name, c)
	}
	return p.fetchAll()
}

// name gives the merge its key: what was done, from which revisions to which, and whether that
// was begun anew since it was resolved. What was chosen and written then is of another merge.
func (p *pinning) name(before *svnKept) {
	var all []string
	add := func(name string, c *svnConflict) {
		p.fresh.Kind = OperationKind(c.operation)
		from, _ := c.left.place(name)
		to, _ := c.right.place(name)
		all = append(all, fmt.Sprintf("%s %s@%s %s@%s", c.operation, from.url, from.rev, to.url, to.rev))
	}
	for name, c := range p.dirs {
		add(name, c)
		p.fresh.Dirs[name] = c.id()
	}
	for name, f := range p.files {
		if f.conflict != nil {
			add(name, f.conflict)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	key := func(again int) string { return "svn " + strings.Join(all, ", ") + strings.Repeat(" again", again) }
	if before.Operation == key(before.Again) {
		p.fresh.Again = before.Again
		for name, f := range p.files {
			if before.isBegunAnew(name, f) {
				p.fresh.Again = before.Again + 1
			}
		}
	}
	p.fresh.Operation = key(p.fresh.Again)
}

// pinFile finds out the sides of one file.
func (p *pinning) pinFile(name string, f *svnFile) error {
	pin := &svnPinned{Above: f.above, Base: f.base, Unknown: f.replaced, Told: f.schedule == "add" || f.schedule == "delete", Sides: [3]string{f.base, f.disk, f.base}}
	p.fresh.Files[name] = pin
	c := f.conflict
	switch {
	case c == nil && f.above == "":
		if f.replaced {
			pin.Sides = [3]string{f.disk, f.disk, f.disk} // what it was, svn does not tell: it is no part of this
		}
		return p.keepTexts(pin, f.disk)
	case c != nil && !c.tree:
		return p.pinTexts(pin, c)
	case c == nil:
		c = p.dirs[f.above]
	default:
		pin.Conflict = c.id()
	}
	switch {
	case c.action == "add":
		pin.Sides[0] = ""
	case f.copied != "" && c.action == "delete":
		pin.Sides[0] = f.copied
	case pin.Conflict != "":
		p.need(0, c.left, name)
	}
	if c.reason == "delete" && f.disk != "" && p.isMarked(f.disk) {
		pin.Sides[1] = "" // what is there, a call of resolve has put there whose record is gone
	}
	if f.replaced && pin.Conflict != "" {
		p.need(2, c.right, name)
	}
	return p.keepTexts(pin, f.disk, f.copied)
}

func (p *pinning) isMarked(object string) bool {
	data, err := p.text(context.Background(), Listed{Object: object})
	return err == nil && bytes.Contains(data, []byte("\n<<<<<<< "))
}

// pinDir has the files of a directory in conflict be as the server has them, where the
// working copy does not tell.
func (p *pinning) pinDir(dir string, c *svnConflict) {
	copied := c.action == "delete" && c.reason == "edit"
	if c.action != "add" && !copied {
		p.need(0, c.left, dir)
	}
	if p.scheduled[dir] == "replace" {
		p.need(2, c.right, dir)
	}
}

// pinTexts takes the sides of a conflict that svn has marked in a file from the files
// beside it.
func (p *pinning) pinTexts(pin *svnPinned, c *svnConflict) error {
	pin.Conflict, pin.Marked = c.id(), true
	for side, file := range []string{c.prevBase, c.prevWC} {
		if file == "" {
			pin.Sides[side] = ""
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.dir, file)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("svn's copy of a side of the conflict is gone: %w; svn revert the file and update again", err)
		}
		pin.Sides[side] = p.keepText(data)
	}
	return nil
}

func (p *pinning) keepText(data []byte) string {
	object := Checksum.ObjectOf(data)
	p.fresh.Texts[object] = data
	return object
}

// keepTexts keeps contents that svn may forget when a conflict is resolved.
func (p *pinning) keepTexts(pin *svnPinned, objects ...string) error {
	for _, object := range objects {
		if object == "" || object == pin.Base || p.fresh.Texts[object] != nil {
			continue
		}
		data, err := p.text(context.Background(), Listed{Object: object})
		if err != nil {
			return err
		}
		p.fresh.Texts[object] = data
	}
	return nil
}

// need notes that only the server has one side of what lies at a name.
func (p *pinning) need(side int, v svnVersion, name string) {
	at, ok := v.place(name)
	if !ok || v.kind == "none" {
		return
	}
	if p.needs[at] == nil {
		p.needs[at] = make(map[string]bool)
	}
	p.needs[at][name] = true
	from := p.from[name]
	from[side] = at
	p.from[name] = from
}

// ErrServer says that svn's server is needed and does not answer.
var ErrServer = errors.New("svn's server does not give what is needed of it")

// commitOf returns the last change of a node.
func commitOf(n node) Commit {
	at, err := time.Parse(time.RFC3339Nano, n.date)
	if err != nil {
		return Commit{}
	}
	return Commit{n.author, at}
}
