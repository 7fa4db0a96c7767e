package vcs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Staged is a file as an index lists it.
type Staged struct {
	Listed
	Mode  string // such as 100644
	Stage int    // 0, or of a file that is unmerged 1 (base), 2 (ours) or 3 (theirs)
}

// Index is what git's index has of the files of a query, and what the working tree
// has that differs from it. svn has none: its index is what SVNMerge makes of a working
// copy.
type Index struct {
	Files    []Staged // in the order of names
	Resolved []string // files that were unmerged and are not any more
	Edited   []string // files of the index that the working tree has otherwise, or not at all; unmerged ones, too
	New      []string // files that the index does not have, and that git is not told to ignore
	Others   int      // files that the query does not ask about, anywhere in the repository, and that are unmerged

	// Untouched has, of unmerged files in which the tool marks nothing, what it has left
	// in the working tree; nil where that follows from the sides, as with git.
	Untouched map[string]string

	control staging
	query   Query
}

// staging is the version control that an index belongs to.
type staging interface {
	store
	hash(names []string) ([]string, error)
	stage(names []string) error
	unmerge(files []Staged) error
}

// Hash has version control keep the contents of files of the working tree, and returns
// the object ID of each.
func (x *Index) Hash(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return x.control.hash(names)
}

// Tree returns a tree of files that version control has, which come in the order of the
// query.
func (x *Index) Tree(files []Listed) *Tree {
	q := x.query
	q.Rev = "of the index"
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b Listed) int { return q.rank(a.Name) - q.rank(b.Name) })
	return &Tree{Files: files, store: x.control, query: q}
}

// IsNew reports whether version control does not know a file of the working tree.
func (x *Index) IsNew(name string) bool { return slices.Contains(x.New, name) }

// Stage has the index have files as the working tree has them, or not at all where they
// are gone: they are resolved.
func (x *Index) Stage(names []string) error {
	if len(names) == 0 {
		return nil
	}
	if err := x.control.stage(names); err != nil {
		return fmt.Errorf("mark files as resolved: %w", err)
	}
	return nil
}

// Unmerged has the index have files as unmerged, with those that the sides have.
func (x *Index) Unmerged(files []Staged) error {
	if len(files) == 0 {
		return nil
	}
	if err := x.control.unmerge(files); err != nil {
		return fmt.Errorf("mark files as unmerged: %w", err)
	}
	return nil
}

// Refresh has the index know of files that they are as it has them. It fails where some are not.
func (g Git) Refresh() {
	if r, err := g.open(context.Background()); err == nil {
		_, _ = r.git(context.Background(), "update-index", "-q", "--unmerged", "--refresh").Text()
	}
}

// indexReading reads git's index.
type indexReading struct {
	*Index
	repository *repository
}

// Index reads the index. q.Rev is not looked at.
func (g Git) Index(q Query) (*Index, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	x := indexReading{&Index{control: r, query: q}, r}
	if err := x.read(ctx); err != nil {
		return nil, fmt.Errorf("read git's index: %w", err)
	}
	return x.Index, nil
}

