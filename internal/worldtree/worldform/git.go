package worldform

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// gitReading makes a world of a revision of git: first it is listed and its types
// are read, then of its texts those that say something new.
type gitReading struct {
	*textReading
	tree    *vcs.Tree
	texts   []vcs.Listed         // the entities' files
	objects map[entity.ID]string // of the entities that have one text, where world.toml says
}

func openGit(rev, dir string, o Options) (*World, error) {
	g, err := listGit(rev, dir, o)
	if err != nil {
		return nil, err
	}
	return g.finish(o.Like)
}

// listGit lists a revision, and reads its types.
func listGit(rev, dir string, o Options) (*gitReading, error) {
	tree, err := vcs.Git{Dir: dir}.Tree(textQuery(rev))
	if err != nil {
		return nil, err
	}
	if len(tree.Files) == 0 {
		return nil, noWorldAt(rev, dir)
	}
	return listTree(tree, o)
}

// TextQuery asks version control for what a world of texts consists of: world.toml, the
// types and the entities.
func TextQuery() vcs.Query { return textQuery("") }

// OpenTree opens a world whose files git has, in the order of TextQuery.
func OpenTree(tree *vcs.Tree, o Options) (*World, error) {
	g, err := listTree(tree, o)
	if err != nil {
		return nil, err
	}
	return g.finish(o.Like)
}

// listTree lists the files of a world, and reads its types.
func listTree(tree *vcs.Tree, o Options) (*gitReading, error) {
	heads := slices.IndexFunc(tree.Files, func(f vcs.Listed) bool { _, ok := entityOf(f.Name); return ok })
	if heads < 0 {
		heads = len(tree.Files)
	}
	g := &gitReading{textReading: newTextReading(o), tree: tree, texts: tree.Files[heads:]}
	if err := g.readAll(tree.Read(tree.Files[:heads])); err != nil {
		return nil, err
	}
	g.placeTexts()
	return g, nil
}

func (g *gitReading) placeTexts() {
	g.objects = make(map[entity.ID]string, len(g.texts))
	for _, f := range g.texts {
		id, ok := g.placed(f.Name)
		if !ok || f.Kind != vcs.Regular {
			continue
		}
		object := f.Object
		if _, twice := g.objects[id]; twice {
			object = ""
		}
		g.objects[id] = object
	}
	for id, object := range g.objects {
		if object == "" {
			delete(g.objects, id)
		}
	}
}

// finish makes the world. What the first of the worlds that were opened before has,
// too, is not read, and is that world's entity; what another has is not read either.
func (g *gitReading) finish(like []*World) (*World, error) {
	g.shareTypes(like)
	var same map[entity.ID]bool
	if len(like) > 0 {
		same = g.sameAs(like[0])
	}
	others := g.knownTo(like, same)
	read, err := g.read(func(id entity.ID) bool { return same[id] || others[id] != nil })
	if err != nil {
		return nil, err
	}
	for _, e := range others {
		read.Put(e)
	}
	g.world.Source = read
	if len(same) > 0 {
		g.world.Source = withOthers(like[0].Source, same, read.All())
	}
	g.world.texts = g.plainTexts()
	return g.world, nil
}

// shareTypes has the declarations that are those of another world be the very same:
// then so are their entities.
func (g *gitReading) shareTypes(like []*World) {
	for _, t := range g.types.All() {
		for _, w := range like {
			if known := w.Types.Get(t.Name); SameDeclaration(t, known) {
				g.types.Put(known)
				break
			}
		}
	}
	g.world.Types = g.inForce()
}

// sameAs returns the entities of which both have one text, that says the same in both.
func (g *gitReading) sameAs(w *World) map[entity.ID]bool {
	known := w.textsAs(g.tree.Format())
	alike := sameTypes(w.Types, g.world.Types)
	same := make(map[entity.ID]bool, len(g.objects))
	for id, object := range g.objects {
		if known.objects[id] == object && (alike || sameType(w, g.world.Types, id)) {
			same[id] = true
		}
	}
	return same
}

// knownTo returns the entities that are not in a set and that a revision which was
// opened before, other than the first world, has with the same text.
func (g *gitReading) knownTo(like []*World, besides map[entity.ID]bool) map[entity.ID]*entity.Entity {
	found := make(map[entity.ID]*entity.Entity)
	for i, w := range like {
		if i == 0 || w.texts == nil {
			continue
		}
		for id := range g.sameAs(w) {
			if !besides[id] && found[id] == nil {
				found[id], _ = w.Source.Get(id)
			}
		}
	}
	return found
}

// read reads the texts but for those of the entities that are known. What is no
// text, or lies in a wrong place, or is one too many, is told in any case.
func (g *gitReading) read(known func(entity.ID) bool) (*entity.World, error) {
	var files []vcs.Listed
	for _, f := range g.texts {
		id, ok := g.placed(f.Name)
		if !ok || f.Kind != vcs.Regular || g.objects[id] != f.Object || !known(id) {
			files = append(files, f)
		}
	}
	if err := g.readAll(g.tree.Read(files)); err != nil {
		return nil, err
	}
	return g.collect(), nil
}

// plainTexts returns the texts that say what an entity is, and nothing besides.
func (g *gitReading) plainTexts() *texts {
	for _, f := range g.world.Findings {
		delete(g.objects, f.ID)
	}
	for id := range g.world.Texts {
		delete(g.objects, id)
	}
	return &texts{g.tree.Format(), g.objects}
}
