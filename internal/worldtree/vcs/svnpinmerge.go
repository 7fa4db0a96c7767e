package vcs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// svn merge brings the difference of two revisions into the working copy: they are the
// base and theirs, and BASE is ours. Which those are each conflict says; files in none
// are of the revisions that most conflicts are of.

// span is what svn merges: the difference between a directory at two places.
type span struct{ from, to place }

func (c *svnConflict) span(name string) (s span, ok bool) {
	from, known := c.left.place(name)
	to, ok := c.right.place(name)
	return span{from, to}, known && ok
}

// pinMerge pins all files that the sides of a merge have otherwise than BASE.
func (p *pinning) pinMerge() error {
	whole, ok := p.mostMerged()
	if !ok {
		return fmt.Errorf("svn tells of no conflict which revisions it merges; settle them with svn resolve")
	}
	p.fresh.Theirs = whole.to.url + "@" + whole.to.rev
	base, err := p.fetchWhole(whole.from)
	if err != nil {
		return err
	}
	theirs, err := p.fetchWhole(whole.to)
	if err != nil {
		return err
	}
	names := maps.Clone(base)
	maps.Copy(names, theirs)
	for name := range p.files {
		names[name] = ""
	}
	for name := range names {
		if p.fresh.Files[name] != nil {
			continue // known from before
		}
		if err := p.pinMerged(name, whole, base[name], theirs[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return p.fetchAll()
}

// mostMerged returns what most conflicts are of.
func (p *pinning) mostMerged() (most span, ok bool) {
	count := make(map[span]int)
	for name, c := range p.dirs {
		if s, ok := c.span(name); ok {
			count[s]++
		}
	}
	for name, f := range p.files {
		if f.conflict == nil {
			continue
		}
		if s, ok := f.conflict.span(name); ok {
			count[s]++
		}
	}
	if len(count) == 0 {
		return span{}, false
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(count)), func(a, b span) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	}), true
}

func (p *pinning) fetchWhole(at place) (map[string]string, error) {
	names := make(map[string]bool)
	for _, name := range p.query.Names {
		names[name] = true
	}
	return p.fetchFrom(at, names)
}

// pinMerged pins a file, unless the sides are as BASE is.
func (p *pinning) pinMerged(name string, whole span, base, theirs string) error {
	f := p.files[name]
	if f == nil {
		f = &svnFile{}
	}
	pin := &svnPinned{Above: p.inConflict(name), Base: f.base, Unknown: f.replaced, Sides: [3]string{base, f.base, theirs}}
	c := f.conflict
	switch {
	case c != nil && !c.tree:
		if err := p.pinTexts(pin, c); err != nil {
			return err
		}
		pin.Sides[0], pin.Sides[2] = base, theirs
	case c != nil:
		pin.Conflict, pin.Sides[1] = c.id(), f.disk
	case pin.Above != "" || f.replaced:
		pin.Sides[1] = f.disk
	case pin.Sides == [3]string{f.base, f.base, f.base}:
		return nil
	}
	p.fresh.Files[name] = pin
	if c != nil {
		if own, ok := c.span(name); ok && own != whole {
			p.need(0, c.left, name)
			p.need(2, c.right, name)
		}
	}
	return p.keepTexts(pin, pin.Sides[1])
}