func (x *indexReading) read(ctx context.Context) error {
	lines, err := x.list(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	for _, line := range lines {
		f, err := parseStaged(line)
		if err != nil {
			return err
		}
		if x.isWanted(f.Name) {
			x.Files = append(x.Files, f)
		}
	}
	if lines, err = x.list(ctx, "ls-files", "--resolve-undo", "-z"); err != nil {
		return err
	}
	for _, line := range lines {
		if f, err := parseStaged(line); err == nil && x.isWanted(f.Name) {
			x.Resolved = append(x.Resolved, f.Name)
		}
	}
	x.Resolved = slices.Compact(x.Resolved)
	if x.Edited, err = x.names(ctx, "diff-files", "--name-only", "--relative", "-z"); err != nil {
		return err
	}
	if x.New, err = x.names(ctx, "ls-files", "--others", "--exclude-standard", "-z"); err != nil {
		return err
	}
	return x.countOthers(ctx)
}

// countOthers asks from the top of the repository.
func (x *indexReading) countOthers(ctx context.Context) error {
	r := x.repository
	top := strings.Repeat("../", strings.Count(r.prefix, "/")) + "."
	out, err := r.git(ctx, "-C", top, "ls-files", "--unmerged", "-z").Text()
	if err != nil {
		return err
	}
	names := make(map[string]bool)
	for line := range strings.SplitSeq(string(out), "\x00") {
		if _, name, ok := strings.Cut(line, "\t"); ok {
			below, inside := strings.CutPrefix(name, r.prefix)
			names[name] = !inside || !x.isWanted(below)
		}
	}
	for _, other := range names {
		if other {
			x.Others++
		}
	}
	return nil
}

// IsUnmerged reports whether one of a query's files is unmerged.
func (g Git) IsUnmerged(q Query) (bool, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return false, err
	}
	lines, err := (&indexReading{&Index{control: r, query: q}, r}).list(ctx, "ls-files", "--unmerged", "-z")
	return len(lines) > 0, err
}

func (x *Index) isWanted(name string) bool { return x.query.rank(name) >= 0 && x.query.wants(name) }

// list returns what a command prints about the query's names, which end in NUL.
func (x *indexReading) list(ctx context.Context, args ...string) ([]string, error) {
	out, err := x.repository.git(ctx, slices.Concat(args, []string{"--"}, x.query.Names)...).Text()
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

func (x *indexReading) names(ctx context.Context, args ...string) ([]string, error) {
	names, err := x.list(ctx, args...)
	names = slices.DeleteFunc(names, func(name string) bool { return !x.isWanted(name) })
	slices.Sort(names)
	return slices.Compact(names), err
}

// parseStaged reads "100644 0123abcd… 0\tname".
func parseStaged(line string) (f Staged, err error) {
	head, name, ok := strings.Cut(line, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 3 || !isHex(words[1]) || len(words[2]) != 1 || words[2] < "0" || words[2] > "3" {
		return f, fmt.Errorf("git ls-files printed what cannot be read: %q", line)
	}
	f = Staged{Listed: Listed{Name: name, Object: words[1]}, Mode: words[0], Stage: int(words[2][0] - '0')}
	switch {
	case f.Mode == "120000":
		f.Kind = Symlink
	case !strings.HasPrefix(f.Mode, "100"):
		f.Kind = Other
	}
	return f, nil
}

func (r *repository) hash(names []string) ([]string, error) {
	cmd := r.git(context.Background(), "hash-object", "-w", "--stdin-paths")
	var in strings.Builder
	for _, name := range names {
		fmt.Fprintln(&in, r.prefix+name) // from the top, whatever git says
	}
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Text()
	objects := strings.Fields(string(out))
	if err == nil && len(objects) != len(names) {
		err = fmt.Errorf("git hash-object printed %d lines about %d files", len(objects), len(names))
	}
	return objects, err
}

// stage asks no git add: that fails for a file that is nowhere any more, not even in the
// index, as where another process has resolved it meanwhile.
func (r *repository) stage(names []string) error {
	cmd := r.git(context.Background(), "update-index", "--add", "--remove", "-z", "--stdin")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\x00") + "\x00")
	_, err := cmd.Text()
	return err
}

func (r *repository) unmerge(files []Staged) error {
	var in bytes.Buffer
	none := strings.Repeat("0", len(files[0].Object))
	for i, f := range files {
		if i == 0 || files[i-1].Name != f.Name {
			fmt.Fprintf(&in, "0 %s\t%s%s\x00", none, r.prefix, f.Name)
		}
		fmt.Fprintf(&in, "%s %s %d\t%s%s\x00", f.Mode, f.Object, f.Stage, r.prefix, f.Name)
	}
	cmd := r.git(context.Background(), "update-index", "-z", "--index-info")
	cmd.Stdin = &in
	_, err := cmd.Text()
	return err
}
