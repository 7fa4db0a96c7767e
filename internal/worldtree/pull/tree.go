package pull

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// edits are what makes one tree of another: lines for git update-index --index-info, whose
// names are from the top.
type edits struct{ bytes.Buffer }

func (e *edits) put(mode, object, name string) { fmt.Fprintf(e, "%s %s\t%s\x00", mode, object, name) }

// remove takes a file away. like is any object ID of the repository.
func (e *edits) remove(name, like string) { e.put("0", strings.Repeat("0", len(like)), name) }

// change has a file be as a change has it.
func (e *edits) change(c change) {
	if c.removed() {
		e.remove(c.name, c.object)
		return
	}
	e.put(c.mode, c.object, c.name)
}

// treeOf returns the tree of a revision with edits.
func (r *repository) treeOf(rev string, e *edits) (tree string, err error) {
	if e.Len() == 0 {
		return r.git.Line("rev-parse", rev+"^{tree}")
	}
	err = r.withIndex(func(c *vcs.Caller) (err error) {
		if _, err := c.Call(nil, "read-tree", rev); err != nil {
			return err
		}
		if _, err := c.Call(e.Bytes(), "update-index", "-z", "--add", "--remove", "--index-info"); err != nil {
			return err
		}
		tree, err = c.Line("write-tree")
		return err
	})
	return tree, err
}

// store has git keep contents.
func (r *repository) store(contents [][]byte) error {
	if len(contents) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, data := range contents {
		fmt.Fprintf(&in, "blob\ndata %d\n%s\n", len(data), data)
	}
	in.WriteString("done\n")
	_, err := r.git.Call(in.Bytes(), "fast-import", "--quiet", "--done")
	return err
}

// worldEdits are what makes the world of a commit, merged with what is shared, of the
// shared one.
type worldEdits struct {
	*gitPull
	commit string
	world  *worldform.World // of the commit
	layout layout.Layout
	texts  map[entity.ID]vcs.Listed // the shared ones
	placed map[entity.ID]bool       // where the layout says, or taken away

	edits    edits
	contents [][]byte // that git does not have
}

// mergeWorld returns the edits for one of the person's commits.
func (in *gitPull) mergeWorld(commit string) (*edits, error) {
	merged, err := in.Merged()
	if err != nil {
		return nil, err
	}
	world, err := merged.OpenLike(commit)
	if err != nil {
		return nil, err
	}
	result, err := merged.Onto(world)
	if err != nil {
		return nil, err
	}
	w := worldEdits{gitPull: in, commit: commit, world: world, placed: make(map[entity.ID]bool)}
	if err := w.declared(); err != nil {
		return nil, err
	}
	if w.texts, err = in.listed(in.shared); err != nil {
		return nil, err
	}
	sides := merged.Sides()
	base := sides[0].AsIn(sides[1].Source)
	for old, e := range entity.Differing(sides[1].AsIn(base), result) {
		w.entity(old, e)
	}
	w.moved()
	if err := w.unread(); err != nil {
		return nil, err
	}
	return &w.edits, in.store(w.contents)
}

// listed returns the texts of a revision's entities.
func (r *repository) listed(rev string) (map[entity.ID]vcs.Listed, error) {
	tree, err := vcs.Git{Dir: r.root}.Tree(r.query(rev))
	if err != nil {
		return nil, err
	}
	files := make(map[entity.ID]vcs.Listed)
	for _, f := range tree.Files {
		if id, ok := layout.EntityOf(f.Name); ok {
			files[id] = f
		}
	}
	return files, nil
}

const regular = "100644"

func (w *worldEdits) name(id entity.ID) string { return w.git.Prefix() + w.layout.Name(id) }

// declared adds the settings and the declarations, and reads where entities lie.
func (w *worldEdits) declared() error {
	files, err := w.merged.Declared(w.commit)
	if err != nil {
		return err
	}
	config, changed := files["world.toml"]
	if !changed {
		for f, err := range (vcs.Git{Dir: w.root}).Files(vcs.Query{Rev: w.gitPull.shared, Names: []string{"world.toml"}}) {
			if err != nil {
				return err
			}
			config = f.Data
		}
	}
	if w.layout, err = worlddir.ShardOf(config); err != nil {
		return err
	}
	for name, data := range files {
		if data == nil {
			w.edits.remove(w.git.Prefix()+name, w.commit)
			continue
		}
		w.put(w.git.Prefix()+name, data)
	}
	return nil
}

// put adds a file with contents that git may not have.
func (w *worldEdits) put(name string, data []byte) {
	w.contents = append(w.contents, data)
	w.edits.put(regular, vcs.FormatOf(w.commit).ObjectOf(data), name)
}

// entity adds the text of an entity that is not as the shared side has it: as the commit
// has it, if it says the same.
func (w *worldEdits) entity(old, e *entity.Entity) {
	if e == nil {
		w.edits.remove(w.git.Prefix()+w.texts[old.ID].Name, w.commit)
		w.placed[old.ID] = true
		return
	}
	w.placed[e.ID] = true
	if have, ok := w.world.Source.Get(e.ID); ok && have.Same(e) {
		if object, ok := w.world.Object(e.ID); ok {
			w.edits.put(regular, object, w.name(e.ID))
			return
		}
	}
	w.put(w.name(e.ID), textcodec.Append(nil, e))
}

// moved takes the shared texts away that lie elsewhere by the layout, and adds those in
// their place that are the same.
func (w *worldEdits) moved() {
	for id, f := range w.texts {
		if w.git.Prefix()+f.Name == w.name(id) {
			continue
		}
		w.edits.remove(w.git.Prefix()+f.Name, w.commit)
		if !w.placed[id] {
			w.edits.put(regular, f.Object, w.name(id))
		}
	}
}

// unread adds the texts of the commit that do not parse and that others have not changed:
// they are the person's all the same.
func (w *worldEdits) unread() error {
	ids := w.world.Unread()
	if len(ids) == 0 {
		return nil
	}
	own, err := w.listed(w.commit)
	if err != nil {
		return err
	}
	base, err := w.listed(w.bases[0])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if w.texts[id].Object == base[id].Object && own[id].Object != "" {
			w.edits.put(regular, own[id].Object, w.name(id))
		}
	}
	return nil
}
