package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/svnmoved"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// workingCopy is what the index and the working tree have of a world's files.
type workingCopy struct {
	root     string
	index    *vcs.Index
	staged   map[string]vcs.Staged    // files that are merged
	unmerged map[string][4]vcs.Staged // by stage; one without an Object is not there
	resolved map[string]bool          // were unmerged, and are not any more
	sides    *sideObjects             // nil of svn
	left     map[string]vcs.Listed    // what version control has left, where the index has something else, without an Object for nothing
	added    map[string]bool          // files of declarations that both sides changed, and that a person has edited and added
	objects  map[string]string        // what the working tree has, "" for nothing: of files that the index has otherwise
	marked   map[string]bool          // files of the working tree with conflict markers
	named    map[entity.ID][]string   // what names returns
	driver   map[string]bool          // those whose markers are as git's merge driver sets them
	layout   layout.Layout
	moved    svnmoved.Files     // nil of git
	dropped  map[entity.ID]bool // entities whose files give way though a person has edited them, who has said so
}

func readWorkingCopy(root string, x *vcs.Index, l layout.Layout) (*workingCopy, error) {
	w := &workingCopy{
		root: root, index: x, layout: l, staged: make(map[string]vcs.Staged), unmerged: make(map[string][4]vcs.Staged),
		resolved: make(map[string]bool), objects: make(map[string]string), marked: make(map[string]bool), driver: make(map[string]bool),
		dropped: make(map[entity.ID]bool),
	}
	for _, f := range x.Files {
		if f.Stage == 0 {
			if _, stray := layout.StrayOf(f.Name); !stray {
				w.staged[f.Name] = f
			}
			continue
		}
		stages := w.unmerged[f.Name]
		stages[f.Stage] = f
		w.unmerged[f.Name] = stages
	}
	for _, name := range x.Resolved {
		w.resolved[name] = true
	}
	return w, w.readEdited()
}

