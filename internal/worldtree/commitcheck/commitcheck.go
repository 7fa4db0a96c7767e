// Package commitcheck looks at what a commit of git's is about to take from the index, and
// says what speaks against it: findings that it brings in, a great loss, edits of a mount
// that crashed and that are not in it, a pull that was interrupted.
//
// It reads the index that git commits and the commits before, and changes nothing. A commit
// that is about no file of the world costs two calls of git; any other reads the world once.
package commitcheck

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// Verdict is what there is to say about a commit.
type Verdict struct {
	Brought []entity.Finding // that would stop a ship build, and are in no commit before it
	Before  int              // such findings that were there before
	Had     int              // entities before
	Gone    int              // how many of them a great loss takes away; 0 if it is none
	Crashed bool             // edits of a mount that crashed are not in it
	Pulling bool             // a pull was interrupted, and is not all in it
}

// Refuses reports whether the commit is not to be made.
func (v *Verdict) Refuses() bool { return len(v.Brought) > 0 || v.Gone > 0 || v.Crashed || v.Pulling }

// check is a check of one world.
type check struct {
	root    string
	git     vcs.Git
	parents []string // revisions that the commit goes on from; none: it is the first
	staged  *vcs.Tree
	verdict Verdict
}

// Check looks at a commit of the world at root. indexFile is the index that git commits;
// "" is the repository's.
func Check(root, indexFile string) (Verdict, error) {
	c := check{root: root, git: vcs.Git{Dir: root, IndexFile: indexFile}}
	for _, rev := range []string{"HEAD", "MERGE_HEAD"} {
		commit, err := c.git.Resolve(rev)
		if err == nil {
			c.parents = append(c.parents, commit)
		} else if !errors.Is(err, vcs.ErrNoRevision) {
			return c.verdict, err
		}
	}
	concerned, err := c.isConcerned()
	if err != nil || !concerned {
		return c.verdict, err
	}
	if dir, err := worlddir.Open(root); err == nil {
		c.verdict.Crashed = daemon.Crashed(dir)
		p, err := pullrecord.Read(dir)
		c.verdict.Pulling = p != nil && !p.Ended || err != nil
	}
	return c.verdict, c.compare()
}

// query asks for all files of the world.
func query() vcs.Query {
	q := worldform.TextQuery()
	texts := q.Want
	q.Names = append(slices.Clone(q.Names), rangesName)
	q.Want = func(name string) bool { return name == rangesName || texts(name) }
	return q
}

// isConcerned reports whether the commit changes any file of the world.
func (c *check) isConcerned() (bool, error) {
	head := ""
	if len(c.parents) > 0 {
		head = c.parents[0]
	}
	changed, err := c.git.StagedChanges(head, query())
	return len(changed) > 0, err
}

// compare compares the world before with that of the index.
func (c *check) compare() (err error) {
	if c.staged, err = c.git.Staged(worldform.TextQuery()); err != nil {
		return err
	}
	var before []*worldform.World
	for i, rev := range c.parents {
		w, err := worldform.Open("git:"+rev, worldform.Options{Dir: c.root, Like: before, First: i == 0})
		if errors.Is(err, worldform.ErrNoWorld) {
			continue
		}
		if err != nil {
			return err
		}
		before = append(before, w)
	}
	after, err := worldform.OpenTree(c.staged, worldform.Options{Dir: c.root, Like: before})
	if err != nil {
		return err
	}
	if len(before) > 0 {
		c.loss(before[0], after)
	}
	return c.findings(before, after)
}

// loss finds out whether the commit is a great loss.
func (c *check) loss(before, after *worldform.World) {
	there := make(map[entity.ID]bool)
	for _, f := range c.staged.Files {
		if id, ok := entityOf(f.Name); ok {
			there[id] = true
		}
	}
	var gone []entity.ID
	for e := range before.Source.All() {
		if !there[e.ID] {
			gone = append(gone, e.ID)
		}
	}
	had := before.Source.Len()
	if !greatloss.Is(had, len(gone)) {
		return
	}
	var made []*entity.Entity
	for e := range after.Source.All() {
		if _, had := before.Source.Get(e.ID); !had {
			made = append(made, e)
		}
	}
	if n := len(gone) - greatloss.Renumbered(before.Source, gone, made); greatloss.Is(had, n) {
		c.verdict.Had, c.verdict.Gone = had, n
	}
}

func entityOf(name string) (entity.ID, bool) {
	const prefix = worlddir.EntitiesName + "/"
	if len(name) < len(prefix) || name[:len(prefix)] != prefix {
		return 0, false
	}
	_, id, ok := layout.Of(name[len(prefix):])
	return id, ok
}

// findings finds out which findings the commit brings in.
func (c *check) findings(before []*worldform.World, after *worldform.World) error {
	known := make(map[string]bool)
	for _, w := range before {
		for _, f := range findingsOf(w, w) {
			known[key(f)] = true
		}
	}
	last := after
	if len(before) > 0 {
		last = before[0]
	}
	found := findingsOf(after, last)
	settings, err := c.settings()
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, f := range append(settings, found...) {
		switch k := key(f); {
		case !f.Blocks && f.Code != entity.CodeFieldTwice || seen[k]: // both sides' lines, without the markers
		case known[k]:
			c.verdict.Before++
			seen[k] = true
		default:
			c.verdict.Brought = append(c.verdict.Brought, f)
			seen[k] = true
		}
	}
	return nil
}

// findingsOf returns the findings of a world. An entity whose text does not parse goes on
// with its last good values: what refers to it refers to something.
func findingsOf(w, last *worldform.World) []entity.Finding {
	instead := make(map[entity.ID]*entity.Entity)
	for _, id := range w.Unread() {
		if e, ok := last.Source.Get(id); ok {
			instead[id] = e
		}
	}
	return append(slices.Clone(w.Findings), entity.Check(entity.NewOverlay(w.Source, instead))...)
}

// key names a finding: the same thing that is wrong in two worlds has the same. Where
// what is wrong is another entity, it is in the words.
func key(f entity.Finding) string {
	words := ""
	switch f.Code {
	case entity.CodeRefDangling, entity.CodeRefCycle, entity.CodeNotUnique:
		words = f.Message
	}
	return fmt.Sprint(f.Code, "\x00", f.ID, "\x00", f.Type, "\x00", f.Field, "\x00", f.File, "\x00", words)
}
