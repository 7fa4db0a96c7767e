package vcs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/support/slashname"
)

// fetchAll asks the server for what it alone has, once for each revision, and completes
// the sides.
func (p *pinning) fetchAll() error {
	for at, names := range p.needs {
		got, err := p.fetchFrom(at, names)
		if err != nil {
			return err
		}
		for name, from := range p.from {
			for side, wanted := range from {
				if wanted == at {
					p.complete(name, side, got)
				}
			}
		}
	}
	return nil
}

// complete has one side of a file, or of those in a directory, be as the server has it.
func (p *pinning) complete(name string, side int, got map[string]string) {
	if p.dirs[name] == nil {
		p.fresh.Files[name].set(side, got[name])
		return
	}
	for file, pin := range p.fresh.Files {
		if strings.HasPrefix(file, name+"/") {
			pin.set(side, got[file])
		}
	}
	for file, object := range got {
		if strings.HasPrefix(file, name+"/") && p.fresh.Files[file] == nil {
			p.fresh.Files[file] = &svnPinned{Above: name}
			p.fresh.Files[file].set(side, object)
		}
	}
}

func (p *svnPinned) set(side int, object string) {
	p.Sides[side] = object
	if side == 2 && p.Unknown { // BASE is what came in
		p.Base, p.Unknown = object, false
	}
}

// fetchFrom is fetch, and says what is needed where the server does not give it.
func (p *pinning) fetchFrom(at place, names map[string]bool) (map[string]string, error) {
	got, err := p.fetch(at, names)
	if err != nil {
		return nil, fmt.Errorf("%w: revision %s of %s; nothing was changed, run worldfs resolve again when it does: %w", ErrServer, at.rev, at.url, err)
	}
	return got, nil
}

// fetch returns the objects of files, or of those in directories, of a revision.
func (p *pinning) fetch(at place, names map[string]bool) (objects map[string]string, err error) {
	objects = make(map[string]string)
	q := p.query
	q.Names = rootsOf(names)
	q.Want = func(name string) bool { return p.isWanted(name) && slashname.IsBelow(name, names) }
	err = p.export(context.Background(), at, q, func(f File) bool {
		if f.Data != nil {
			objects[f.Name] = p.keepText(f.Data)
		}
		return true
	})
	return objects, err
}

// mostExports is how many files one call exports by themselves. Of more, everything that
// they lie in is exported at once.
const mostExports = 4

// rootsOf returns what is exported so that some names are.
func rootsOf(names map[string]bool) []string {
	roots := maps.Clone(names)
	maps.DeleteFunc(roots, func(name string, _ bool) bool {
		dir, in := slashname.Dir(name)
		return in && slashname.IsBelow(dir, names)
	})
	if len(roots) > mostExports {
		tops := make(map[string]bool)
		for name := range roots {
			top, _, _ := strings.Cut(name, "/")
			tops[top] = true
		}
		roots = tops
	}
	return slices.Sorted(maps.Keys(roots))
}
