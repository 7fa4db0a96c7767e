package vcs

import (
	"context"
	"fmt"
	"strings"
)

// Common returns the newest contents that commits on both of two sides have given to files
// of a query: where a commit was picked or rebased, what it made is on both sides, and not
// in what they come of.
func (g Git) Common(ours, theirs string, q Query) (*Tree, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	t := &Tree{store: r, query: q}
	given, err := r.givenSince(ctx, ours, theirs, q)
	if len(given) == 0 || err != nil {
		return t, err
	}
	others, err := r.givenSince(ctx, theirs, ours, q)
	if err != nil {
		return t, err
	}
	known := make(map[Listed]bool, len(given))
	for _, f := range given {
		known[f] = true
	}
	found := make(map[string]bool)
	for _, f := range others { // the newest come first
		if known[f] && !found[f.Name] {
			found[f.Name] = true
			t.Files = append(t.Files, f)
		}
	}
	return t, nil
}

// givenSince returns what the commits of one side that the other does not have give to the
// files of a query, the newest first.
func (r *repository) givenSince(ctx context.Context, other, side string, q Query) (given []Listed, err error) {
	args := []string{"rev-list", "--objects", side, "^" + other, "--"}
	for _, name := range q.Names {
		args = append(args, r.prefix+name)
	}
	out, err := r.git(ctx, args...).output()
	if err != nil {
		return nil, fmt.Errorf("list what commits made: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		object, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, inside := strings.CutPrefix(name, r.prefix)
		if inside && isHex(object) && q.rank(name) >= 0 && q.wants(name) {
			given = append(given, Listed{Name: name, Object: object})
		}
	}
	return given, nil
}
