package pull

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Besides the world, git merges: what it cannot merge refuses the pull.

// change is a file that one revision has otherwise than another.
type change struct{ name, mode, object string } // of the second, the name from the top

func (c *change) removed() bool { return c.mode == "000000" }

// diff returns what one revision has otherwise than another, or, without a second, than
// git's index has it.
func (r *repository) diff(from, to string) (all []change, err error) {
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", from, to}
	if to == "" {
		args = []string{"diff-index", "--cached", "-z", "--raw", "--no-renames", "--full-index", from}
	}
	fields, err := r.git.List(args...)
	for i := 0; i+1 < len(fields); i += 2 { // ":100644 100644 0123… 4567… M", name
		words := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(words) != 5 {
			return nil, fmt.Errorf("git %s printed what cannot be read: %q", args[0], fields[i])
		}
		all = append(all, change{fields[i+1], words[1], words[3]})
	}
	return all, err
}

// outside returns those changes that are besides the world, and their names.
func (r *repository) outside(all []change) (e *edits, names []string) {
	e = &edits{}
	for _, c := range all {
		if !r.isWorlds(c.name) {
			names = append(names, c.name)
			e.change(c)
		}
	}
	return e, names
}

// outsideMerge is what one of the person's commits comes to, merged with what is shared.
type outsideMerge struct {
	edits     *edits
	conflicts []string // the names of the files that git cannot merge
}

// mergeOutside merges one of the person's commits with what is shared, once.
func (in *gitPull) mergeOutside(commit string) (m outsideMerge, err error) {
	m, is := in.beside[commit]
	if !is {
		m.edits, m.conflicts, err = in.mergeFiles(commit)
		in.beside[commit] = m
	}
	return m, err
}

func (in *gitPull) mergeFiles(commit string) (e *edits, conflicts []string, err error) {
	changes, err := in.diff(in.bases[0], commit)
	if err != nil {
		return nil, nil, err
	}
	own, names := in.outside(changes)
	if _, theirs := in.outside(in.coming); len(names) == 0 || len(theirs) == 0 && len(in.bases) == 1 {
		return own, nil, nil
	}
	var without [2]string
	var bases []string
	for _, base := range in.bases {
		b, err := in.withoutWorld(base)
		if err != nil {
			return nil, nil, err
		}
		bases = append(bases, "-p", b)
	}
	for i, rev := range []string{in.shared, commit} {
		if without[i], err = in.withoutWorld(rev, bases...); err != nil {
			return nil, nil, err
		}
	}
	out, err := in.git.List("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", without[0], without[1])
	if err != nil && !vcs.IsNo(err) || len(out) == 0 {
		return nil, nil, fmt.Errorf("merge the files besides the world (git 2.38 or later does): %w", err)
	}
	if err != nil {
		return nil, out[1:], nil
	}
	changes, err = in.diff(without[0], out[0])
	e, _ = in.outside(changes)
	return e, nil, err
}

// withoutWorld returns a commit of what a revision has besides the world.
func (r *repository) withoutWorld(rev string, parents ...string) (string, error) {
	files, err := (vcs.Git{Dir: r.root}).Tree(r.query(rev))
	if err != nil {
		return "", err
	}
	var e edits
	for _, f := range files.Files {
		e.remove(r.git.Prefix()+f.Name, f.Object)
	}
	tree, err := r.treeOf(rev, &e)
	if err != nil {
		return "", err
	}
	return r.commitTree(tree, parents...)
}

// commitTree returns a commit that is in no branch, and has nobody's name.
func (r *repository) commitTree(tree string, parents ...string) (string, error) {
	c := r.git.With("GIT_AUTHOR_NAME=worldfs", "GIT_AUTHOR_EMAIL=worldfs", "GIT_COMMITTER_NAME=worldfs", "GIT_COMMITTER_EMAIL=worldfs")
	return c.Line(append([]string{"commit-tree", tree, "-m", "worldfs pull"}, parents...)...)
}

