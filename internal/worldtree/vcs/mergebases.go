package vcs

import (
	"context"
	"strings"
)

// MergeBases returns the best common ancestors of two commits.
func (g Git) MergeBases(a, b string) ([]string, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return nil, err
	}
	return r.mergeBases(context.Background(), a, b)
}

func (r *repository) mergeBases(ctx context.Context, a, b string) ([]string, error) {
	out, err := r.git(ctx, "merge-base", "--all", a, b).output()
	if err != nil && says(err, "fatal") { // it fails without a word where there is none
		return nil, err
	}
	return strings.Fields(string(out)), nil
}
