package worldform

import (
	"errors"
	"iter"
	"sync"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// OpenPair opens two worlds to find out how the second differs from the first. Where one
// is of texts without types, those of the other are in force. What two revisions of git have in
// common is read when it is asked for, and otherwise neither read nor told: what is
// wrong with it is so in both.
func OpenPair(first, second string, o Options) (a, b *World, err error) {
	o.First = true
	form, rev := parseName(first)
	if form == formDir && lacksTypes(first) && !(isDirName(second) && lacksTypes(second)) {
		return openTyped(first, second, o)
	}
	if form != formGit {
		if a, err = Open(first, o); err != nil {
			return nil, nil, err
		}
		o.Types, o.Like = a.Types, []*World{a}
		b, err = Open(second, o)
		return a, b, err
	}
	g, err := listGit(rev, o.WorldDir(), o)
	if err != nil {
		return nil, nil, err
	}
	o.Types = g.inForce()
	if form, rev := parseName(second); form == formGit {
		return openRevisions(g, rev, o)
	}
	if b, err = Open(second, o); err != nil {
		return nil, nil, err
	}
	a, err = g.finish([]*World{b})
	return a, b, err
}

func isDirName(name string) bool {
	form, _ := parseName(name)
	return form == formDir
}

// lacksTypes reports whether what is at a path is a directory of plain files without the
// types that they are of.
func lacksTypes(path string) bool {
	if !isDir(path) {
		return false
	}
	_, err := worlddir.Open(path)
	p := placeOf(path)
	return errors.Is(err, worlddir.ErrNotFound) && !hasTypes(p.types)
}

// openTyped opens two worlds of which the first has no types.
func openTyped(first, second string, o Options) (a, b *World, err error) {
	if b, err = Open(second, o); err != nil {
		return nil, nil, err
	}
	o.Types, o.Like = b.Types, []*World{b}
	a, err = Open(first, o)
	return a, b, err
}

// openRevisions opens two revisions of git. Where their types are the same, so is
// what a text says.
func openRevisions(g *gitReading, rev string, o Options) (a, b *World, err error) {
	h, err := listGit(rev, o.WorldDir(), o)
	if err != nil {
		return nil, nil, err
	}
	g.shareTypes(nil)
	h.shareTypes([]*World{g.world})
	if sameTypes(g.world.Types, h.world.Types) && sameTypes(h.world.Types, g.world.Types) {
		return readApart(g, h)
	}
	if a, err = g.finish(nil); err != nil {
		return nil, nil, err
	}
	b, err = h.finish([]*World{a})
	return a, b, err
}

// readApart reads of two revisions what is not the same in both.
func readApart(g, h *gitReading) (a, b *World, err error) {
	rest := &unread{reading: g, ids: make(map[entity.ID]bool)}
	for id, object := range g.objects {
		if h.objects[id] == object {
			rest.ids[id] = true
		}
	}
	for _, r := range []*gitReading{g, h} {
		read, err := r.read(rest.has)
		if err != nil {
			return nil, nil, err
		}
		r.world.Source = &partly{read: read, rest: rest}
	}
	return g.world, h.world, nil
}

// unread is the entities that two revisions have in common: they are read, all at
// once, when the first of them is asked for.
type unread struct {
	reading *gitReading // of the one revision
	ids     map[entity.ID]bool

	once  sync.Once
	world *entity.World
	err   error
}

func (u *unread) has(id entity.ID) bool { return u.ids[id] }

// read returns the entities.
func (u *unread) read() *entity.World {
	u.once.Do(func() {
		var files []vcs.Listed
		for _, f := range u.reading.texts {
			if id, ok := u.reading.placed(f.Name); ok && f.Kind == vcs.Regular && u.ids[id] {
				files = append(files, f)
			}
		}
		r := newTextReading(Options{Types: u.reading.world.Types})
		u.err = r.readAll(u.reading.tree.Read(files))
		u.world = r.collect()
	})
	return u.world
}

// partly is a world of which only what differs from another has been read.
type partly struct {
	read *entity.World
	rest *unread // what it shares with the other

	once sync.Once
	all  *entity.World
}

var _ entity.Differ = (*partly)(nil)

func (p *partly) whole() *entity.World {
	p.once.Do(func() {
		p.all = entity.NewWorld(p.read.ID, p.read.Types)
		for _, part := range []*entity.World{p.rest.read(), p.read} {
			for e := range part.All() {
				p.all.Put(e)
			}
		}
	})
	return p.all
}

func (p *partly) Len() int { return p.whole().Len() }

func (p *partly) All() iter.Seq[*entity.Entity] { return p.whole().All() }

func (p *partly) Get(id entity.ID) (*entity.Entity, bool) {
	if p.rest.has(id) {
		return p.rest.read().Get(id)
	}
	return p.read.Get(id)
}

// Err returns what kept the rest from being read.
func (p *partly) Err() error { return p.rest.err }

// Differing looks at what was read, where o is the other world.
func (p *partly) Differing(o entity.Source) (pairs iter.Seq2[*entity.Entity, *entity.Entity], ok bool) {
	q, ok := o.(*partly)
	if !ok || q.rest != p.rest {
		return nil, false
	}
	return entity.Differing(p.read, q.read), true
}
