package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// IsWorlds reports whether a file, named from the world directory, is part of what resolve
// merges: an entity's text, a declaration, world.toml, id_ranges.
func IsWorlds(name string) bool {
	q := WholeQuery()
	return q.Want(name)
}

// Declared are the files beside the entities' texts as a merge has them: its settings and
// its declarations, by name. Nil is one that there is not.
type Declared map[string][]byte

// sideFiles are the files beside the entities' texts of three revisions.
type sideFiles [3]besides

// besides are those files of one revision.
type besides struct {
	tree    *vcs.Tree
	objects map[string]vcs.Listed
}

func (b *besides) object(name string) string { return b.objects[name].Object }

// Declared returns those files in which one of the person's commits, merged with what
// others have shared, differs from these: and with them all that the commit itself has
// otherwise. Where both have changed one so that a person has to settle it, it is as the
// others have it.
func (r *Preview) Declared(commit string) (changed Declared, err error) {
	f, err := r.sideFiles(commit)
	if err != nil {
		return nil, err
	}
	return r.declared(f)
}

func (r *Preview) declared(f sideFiles) (changed Declared, err error) {
	changed = make(Declared)
	for _, name := range f.names() {
		base, ours, theirs := f[0].object(name), f[1].object(name), f[2].object(name)
		if theirs == base || theirs == ours {
			continue
		}
		texts, err := f.read(name)
		if err != nil {
			return nil, err
		}
		merged := texts[2]
		if ours != base {
			merged, _ = r.mergeDeclared(name, texts) // takeFiles tells it
		}
		if !bytes.Equal(merged, texts[1]) || (merged == nil) != (ours == "") {
			changed[name] = merged
		}
	}
	return changed, nil
}

// mergeDeclared merges a file that both sides changed. Where the settings clash ours stands,
// which is shared; what is left of a declaration is left with the entities.
func (r *Preview) mergeDeclared(name string, texts [3][]byte) (merged []byte, clashes []string) {
	if merge := filemerge.Settings[name]; merge != nil {
		return merge(texts[0], texts[2], texts[1])
	}
	f := filemerge.File{Root: r.dir.Root, Name: name, Base: texts[0], Ours: texts[1], Theirs: texts[2], Options: r.rules}
	if merged, clean, err := f.Merge(); err == nil && clean {
		return merged, nil
	}
	return texts[1], nil
}

func (r *Preview) sideFiles(commit string) (f sideFiles, err error) {
	base := ""
	if len(r.Operation.Bases) > 0 {
		base = r.Operation.Bases[0]
	}
	for i, rev := range [3]string{base, r.Operation.Ours, commit} {
		if f[i], err = r.besidesOf(rev); err != nil {
			return f, err
		}
	}
	return f, nil
}

// besidesOf lists the files of a revision, once.
func (r *Preview) besidesOf(rev string) (besides, error) {
	if b, ok := r.besides[rev]; ok {
		return b, nil
	}
	b := besides{tree: &vcs.Tree{}, objects: make(map[string]vcs.Listed)}
	if rev != "" {
		q := WholeQuery()
		q.Rev, q.Names, q.Limit = rev, []string{worlddir.ConfigName, worlddir.RangesName, strings.TrimSuffix(typesPrefix, "/")}, typefile.MaxSize
		var err error
		if b.tree, err = (vcs.Git{Dir: r.dir.Root}).Tree(q); err != nil {
			return b, err
		}
		for _, l := range b.tree.Files {
			if l.Kind == vcs.Regular {
				b.objects[l.Name] = l
			}
		}
	}
	r.besides[rev] = b
	return b, nil
}

func (f *sideFiles) names() []string {
	all := make(map[string]bool)
	for _, b := range f {
		for name := range b.objects {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// read returns the texts that the three have of a file.
func (f *sideFiles) read(name string) (texts [3][]byte, err error) {
	for i, b := range f {
		l, ok := b.objects[name]
		if !ok {
			continue
		}
		for file, err := range b.tree.Read([]vcs.Listed{l}) {
			if err != nil {
				return texts, err
			}
			texts[i] = append([]byte{}, file.Data...)
		}
	}
	return texts, nil
}

// takeFiles has the settings and the declarations of the working copy be as they are
// merged: before the entities, which say nothing without them.
func (r *Preview) takeFiles() error {
	f, err := r.sideFiles(r.Operation.Theirs)
	if err != nil {
		return err
	}
	changed, err := r.declared(f)
	if err != nil {
		return err
	}
	for _, name := range f.names() {
		merged, is := changed[name]
		if !is && f[1].object(name) == f[2].object(name) {
			continue
		}
		texts, err := f.read(name)
		if err != nil {
			return err
		}
		if !is {
			merged = texts[1]
		}
		if merged == nil && r.isDeclared(name, texts[2]) {
			continue
		}
		if f[0].object(name) != f[1].object(name) && f[0].object(name) != f[2].object(name) {
			_, clashes := r.mergeDeclared(name, texts)
			r.tellClashes(name, clashes)
		}
		if err := r.takeFile(name, texts[2], merged); err != nil {
			return err
		}
	}
	return nil
}

// isDeclared reports whether the merged world has the type that a file declares: what others
// have taken away and the person has changed is not taken away before that is decided.
func (r *Preview) isDeclared(name string, text []byte) bool {
	t, err := typefile.Parse(text, name)
	return err == nil && r.Merged.Types.Get(t.Name) != nil
}

func (r *Preview) tellClashes(name string, clashes []string) {
	for _, c := range clashes {
		r.note(fmt.Sprintf("%s: %s", name, c))
	}
}

// takeFile has a file of the working copy be as it is merged, which was looked at as it
// was. What a person has made of it since is merged with that.
func (r *Preview) takeFile(name string, was, merged []byte) error {
	path := filepath.Join(r.dir.Root, filepath.FromSlash(name))
	now, err := disk.ReadFile(path, typefile.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	switch {
	case there == (merged != nil) && bytes.Equal(now, merged):
		return nil
	case there == (was != nil) && bytes.Equal(now, was):
	case !there || merged == nil:
		return nil // a person has removed it, or is at work on it
	default:
		var clashes []string
		merged, clashes = r.mergeDeclared(name, [3][]byte{was, merged, now})
		r.tellClashes(name, clashes)
	}
	if merged == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return disk.Replace(path, BesideSuffix, merged, 0o666)
}
