package vcs

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// BothGave returns what the commits of each of two sides that the other does not have give
// to files of a query, the newest first, of those files that both give something to.
func (g Git) BothGave(ours, theirs string, q Query) (sides [2]*Tree, err error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return sides, err
	}
	given := [2][]Listed{}
	names := [2]map[string]bool{{}, {}}
	for i, side := range [2][2]string{{ours, theirs}, {theirs, ours}} {
		if given[i], err = r.givenSince(ctx, side[0], side[1], q); err != nil {
			return sides, err
		}
		for _, f := range given[i] {
			names[i][f.Name] = true
		}
		if len(given[i]) == 0 {
			break
		}
	}
	for i := range sides {
		files := slices.DeleteFunc(given[i], func(f Listed) bool { return !names[1-i][f.Name] })
		sides[i] = &Tree{Files: files, store: r, query: q}
	}
	return sides, nil
}

// givenSince returns what the commits of one side that the other does not have give to the
// files of a query.
func (r *repository) givenSince(ctx context.Context, side, other string, q Query) (given []Listed, err error) {
	args := append([]string{"rev-list", "--objects", side, "^" + other, "--"}, q.Names...)
	out, err := r.git(ctx, args...).Text()
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
