package vcs

import (
	"context"
	"fmt"
)

// Staged lists what the index has of the files of a query: what a commit takes. q.Rev is
// not looked at. Unmerged files, of which no commit is made, are not in it.
func (g Git) Staged(q Query) (*Tree, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	x := indexReading{&Index{control: r, query: q}, r}
	lines, err := x.list(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("read git's index: %w", err)
	}
	var files []Listed
	for _, line := range lines {
		f, err := parseStaged(line)
		if err != nil {
			return nil, err
		}
		if f.Stage == 0 && x.isWanted(f.Name) {
			files = append(files, f.Listed)
		}
	}
	return x.Tree(files), nil
}

// WasUnmerged reports whether the index has a file of a query that was unmerged and is
// resolved, which git notes until the commit.
func (g Git) WasUnmerged(q Query) (bool, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return false, err
	}
	x := indexReading{&Index{control: r, query: q}, r}
	lines, err := x.list(ctx, "ls-files", "--resolve-undo", "-z")
	return len(lines) > 0, err
}

// StagedChanges returns the names, from Dir, of files that the index has otherwise than a
// commit: all that it has where rev is "".
func (g Git) StagedChanges(rev string, q Query) ([]string, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	x := indexReading{&Index{control: r, query: q}, r}
	args := []string{"diff-index", "--cached", "--no-renames", "--name-only", "--relative", "-z", rev}
	if rev == "" {
		args = []string{"ls-files", "-z"}
	}
	names, err := x.names(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("compare git's index: %w", err)
	}
	return names, nil
}

// IsUncommitted reports whether a file that git knows is otherwise than HEAD has it.
func (g Git) IsUncommitted(q Query) (bool, error) {
	x, err := g.Index(q)
	if err != nil || len(x.Edited) > 0 {
		return err == nil, err
	}
	staged, err := g.StagedChanges("HEAD", q)
	return len(staged) > 0, err
}

// Differs reports whether two revisions differ in any file of a query.
func (g Git) Differs(a, b string, q Query) (bool, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return false, err
	}
	x := indexReading{&Index{control: r, query: q}, r}
	names, err := x.names(ctx, "diff-tree", "-r", "--no-renames", "--name-only", "--relative", "-z", a, b)
	return len(names) > 0, err
}