// findOutside finds the files besides the world that would be in conflict: in the person's
// commits, or since they are changed here and came in otherwise.
func (in *gitPull) findOutside() error {
	if in.Own > 0 {
		merged, err := in.mergeOutside(in.head)
		if err != nil || len(merged.conflicts) > 0 {
			in.Outside = merged.conflicts
			return err
		}
	}
	_, coming := in.outside(in.coming)
	here := make(map[string]bool)
	for _, d := range in.dirty {
		here[d.name] = true
	}
	coming = slices.DeleteFunc(coming, func(name string) bool { return !here[name] })
	alike, err := in.alike(in.shared, coming)
	in.Outside = slices.DeleteFunc(coming, func(name string) bool { _, is := alike[name]; return is })
	return err
}

// alike returns, of files named from the top, those that the working tree has as a revision
// does, with their lines for git's index.
func (r *repository) alike(rev string, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	top, err := r.git.Line("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	lines, err := r.git.List(append([]string{"ls-tree", "-r", "-z", "--full-tree", rev, "--"}, names...)...)
	if err != nil {
		return nil, err
	}
	have := make(map[string]string)
	for _, line := range lines {
		head, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		path := filepath.Join(top, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || len(words) != 3 {
			have[name] = ""
			continue
		}
		object, err := r.git.Line("hash-object", "--path", path, path)
		if err == nil && object == words[2] {
			have[name] = words[0] + " " + words[2]
		} else {
			have[name] = ""
		}
	}
	alike := make(map[string]string)
	for _, name := range names {
		line, in := have[name]
		_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(name)))
		switch {
		case line != "":
			alike[name] = line
		case !in && errors.Is(err, fs.ErrNotExist):
			alike[name] = "0 " + strings.Repeat("0", len(rev))
		}
	}
	return alike, nil
}

// checkout is what git is to do in its working tree besides the world: to go from one tree
// to another, which have the world as the index has it.
type checkout struct{ from, to string }

// checkout returns how git gets there from head to tip, and refuses what it would refuse.
func (in *gitPull) checkout(tip string) (c checkout, err error) {
	if _, coming := in.outside(in.coming); len(coming) == 0 && len(in.bases) == 1 {
		return c, nil // all commits have what the person has
	}
	all, err := in.diff(in.head, tip)
	if err != nil {
		return c, err
	}
	changes, names := in.outside(all)
	if len(names) == 0 {
		return c, nil
	}
	staged, err := in.stagedWorld(in.head)
	if err != nil {
		return c, err
	}
	if c.from, err = in.treeOf(in.head, staged); err != nil {
		return c, err
	}
	if c.to, err = in.treeOf(c.from, changes); err != nil {
		return c, err
	}
	err = in.withIndex(func(git *vcs.Caller) error { return in.move(git, c, names, "-n") })
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return c, err
}

// stagedWorld returns what the index has of the world otherwise than a revision.
func (r *repository) stagedWorld(rev string) (*edits, error) {
	all, err := r.diff(rev, "")
	e := &edits{}
	for _, c := range all {
		if r.isWorlds(c.name) {
			e.change(c)
		}
	}
	return e, err
}

// move has git's index and working tree go to another tree. Files that are there already
// as they are to be, are.
func (r *repository) move(git *vcs.Caller, c checkout, names []string, options ...string) error {
	alike, err := r.alike(c.to, names)
	if err != nil {
		return err
	}
	if len(alike) > 0 {
		var e edits
		for name, line := range alike {
			fmt.Fprintf(&e, "%s\t%s\x00", line, name)
		}
		if err := locking(git, e.Bytes(), "update-index", "-z", "--add", "--remove", "--index-info"); err != nil {
			return err
		}
	}
	if _, err := git.Call(nil, "update-index", "-q", "--refresh"); err != nil && !vcs.IsNo(err) {
		return err
	}
	return locking(git, nil, append([]string{"read-tree", "-m", "-u", c.from, c.to}, options...)...)
}