// readEdited reads the files that the working tree has otherwise than the index.
func (w *workingCopy) readEdited() error {
	root, err := os.OpenRoot(w.root)
	if err != nil {
		return err
	}
	defer root.Close()
	settling := maps.Clone(w.resolved) // with the places that a mount may have moved them to
	for name := range w.unmerged {
		settling[name] = true
		if id, ok := layout.EntityOf(name); ok {
			settling[w.layout.Name(id)] = true
		}
	}
	var there []string
	for _, name := range slices.Concat(w.index.Edited, w.index.New) {
		if _, stray := layout.StrayOf(name); stray && w.unmerged[name] == ([4]vcs.Staged{}) {
			continue
		}
		w.objects[name] = ""
		info, err := root.Lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || !info.Mode().IsRegular() || info.Size() > cache.MaxFileSize || strings.Contains(name, "\n") {
			continue
		}
		there = append(there, name)
		if !settling[name] && !strings.HasPrefix(name, typesPrefix) {
			continue
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		w.marked[name], w.driver[name] = textmerge.HasMarkers(data), driversMarkers.Match(data)
	}
	objects, err := w.index.Hash(there)
	for i, object := range objects {
		w.objects[there[i]] = object
	}
	return err
}

// driversMarkers begin the conflicts that filemerge.File marks: of this build, and of one that
// called the sides as git does.
var driversMarkers = regexp.MustCompile(`(?m)^<<<<<<< (yours|shared|here|ours)`)

// object returns what the working tree has of a file, "" for nothing.
func (w *workingCopy) object(name string) string {
	if object, ok := w.objects[name]; ok {
		return object
	}
	return w.staged[name].Object
}

// inIndex returns what the index has of a file that is merged, "" for nothing.
func (w *workingCopy) inIndex(name string) string { return w.staged[name].Object }

// names returns the files of each entity, wherever they lie, and those of conflicts that were
// resolved by there being none. It is not to be changed.
func (w *workingCopy) names() map[entity.ID][]string {
	if w.named == nil {
		w.named = w.findNames()
	}
	return w.named
}

func (w *workingCopy) findNames() map[entity.ID][]string {
	names := make(map[entity.ID][]string)
	add := func(name string) {
		if id, ok := layout.EntityOf(name); ok && !slices.Contains(names[id], name) {
			names[id] = append(names[id], name)
		}
		if id, stray := layout.StrayOf(name); stray && !slices.Contains(names[id], name) {
			names[id] = append(names[id], name)
		}
	}
	for name := range w.staged {
		add(name)
	}
	for name := range w.unmerged {
		add(name)
	}
	for name := range w.resolved {
		add(name)
	}
	for name := range w.objects {
		add(name)
	}
	return names
}

// checkPlaces refuses an entity's file that lies where its layout has none, if there is none
// where it has: the entity is not deleted then, and what is in the file is nowhere else.
func (w *workingCopy) checkPlaces() error {
	l := w.layout
	for _, name := range w.index.New {
		id, ok := layout.EntityOf(name)
		if !ok || name == l.Name(id) {
			continue
		}
		_, staged := w.staged[l.Name(id)]
		_, unmerged := w.unmerged[l.Name(id)]
		if (staged || unmerged) && w.object(l.Name(id)) == "" {
			return fmt.Errorf("%s does not lie where world.toml says: move it to %s and run worldfs resolve again; nothing was changed", name, l.Name(id))
		}
	}
	return nil
}

// tree returns the files as version control has left them, or those of the working tree.
func (w *workingCopy) tree(working bool) *vcs.Tree {
	var files []vcs.Listed
	add := func(name, object string) {
		if object != "" {
			files = append(files, vcs.Listed{Name: name, Kind: w.staged[name].Kind, Object: object})
		}
	}
	for name, f := range w.staged {
		if _, other := w.left[name]; working {
			add(name, w.object(name))
		} else if !other {
			add(name, f.Object)
		}
	}
	for _, f := range w.left {
		if !working && f.Object != "" {
			files = append(files, f)
		}
	}
	for name, stages := range w.unmerged {
		if working {
			add(name, w.object(name))
		} else {
			add(name, stages[2].Object)
		}
	}
	if working {
		for _, name := range w.index.New {
			add(name, w.objects[name])
		}
	}
	slices.SortFunc(files, func(a, b vcs.Listed) int { return strings.Compare(a.Name, b.Name) })
	return w.index.Tree(files)
}

// placed returns the tree that version control has left, with files of entities where the
// working tree has them: a mount moves one that is not where its layout has it, and version
// control is not told.
func (w *workingCopy) placed(tree *vcs.Tree) *vcs.Tree {
	l := w.layout
	at := make(map[entity.ID]int) // where in the tree a file is that has gone from its place
	for i, f := range tree.Files {
		id, ok := layout.EntityOf(f.Name)
		if !ok {
			continue
		}
		if f.Name == l.Name(id) {
			at[id] = -1
		} else if _, placed := at[id]; !placed && w.object(f.Name) == "" {
			at[id] = i
		}
	}
	for _, name := range w.index.New {
		id, ok := layout.EntityOf(name)
		if i, moved := at[id]; ok && moved && i >= 0 && name == l.Name(id) {
			tree.Files[i].Name = name
		}
	}
	return tree
}

// placeOf returns where an entity's unmerged file is: a mount moves one that is not where its
// layout has it.
func (w *workingCopy) placeOf(name string) string {
	id, ok := layout.EntityOf(name)
	if ok && w.object(name) == "" && slices.Contains(w.index.New, w.layout.Name(id)) {
		return w.layout.Name(id)
	}
	return name
}

// isGits reports whether an unmerged file is as git has left it: with markers, or, where
// one side has none, as the other has it.
func (w *workingCopy) isGits(name string) bool {
	stages, unmerged := w.unmerged[name]
	if !unmerged {
		return false
	}
	at := w.placeOf(name)
	if w.marked[at] {
		return true
	}
	object := w.object(at)
	if left, ok := w.index.Untouched[name]; ok {
		return object == left
	}
	switch ours, theirs := stages[2].Object, stages[3].Object; {
	case ours == "" && theirs == "":
		return object == ""
	case ours == "":
		return object == theirs
	case theirs == "":
		return object == ours
	}
	return false
}

// isAway reports whether the files of an entity in conflict that no side deleted have been
// removed, and version control was not told: what it holds of them is a conflict still.
func (w *workingCopy) isAway(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		stages := w.unmerged[name]
		return stages[2].Object == "" || stages[3].Object == "" || w.object(name) != ""
	})
}

func (w *workingCopy) path(name string) string {
	return filepath.Join(w.root, filepath.FromSlash(name))
}
