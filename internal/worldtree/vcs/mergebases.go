package vcs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// MergeBases returns the best common ancestors of two commits.
func (g Git) MergeBases(a, b string) ([]string, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return nil, err
	}
	return r.mergeBases(context.Background(), a, b)
}

// mergeBases returns ErrShallow where the best ones may be beyond the end of a shallow
// history: what both sides have would then be taken for edits of both.
func (r *repository) mergeBases(ctx context.Context, a, b string) ([]string, error) {
	out, err := r.git(ctx, "merge-base", "--all", a, b).Text()
	if said := (*tool.Error)(nil); errors.As(err, &said) { // it fails without a word where there is none
		return nil, err
	}
	bases := strings.Fields(string(out))
	if len(bases) == 1 && (bases[0] == a || bases[0] == b) {
		return bases, nil
	}
	return bases, r.checkWhole(ctx, a, b, bases)
}

// checkWhole returns ErrShallow if a commit between two and their bases lacks its parents.
func (r *repository) checkWhole(ctx context.Context, a, b string, bases []string) error {
	out, err := r.git(ctx, "rev-parse", "--git-path", "shallow").Text()
	if err != nil {
		return err
	}
	path := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ends := strings.Fields(string(data))
	out, err = r.git(ctx, slices.Concat([]string{"rev-list", a, b, "--not"}, bases, []string{"--"})...).Text()
	if err != nil {
		return err
	}
	for commit := range strings.FieldsSeq(string(out)) {
		if slices.Contains(ends, commit) {
			return ErrShallow
		}
	}
	return nil
}
