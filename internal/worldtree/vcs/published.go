package vcs

import (
	"context"
	"slices"
)

// IsPublished reports whether a commit is in a branch of another repository, as far as
// this one has heard. What cannot be asked is not.
func (g Git) IsPublished(commit string) bool {
	r, err := g.open(context.Background())
	if err != nil {
		return false
	}
	out, err := r.git(context.Background(), "for-each-ref", "--count=1", "--contains="+commit, "refs/remotes").Text()
	return err == nil && len(out) > 0
}

// Contains reports whether a commit is another, or comes after it. What cannot be asked does
// not.
func (g Git) Contains(commit, other string) bool {
	if !isObjectID(commit) || !isObjectID(other) {
		return false // git is called with nothing else that a damaged record says
	}
	r, err := g.open(context.Background())
	if err != nil {
		return false
	}
	_, err = r.git(context.Background(), "merge-base", "--is-ancestor", other, commit).Text()
	return err == nil
}

// Log is git's log, by its options, of files named from the directory.
func (g Git) Log(options []string, names ...string) (string, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return "", err
	}
	out, err := r.git(context.Background(), slices.Concat([]string{"log"}, options, []string{"--"}, names)...).Text()
	return string(out), err
}
